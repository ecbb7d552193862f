internal import RoostRecords

/// Finds the ranges of a field's values that a part of a condition requires.
///
/// It finds only what is certain. It never inverts a comparison under `!`, because nil and NaN
/// fulfil neither the comparison nor its opposite.
struct ConstraintFinder {
  /// Variables that `if let` binds to a field.
  private var variables: [Int: Path] = [:]

  init() {}

  /// Appends the constraints of a part. Every row for which the part is true fulfils all of them.
  ///
  /// Returns whether they express the part completely. If they also are exact, rows need no test of
  /// it.
  mutating func read(_ term: Term, _ conjunct: Int, into found: inout [Constraint]) -> Bool {
    if let (path, bounds) = bounds(term) {
      found.append(Constraint(path: path, bounds: PartBound.merged(bounds), conjuncts: PartSet(conjunct)))
      return true
    }
    switch term.expression {
    case .and:
      var isWhole = true
      for part in term.operands where !read(part, conjunct, into: &found) { isWhole = false }
      return isWhole
    case .ifLet(let variable, _, _, _) where Self.isFalseOrNull(term.operands[2]):
      guard let path = path(term.operands[0]) else { return false }
      let before = variables.updateValue(path, forKey: variable)
      defer { variables[variable] = before }
      // The part also requires that the value is not nil.
      _ = read(term.operands[1], conjunct, into: &found)
      return false
    case .compare(let comparison, _, _) where comparison != .notEqual && keyed(term) != nil:
      // `$0.labels["x"] == "red"`: the row has the key, and its value is tested.
      guard let (path, bounds) = keyed(term), !term.operands.contains(where: { $0.constant?.isNull ?? false }) else {
        return false
      }
      found.append(Constraint(path: path, bounds: bounds, conjuncts: PartSet(conjunct)))
      return false
    case .compare(.equal, _, _):
      // `$0.tags?.contains("x") == true`
      let (one, two) = (term.operands[0], term.operands[1])
      if two.isConstant(true) {
        _ = read(one, conjunct, into: &found)
      } else if one.isConstant(true) {
        _ = read(two, conjunct, into: &found)
      }
      return false
    case .coalesce where Self.isFalseOrNull(term.operands[1]):
      _ = read(term.operands[0], conjunct, into: &found)
      return false
    default: return false
    }
  }

  private static func isFalseOrNull(_ term: Term) -> Bool { term.constant == .bool(false) || term.constant == .null }

  // MARK: One field

  private func path(_ term: Term) -> Path? {
    switch term.expression {
    case .variable(let number): return number == 0 ? nil : variables[number]
    case .unwrap: return path(term.operands[0])
    case .changed(let change, _):
      return path(term.operands[0])?.formed(change.form)
    case .datePart(let part, _): return path(term.operands[0])?.formed(Index.Form(part))
    case .count: return path(term.operands[0])?.formed(.count)
    case .ifLet(let variable, _, _, _) where term.operands[2].constant == .null:
      // `$0.name?.lowercased()`
      guard let base = path(term.operands[0]) else { return nil }
      var inner = self
      inner.variables[variable] = base
      return inner.path(term.operands[1])
    case .field(_, let id):
      guard case .field(_, let field) = term.target else { return nil }
      if term.operands[0].isRow { return Path(first: id, field: KeyField(field)) }
      guard let base = path(term.operands[0]), base.form == .value else { return nil }
      return Path(first: base.first, rest: base.rest + [id], field: KeyField(field))
    default: return nil
    }
  }

  private func bounds(_ term: Term) -> (Path, [PartBound])? {
    let parts = term.operands
    switch term.expression {
    case .compare(.notEqual, _, _) where parts.contains(where: { $0.constant?.isNull ?? false }) && keyed(term) != nil:
      return keyed(term)
    case .compare(let comparison, _, _):
      if let value = parts[1].constant { return compared(parts[0], comparison, value: value) }
      if let value = parts[0].constant { return compared(parts[1], comparison.mirrored, value: value) }
      return nil
    case .within(_, _, let isClosed, _):
      guard let path = path(parts[2]), let low = parts[0].constant, let high = parts[1].constant,
        !ValueOrder.isUnordered(low), !ValueOrder.isUnordered(high), !ValueOrder.holds(.less, high, other: low),
        let first = PartBound(.greaterOrEqual, low, field: path.field),
        let second = PartBound(isClosed ? .lessOrEqual : .less, high, field: path.field)
      else { return nil }
      return (path, first.intersection(second).map { [$0] } ?? [])
    case .contains: return member(parts)
    case .text(let test, _, _) where test == .hasPrefix || test == .starts:
      guard let path = path(parts[0]), case .string(let text) = parts[1].constant,
        let bound = PartBound(prefix: text, path.field)
      else { return nil }
      return (path, [bound])
    case .field, .coalesce: return compared(term, .equal, value: .bool(true))
    case .isEmpty: return path(parts[0])?.formed(.count).flatMap { counted($0, .equal) }
    case .not where isEmptiness(parts[0]):
      return path(parts[0].operands[0])?.formed(.count).flatMap { counted($0, .greater) }
    case .quantified(.some, let variable, _, _):
      guard let elements = path(parts[0])?.formed(.elements) else { return nil }
      var inner = self
      inner.variables[variable] = elements
      // The test may use more of the element than its value.
      guard let (path, bounds) = inner.bounds(parts[1]), path == elements else { return nil }
      return (path, bounds)
    case .not where isFlag(parts[0]): return compared(parts[0], .equal, value: .bool(false))
    case .or:
      let all = parts.map(bounds)
      guard let first = all.first, let path = first?.0, all.allSatisfy({ $0?.0 == path }) else { return nil }
      return (path, all.flatMap { $0?.1 ?? [] })
    default: return nil
    }
  }

  /// The key that a comparison of a dictionary's value with a constant looks up.
  private func keyed(_ term: Term) -> (Path, [PartBound])? {
    let parts = term.operands
    if parts[1].constant != nil { return lookup(parts[0]) }
    return parts[0].constant == nil ? nil : lookup(parts[1])
  }

  /// The key of `$0.labels["x"]`, or of `$0.labels?["x"]`.
  private func lookup(_ term: Term) -> (Path, [PartBound])? {
    switch term.expression {
    case .lookup:
      guard let key = term.operands[1].constant, !key.isNull, !ValueOrder.isUnordered(key),
        let path = path(term.operands[0])?.formed(.keys), let bound = PartBound(.equal, key, field: path.field)
      else { return nil }
      return (path, [bound])
    case .ifLet(let variable, _, _, _) where term.operands[2].constant == .null:
      guard let base = path(term.operands[0]) else { return nil }
      var inner = self
      inner.variables[variable] = base
      return inner.lookup(term.operands[1])
    default: return nil
    }
  }

  /// The comparison of the number of elements or characters with 0.
  private func counted(_ path: Path, _ comparison: Expression.Comparison) -> (Path, [PartBound])? {
    PartBound(comparison, .int(0), field: path.field).map { (path, [$0]) }
  }

  private func isEmptiness(_ term: Term) -> Bool { if case .isEmpty = term.expression { true } else { false } }

  private func isFlag(_ term: Term) -> Bool {
    switch term.expression {
    case .field, .variable, .coalesce: term.kind == .bool
    default: false
    }
  }

  private func compared(
    _ term: Term, _ comparison: Expression.Comparison, value: Value
  ) -> (Path, [PartBound])? {
    var orNull = false
    var subject = term
    if case .coalesce = term.expression {
      guard let other = term.operands[1].constant, !other.isNull, !value.isNull else { return nil }
      orNull = ValueOrder.holds(comparison, other, other: value)
      subject = term.operands[0]
    }
    guard let path = path(subject) else { return nil }
    var found: [PartBound] = []
    if value.isNull {
      // `nil == nil` is also true if a reference on the path is nil.
      if comparison == .equal || comparison == .notEqual, !orNull, path.field.isOptional, isPlain(subject) {
        found = [comparison == .equal ? PartBound(null: path.field) : PartBound(notNull: path.field)]
        return path.isOwn || comparison == .notEqual ? (path, found) : nil
      }
      return nil
    }
    if !ValueOrder.isUnordered(value) {
      guard let bound = PartBound(comparison, value, field: path.field) else { return nil }
      found = [bound]
    } else if comparison == .notEqual {
      return nil
    }
    if orNull {
      guard path.isOwn, isPlain(subject) else { return nil }
      if path.field.isOptional { found.append(PartBound(null: path.field)) }
    }
    return (path, found)
  }

  /// Whether it is a field itself, without `??` or another default for nil.
  private func isPlain(_ term: Term) -> Bool { if case .field = term.expression { true } else { false } }

  private func member(_ parts: Operands) -> (Path, [PartBound])? {
    if let element = parts[1].constant {
      guard !element.isNull, !ValueOrder.isUnordered(element), let path = path(parts[0])?.formed(.elements),
        let bound = PartBound(.equal, element, field: path.field)
      else { return nil }
      return (path, [bound])
    }
    guard let path = path(parts[1]) else { return nil }
    let values: [Value]
    switch parts[0].constant {
    case .array(let all): values = all
    case .set(let all): values = Array(all)
    default: return nil
    }
    var found: [PartBound] = []
    for value in values {
      if value.isNull {
        guard path.isOwn, isPlain(parts[1]) else { return nil }
        if path.field.isOptional { found.append(PartBound(null: path.field)) }
      } else if !ValueOrder.isUnordered(value) {
        guard let bound = PartBound(.equal, value, field: path.field) else { return nil }
        found.append(bound)
      }
    }
    return (path, found)
  }
}

extension Expression.Comparison {
  /// The comparison with its sides exchanged.
  var mirrored: Expression.Comparison {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}

extension Expression.TextChange {
  fileprivate var form: Index.Form {
    switch self {
    case .lowercased: .lowercased
    case .uppercased: .uppercased
    case .folded: .folded
    }
  }
}
