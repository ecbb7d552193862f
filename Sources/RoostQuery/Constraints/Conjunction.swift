internal import RoostRecords

/// The parts of a condition that must all be true, and what was read from them.
struct Conjunction {
  let parts: Operands
  /// One for each path, with everything that is asked of it. A path without stretches can never be fulfilled.
  private(set) var constraints: [Constraint] = []
  /// The parts that are nothing but their one constraint.
  private(set) var coverable = PartSet()

  init(_ condition: Term?) {
    parts = condition.map(Self.flat) ?? .none
    var finder = ConstraintFinder()
    for number in 0..<parts.count {
      let start = constraints.count
      let isWhole = finder.read(parts[number], number, into: &constraints)
      let isOneExact = constraints.count == start + 1 && constraints[start].isExact
      if join(from: start), isWhole, isOneExact { coverable.insert(number) }
    }
  }

  /// Joins the last constraints with those before them that are about the same; returns whether all could be.
  private mutating func join(from start: Int) -> Bool {
    var isJoined = true
    var place = start
    while place < constraints.count {
      // Two elements of one collection may fulfil what no single one does.
      guard !constraints[place].path.form.isMany,
        let known = (0..<place).first(where: { constraints[$0].path == constraints[place].path })
      else {
        place += 1
        continue
      }
      // What cannot be joined is still tested.
      if let both = constraints[known].joined(constraints[place]) {
        constraints[known] = both
      } else {
        isJoined = false
      }
      constraints.remove(at: place)
    }
    return isJoined
  }

  static func flat(_ condition: Term) -> Operands {
    if case .and = condition.expression {
      var parts: [Term] = []
      flatten(condition, &parts)
      return .many(parts)
    }
    return condition.isConstant(true) ? .none : .one(condition)
  }

  private static func flatten(_ term: Term, _ parts: inout [Term]) {
    if case .and = term.expression {
      for part in term.operands { flatten(part, &parts) }
    } else if !term.isConstant(true) {
      parts.append(term)
    }
  }

  /// Which constraint is about a field of the row itself, in a form.
  func place(of field: FieldID, _ form: Index.Form = .value) -> Int? {
    for place in constraints.indices where constraints[place].path.first == field {
      if constraints[place].path.isOwn, constraints[place].path.form == form { return place }
    }
    return nil
  }

  /// The constraints that each ask for one element or key of a collection. Others would find a row more than once.
  func elements(of part: Index.Part) -> [Constraint] {
    constraints.filter { $0.path.isOwn && $0.path.form == part.form && $0.path.first == part.field && $0.isPoint }
  }

  func constraint(on field: FieldID, _ form: Index.Form = .value) -> Constraint? {
    place(of: field, form).map { constraints[$0] }
  }

  /// Whether nothing can fulfil it.
  var isImpossible: Bool {
    parts.contains { $0.isConstant(false) } || constraints.contains { $0.bounds.isEmpty }
  }

  /// The parts that need no test once these constraints are kept.
  func covered(_ kept: PartSet) -> PartSet { kept.intersection(coverable) }

  /// The test that is left, if any.
  func residual(_ covered: PartSet) -> Term? {
    let left = parts.indices.filter { !covered.contains($0) }.map { parts[$0] }
    return left.isEmpty ? nil : Term(.and(left.map(\.expression)), .bool, operands: .many(left))
  }
}
