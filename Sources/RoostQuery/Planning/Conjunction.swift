internal import RoostRecords

/// The parts of a condition that must all be true, and what was read from them.
struct Conjunction {
  let parts: [Term]
  /// By path, everything that is asked of it. A path without stretches can never be fulfilled.
  private(set) var constraints: [Path: Constraint] = [:]
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
        guard let known = constraints[constraint.path] else {
          constraints[constraint.path] = constraint
          continue
        }
        // What cannot be joined is still tested.
        if let both = known.joined(constraint) { constraints[constraint.path] = both } else { isJoined = false }
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

  func constraint(on field: FieldID) -> Constraint? { constraints.first { $0.key.fields == [field] }?.value }

  /// Whether nothing can fulfil it.
  var isImpossible: Bool {
    parts.contains { $0.constant == .bool(false) } || constraints.values.contains { $0.bounds.isEmpty }
  }

  /// The parts that need no test once these constraints are kept.
  func covered(_ kept: Set<Int>) -> Set<Int> { kept.intersection(coverable) }

  /// The test that is left, if any.
  func residual(_ covered: Set<Int>) -> Term? {
    let left = parts.indices.filter { !covered.contains($0) }.map { parts[$0] }
    return left.isEmpty ? nil : Term(.and(left.map(\.expression)), .bool, left)
  }
}
