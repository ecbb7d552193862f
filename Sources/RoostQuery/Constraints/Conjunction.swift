internal import RoostRecords

/// The parts of a condition that must all be true, and the constraints found in them.
struct Conjunction {
  let parts: Operands
  /// One constraint for each path. If a constraint has no ranges, no row fulfils the condition.
  private(set) var constraints: [Constraint] = []
  /// The parts that their constraint expresses completely.
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

  /// Joins the constraints from `start` with earlier ones on the same path; returns whether all
  /// could be joined.
  private mutating func join(from start: Int) -> Bool {
    var isJoined = true
    var place = start
    while place < constraints.count {
      // Two elements of one collection may fulfil together what no single element does.
      guard !constraints[place].path.form.isMany,
        let known = (0..<place).first(where: { constraints[$0].path == constraints[place].path })
      else {
        place += 1
        continue
      }
      // A part whose constraint cannot be joined is still tested.
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

  /// The place of the constraint on a form of the row's own field.
  func place(of field: FieldID, _ form: Index.Form = .value) -> Int? {
    for place in constraints.indices where constraints[place].path.first == field {
      if constraints[place].path.isOwn, constraints[place].path.form == form { return place }
    }
    return nil
  }

  /// The constraints that each require one element or key of a collection. Other ones would find a
  /// row more than once.
  func elements(of part: Index.Part) -> [Constraint] {
    constraints.filter { $0.path.isOwn && $0.path.form == part.form && $0.path.first == part.field && $0.isPoint }
  }

  func constraint(on field: FieldID, _ form: Index.Form = .value) -> Constraint? {
    place(of: field, form).map { constraints[$0] }
  }

  /// Whether no row can fulfil the condition.
  var isImpossible: Bool {
    parts.contains { $0.isConstant(false) } || constraints.contains { $0.bounds.isEmpty }
  }

  /// The parts that need no test in rows that fulfil these constraints.
  func covered(_ kept: PartSet) -> PartSet { kept.intersection(coverable) }

  /// The test that is left for the parts that are not covered, if any.
  func residual(_ covered: PartSet) -> Term? {
    let left = parts.indices.filter { !covered.contains($0) }.map { parts[$0] }
    return left.isEmpty ? nil : Term(.and(left.map(\.expression)), .bool, operands: .many(left))
  }
}
