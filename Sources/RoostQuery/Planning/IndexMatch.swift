internal import RoostRecords

/// Looks what an index can do for a condition.
enum IndexMatch {
  /// The most stretches that one use of an index reads.
  static let mostRanges = 1000

  /// The stretches of the index where a condition's rows stand, with their exact count; nil where that is everywhere.
  static func candidate(_ index: IndexReader, _ entity: Entity, _ conjunction: Conjunction) throws -> Candidate? {
    // Most indexes have nothing to say.
    guard !index.index.tests.isEmpty || conjunction.constraint(on: index.index.parts[0].field) != nil,
      admits(index.index, entity, conjunction)
    else { return nil }
    var prefixes: [[UInt8]] = [[]]
    var kept: Set<Int> = []
    var ranges: [KeyRange]?
    var fixedParts = 0
    var isFixed = true
    var isUsed = false
    for part in index.index.parts {
      guard let constraint = conjunction.constraint(on: part.field) else { break }
      guard constraint.bounds.count * prefixes.count <= mostRanges else { break }
      let bounds = constraint.bounds.map { $0.cut(behind: index.index.textBytes, constraint.path.field) }
      isUsed = true
      if bounds.allSatisfy(\.isExact) { kept.formUnion(constraint.conjuncts) }
      guard bounds.allSatisfy(\.isPoint) else {
        // Stretches that were cut may have come to overlap.
        let bounds = PartBound.merged(bounds)
        ranges = prefixes.flatMap { prefix in
          bounds.compactMap { $0.range(behind: prefix, isDescending: part.isDescending) }
        }
        break
      }
      isFixed = isFixed && bounds.count == 1
      if isFixed { fixedParts += 1 }
      prefixes = prefixes.flatMap { prefix in
        bounds.map { prefix + $0.point(isDescending: part.isDescending) }
      }
    }
    if !isUsed, index.index.tests.isEmpty { return nil }
    let all = (ranges ?? prefixes.map { KeyRange(prefix: $0) }).filter { !$0.isEmpty }
      .sorted { $0.low.lexicographicallyPrecedes($1.low) }
    var count = 0
    for range in all { count += try range.count(in: index) }
    return Candidate(
      access: .index(IndexAccess(index: index, ranges: all, fixedParts: fixedParts)), count: count,
      isCountExact: true, cost: Double(all.count) * Cost.seek + Double(count) * Cost.entry,
      covered: conjunction.covered(kept.union(tested(index.index, entity, conjunction))))
  }

  /// Whether every row that the condition admits stands in the index.
  private static func admits(_ index: Index, _ entity: Entity, _ conjunction: Conjunction) -> Bool {
    index.tests.allSatisfy { test in
      guard let field = entity.field(test.field), let constraint = conjunction.constraint(on: field.id) else {
        return false
      }
      switch test {
      case .isNull: return constraint.bounds.allSatisfy { $0 == PartBound(null: field) }
      case .isNotNull: return constraint.bounds.allSatisfy { !$0.admitsNull }
      // Texts that were cut may differ although their keys do not.
      case .equals(_, let value):
        return constraint.bounds.allSatisfy { $0.isExact && $0 == PartBound(.equal, value, field) }
      }
    }
  }

  /// The parts of the condition that the index's own tests answer: those that ask for nothing but what they say.
  private static func tested(_ index: Index, _ entity: Entity, _ conjunction: Conjunction) -> Set<Int> {
    var answered: Set<Int> = []
    for test in index.tests {
      guard let field = entity.field(test.field), let constraint = conjunction.constraint(on: field.id) else {
        continue
      }
      let asked: PartBound? =
        switch test {
        case .isNull: PartBound(null: field)
        case .isNotNull: PartBound(notNull: field)
        case .equals(_, let value): PartBound(.equal, value, field)
        }
      if constraint.isExact, constraint.bounds == [asked] { answered.formUnion(constraint.conjuncts) }
    }
    return answered
  }
}
