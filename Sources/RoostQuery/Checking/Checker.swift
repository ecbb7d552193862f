package import RoostRecords

/// Checks an expression against a store's catalog and makes a ``Term`` of it.
///
/// A checked expression can be computed for every row; only values can still cause an error.
package struct Checker {
  let catalog: Catalog
  private let entity: EntityID
  /// The bound variables, the newest last.
  private var scope: [(variable: Int, kind: Kind)] = []
  private var depth = 0
  private let fieldTerms: FieldTerms?

  package init(_ catalog: Catalog, _ entity: EntityID) {
    self.catalog = catalog
    self.entity = entity
    fieldTerms = nil
  }

  init(_ ground: Ground, _ entity: EntityID) {
    catalog = ground.catalog
    self.entity = entity
    fieldTerms = ground.fieldTerms
  }

  var describer: Describer { Describer(catalog, entity) }

  /// Checks a condition, which must yield true or false.
  package static func condition(
    _ expression: Expression, _ catalog: Catalog, entity: EntityID
  ) throws(ConditionFault) -> Term {
    var checker = Checker(catalog, entity)
    return try checker.condition(expression)
  }

  mutating func condition(_ expression: Expression) throws(ConditionFault) -> Term {
    let term = try term(expression)
    guard term.kind == .bool else {
      throw wrong(expression, "a condition must be a Bool, this is \(term.kind)")
    }
    return term
  }

  func wrong(_ expression: Expression, _ detail: String) -> ConditionFault {
    ConditionFault(.wrongType, detail, in: describer.text(expression))
  }

  func unknown(_ expression: Expression, _ detail: String) -> ConditionFault {
    ConditionFault(.unknown, detail, in: describer.text(expression))
  }

  package mutating func term(_ expression: Expression) throws(ConditionFault) -> Term {
    guard depth < Expression.deepest else {
      throw ConditionFault(.tooDeep, "it is deeper than \(Expression.deepest)", in: describer.text(expression))
    }
    depth += 1
    defer { depth -= 1 }
    switch expression {
    case .constant, .parameter, .variable, .field, .part, .many: return try name(expression)
    case .not, .and, .or, .compare, .conditional, .coalesce, .unwrap, .ifLet, .within:
      return try logic(expression)
    case .arithmetic, .negate: return try number(expression)
    case .text, .textOrder, .changed, .matches: return try text(expression)
    case .datePart: return try datePart(expression)
    case .contains, .count, .isEmpty, .first, .last, .minimum, .maximum, .element, .lookup, .quantified, .filter,
      .aggregate:
      return try collection(expression)
    case .search(let search, _, _), .rank(let search, _, _): return try self.search(search, expression)
    }
  }

  /// The term of an expression in which a variable is bound.
  mutating func term(_ expression: Expression, binding variable: Int, to kind: Kind) throws(ConditionFault) -> Term {
    guard (1..<1 << 16).contains(variable) else { throw wrong(expression, "no variable has the number \(variable)") }
    scope.append((variable, kind))
    defer { scope.removeLast() }
    return try term(expression)
  }

  mutating func terms(_ expressions: [Expression]) throws(ConditionFault) -> [Term] {
    var terms: [Term] = []
    for expression in expressions { terms.append(try term(expression)) }
    return terms
  }

  // MARK: Names

  private mutating func name(_ expression: Expression) throws(ConditionFault) -> Term {
    switch expression {
    case .constant(let value, let kind):
      guard kind.holds(value) else { throw wrong(expression, "the constant is not \(kind)") }
      return Term(expression, kind, operands: .none)
    // The kind of the value is checked when the parameter is bound.
    case .parameter(_, let kind): return Term(expression, kind, operands: .none)
    case .variable(let number):
      if number == 0 { return Term(expression, .plain(.reference(entity)), operands: .none) }
      guard let kind = scope.last(where: { $0.variable == number })?.kind else {
        throw unknown(expression, "nothing binds the variable $\(number)")
      }
      return Term(expression, kind, operands: .none)
    case .field(.variable(0), let id):
      if let known = fieldTerms?.term(id, of: entity) { return known }
      let term = try field(.row, id, expression: expression)
      fieldTerms?.keep(term, id, of: entity)
      return term
    case .field(let base, let id): return try field(base, id, expression: expression)
    case .part(let base, let index):
      let base = try term(base)
      guard case .structure(let parts) = base.kind.whole, parts.indices.contains(index) else {
        throw wrong(expression, "\(base.kind) has no part \(index)")
      }
      let kind = Kind(parts[index].type)
      return Term(expression, base.kind.isOptional ? kind.optional : kind, operands: .one(base))
    case .many(let base, let id):
      let base = try term(base)
      guard let entity = base.kind.entity else { throw wrong(expression, "\(base.kind) has no relationships") }
      guard let found = catalog.relationships.first(where: { $0.id == id && $0.entity == entity }) else {
        throw unknown(expression, "there is no relationship \(id.number) from entity \(entity.number)")
      }
      if case .one = found.shape { throw wrong(expression, "\(found.name) is a reference: ask for its field") }
      let kind = Kind.rows(found.target)
      return Term(
        expression, base.kind.isOptional ? kind.optional : kind, operands: .one(base), target: .relationship(found))
    default: throw wrong(expression, "it is no name")
    }
  }

  private mutating func field(
    _ base: Expression, _ id: FieldID, expression: Expression
  ) throws(ConditionFault) -> Term {
    let base = try term(base)
    guard let entity = base.kind.entity else { throw wrong(expression, "\(base.kind) has no fields") }
    guard let field = catalog.field(id, of: entity) else {
      throw unknown(expression, "\(catalog.name(of: entity) ?? "?") has no field \(id.number)")
    }
    let kind = base.kind.isOptional ? Kind(field).optional : Kind(field)
    return Term(expression, kind, operands: .one(base), target: .field(entity, field))
  }
}

extension Kind {
  /// Whether a value is of this kind.
  package func holds(_ value: Value, depth: Int = 0) -> Bool {
    guard depth < Expression.deepest else { return false }
    switch (self, value) {
    case (.optional, .null): return true
    case (.optional(let inner), _): return inner.holds(value, depth: depth + 1)
    case (.array(let element), .array(let values)): return values.allSatisfy { element.holds($0, depth: depth + 1) }
    case (.set(let element), .set(let values)): return values.allSatisfy { element.holds($0, depth: depth + 1) }
    case (.dictionary(let key, let element), .dictionary(let pairs)):
      return pairs.allSatisfy { key.holds($0, depth: depth + 1) && element.holds($1, depth: depth + 1) }
    case (.structure(let parts), .structure(let values)):
      return parts.count == values.count
        && zip(parts, values).allSatisfy { Kind($0.type).holds($1, depth: depth + 1) }
    case (.rows, .array(let values)):
      return values.allSatisfy { if case .reference = $0 { true } else { false } }
    case (.plain(let type), _): return type.holds(value)
    default: return false
    }
  }
}

extension FieldType {
  fileprivate func holds(_ value: Value) -> Bool {
    switch (self, value) {
    case (.int8, .int(let number)): Int8(exactly: number) != nil
    case (.int16, .int(let number)): Int16(exactly: number) != nil
    case (.int32, .int(let number)): Int32(exactly: number) != nil
    case (.uint8, .uint(let number)): UInt8(exactly: number) != nil
    case (.uint16, .uint(let number)): UInt16(exactly: number) != nil
    case (.uint32, .uint(let number)): UInt32(exactly: number) != nil
    case (.int64, .int), (.uint64, .uint), (.bool, .bool), (.float, .float), (.double, .double), (.decimal, .decimal),
      (.string, .string), (.data, .data), (.date, .date), (.uuid, .uuid), (.url, .url), (.reference, .reference),
      (.presence, .bool):
      true
    default: false
    }
  }
}
