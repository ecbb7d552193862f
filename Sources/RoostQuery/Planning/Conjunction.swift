internal import RoostRecords

/// The parts of a condition that must all be true, and what was read from them.
struct Conjunction {
  let parts: [Term]
  /// One for each path, with everything that is asked of it. A path without stretches can never be fulfilled.
  private(set) var constraints: [Constraint] = []
  /// The parts that are nothing but their one constraint.
  private(set) var coverable: Set<Int> = []

  init(_ condition: Term?) {
    var parts: [Term] = []
    if let condition { Self.flatten(condition, &parts) }
    self.parts = parts
    var finder = ConstraintFinder()
    for (number, part) in parts.enumerated() {
      let (found, isWhole) = finder.constraints(part, number)
      var isJoined = true
      for constraint in found {
        guard let place = constraints.firstIndex(where: { $0.path == constraint.path }) else {
          constraints.append(constraint)
          continue
        }
        // What cannot be joined is still tested.
        if let both = constraints[place].joined(constraint) { constraints[place] = both } else { isJoined = false }
      }
      if isWhole, isJoined, found.count == 1, found[0].isExact { coverable.insert(number) }
    }
  }

  private static func flatten(_ term: Term, _ parts: inout [Term]) {
    if case .and = term.expression {
      for part in term.operands { flatten(part, &parts) }
    } else if term.constant != .bool(true) {
      parts.append(term)
    }
  }

  func constraint(on field: FieldID) -> Constraint? { constraints.first { $0.path.isOwn && $0.path.first == field } }

  /// Whether nothing can fulfil it.
  var isImpossible: Bool {
    parts.contains { $0.constant == .bool(false) } || constraints.contains { $0.bounds.isEmpty }
  }

  /// The parts that need no test once these constraints are kept.
  func covered(_ kept: Set<Int>) -> Set<Int> { kept.intersection(coverable) }

  /// The test that is left, if any.
  func residual(_ covered: Set<Int>) -> Term? {
    let left = parts.indices.filter { !covered.contains($0) }.map { parts[$0] }
    return left.isEmpty ? nil : Term(.and(left.map(\.expression)), .bool, left)
  }
}
