package import RoostRecords
internal import RoostFile
internal import _StringProcessing

/// Computes terms on whole values, node by node: slow, simple and correct.
///
/// Tests compare all faster code with it. It also computes terms that no faster code can.
package struct Interpreter {
  let ground: Ground
  let describer: Describer
  private var bindings: [Int: Value] = [:]
  /// Made when the first aggregate is computed.
  var aggregates: AggregateCache?

  package init(_ ground: Ground, _ entity: EntityID) {
    self.ground = ground
    describer = Describer(ground.catalog, entity)
  }

  /// Whether a row fulfils a condition.
  package mutating func test(_ condition: Term, _ row: RowID) throws -> Bool {
    bindings = [0: .reference(row)]
    return try isTrue(condition)
  }

  package mutating func value(_ term: Term, _ row: RowID) throws -> Value {
    bindings = [0: .reference(row)]
    return try value(term)
  }

  /// Computes a term whose variables have these values.
  package mutating func value(_ term: Term, _ bindings: [Int: Value]) throws -> Value {
    self.bindings = bindings
    return try value(term)
  }

  func fault(_ code: ConditionFault.Code, _ detail: String, term: Term) -> ConditionFault {
    ConditionFault(code, detail, in: describer.text(term.expression))
  }

  private mutating func isTrue(_ term: Term) throws -> Bool { try value(term) == .bool(true) }

  mutating func value(_ term: Term) throws -> Value {
    let parts = term.operands
    switch term.expression {
    case .constant(let value, _): return value
    case .parameter: throw fault(.unknown, "it has no value", term: term)
    case .variable(let number): return bindings[number] ?? .null
    case .field: return try field(term)
    case .part(_, let index):
      guard case .structure(let values) = try value(parts[0]) else { return .null }
      return values[index]
    case .many: return try rows(term)
    case .not: return .bool(try !isTrue(parts[0]))
    case .and:
      for part in parts where try !isTrue(part) { return .bool(false) }
      return .bool(true)
    case .or:
      for part in parts where try isTrue(part) { return .bool(true) }
      return .bool(false)
    case .compare(let comparison, _, _):
      return .bool(ValueOrder.holds(comparison, try value(parts[0]), other: try value(parts[1])))
    case .conditional: return try value(isTrue(parts[0]) ? parts[1] : parts[2])
    case .coalesce:
      let found = try value(parts[0])
      return found.isNull ? try value(parts[1]) : found
    case .unwrap:
      let found = try value(parts[0])
      if found.isNull { throw fault(.nilUnwrapped, "it is nil", term: term) }
      return found
    case .ifLet(let variable, _, _, _):
      let found = try value(parts[0])
      let isNil = try found.isNull || isBroken(found, parts[0])
      return isNil ? try value(parts[2]) : try value(parts[1], binding: variable, to: found)
    case .within(_, _, let isClosed, _):
      let (low, high) = (try value(parts[0]), try value(parts[1]))
      guard !ValueOrder.isUnordered(low), !ValueOrder.isUnordered(high), !ValueOrder.holds(.less, high, other: low)
      else {
        throw fault(.outOfBounds, "a range ends before it begins", term: term)
      }
      let found = try value(parts[2])
      return .bool(
        ValueOrder.holds(.lessOrEqual, low, other: found)
          && ValueOrder.holds(isClosed ? .lessOrEqual : .less, found, other: high))
    case .arithmetic, .negate: return try Numbers.compute(term, parts.map { try value($0) }, interpreter: self)
    case .text(let test, _, _):
      return .bool(TextComparing.test(test, try text(parts[0]), other: try text(parts[1])))
    case .textOrder(let order, _, _):
      return .int(Int64(TextComparing.order(order, try text(parts[0]), other: try text(parts[1]))))
    case .changed(let change, _): return .string(TextComparing.change(change, try text(parts[0])))
    case .datePart(let part, _):
      guard case .date(let seconds) = try value(parts[0]) else { return .null }
      return .int(part.of(seconds))
    case .matches(_, let pattern):
      var text = try text(parts[0])
      let wanted = try TextPattern(pattern)
      return .bool(try text.withUTF8 { try wanted.isFound(in: UnsafeRawBufferPointer($0)) })
    case .contains, .count, .isEmpty, .first, .last, .minimum, .maximum, .element, .lookup, .quantified, .filter:
      return try collection(term)
    case .aggregate: return try aggregate(term)
    case .search, .rank: return try search(term)
    }
  }

  /// Computes a term in which a variable is bound.
  mutating func value(_ term: Term, binding variable: Int, to value: Value) throws -> Value {
    let before = bindings.updateValue(value, forKey: variable)
    defer { bindings[variable] = before }
    return try self.value(term)
  }

  private mutating func text(_ term: Term) throws -> String {
    guard case .string(let text) = try value(term) else { return "" }
    return text
  }

  // MARK: Rows

  private mutating func field(_ term: Term) throws -> Value {
    guard case .field(let entity, let field) = term.target,
      case .reference(let row) = try value(term.operands[0])
    else { return .null }
    let table = try ground.table(entity)
    guard let access = table.access(field.id) else { return .null }
    let found = try table.withRow(row) { (row) throws(StoreError) in try table.value(access, row) }
    guard let found else {
      if term.operands[0].looseTarget(ground.catalog) != nil { return .null }
      throw fault(.missingRow, "there is no row \(row.number) of \(table.entity.name)", term: term)
    }
    return found
  }

  /// Whether a term is a reference that the delete rule of its inverse left without a row.
  private func isBroken(_ value: Value, _ term: Term) throws -> Bool {
    guard let target = term.looseTarget(ground.catalog), case .reference(let row) = value else { return false }
    return try ground.table(target).withRow(row) { _ in true } == nil
  }

  private mutating func rows(_ term: Term) throws -> Value {
    guard case .relationship(let relationship) = term.target,
      case .reference(let row) = try value(term.operands[0])
    else { return .null }
    return .array(try ground.members(relationship).rows(of: row).map { .reference($0) })
  }
}
