internal import RoostRecords

/// What an index can do for a condition: the stretches where the condition's rows stand.
struct IndexMatch {
  /// The most stretches that one use of an index reads.
  static let mostRanges = 1000

  private let index: IndexReader
  private let ranges: [KeyRange]
  private let fixedParts: Int
  /// The parts of the condition that need no test behind it.
  let covered: PartSet

  /// nil where the rows may stand everywhere.
  init?(_ index: IndexReader, _ table: TableReader, _ conjunction: Conjunction) {
    // Most indexes have nothing to say.
    guard index.isPartial || conjunction.place(of: index.firstField) != nil else { return nil }
    if index.isPartial, !Self.admits(index.index, table.entity, conjunction) { return nil }
    let own = index.index
    var prefixes: [KeyBytes] = []
    var kept = PartSet()
    var ranges: [KeyRange]?
    var fixedParts = 0
    var isFixed = true
    var isUsed = false
    for place in own.parts.indices {
      let part = own.parts[place]
      guard let found = conjunction.place(of: part.field) else { break }
      let bounds = conjunction.constraints[found].bounds(cutBehind: own.textBytes)
      guard bounds.count * max(prefixes.count, 1) <= Self.mostRanges else { break }
      isUsed = true
      if bounds.allSatisfy(\.isExact) { kept.formUnion(conjunction.constraints[found].conjuncts) }
      guard bounds.allSatisfy(\.isPoint) else {
        // Stretches that were cut may have come to overlap.
        let bounds = PartBound.merged(bounds)
        ranges = (place == 0 ? [KeyBytes()] : prefixes).flatMap { prefix in
          bounds.compactMap { $0.range(behind: prefix, isDescending: part.isDescending) }
        }
        break
      }
      isFixed = isFixed && bounds.count == 1
      if isFixed { fixedParts += 1 }
      if place == 0 {
        prefixes = bounds.map { $0.point(isDescending: part.isDescending) }
      } else {
        prefixes = prefixes.flatMap { prefix in bounds.map { prefix + $0.point(isDescending: part.isDescending) } }
      }
      // No row has any of no values.
      if prefixes.isEmpty { break }
    }
    if !isUsed {
      if !index.isPartial { return nil }
      ranges = [KeyRange()]
    }
    self.index = index
    self.fixedParts = fixedParts
    self.ranges = Self.ordered(ranges ?? prefixes.map { KeyRange(prefix: $0) })
    if index.isPartial { kept.formUnion(Self.tested(own, table.entity, conjunction)) }
    covered = conjunction.covered(kept)
  }

  private static func ordered(_ ranges: [KeyRange]) -> [KeyRange] {
    if ranges.count == 1, !ranges[0].isEmpty { return ranges }
    return ranges.filter { !$0.isEmpty }.sorted { $0.low < $1.low }
  }

  /// How many entries stand there, exactly.
  func count() throws -> Int {
    var count = 0
    for range in ranges { count += try range.count(in: index) }
    return count
  }

  func candidate() throws -> Candidate {
    let count = try count()
    return Candidate(
      access: .index(IndexAccess(index: index, ranges: ranges, fixedParts: fixedParts)), count: count,
      isCountExact: true, cost: Double(ranges.count) * Cost.seek + Double(count) * Cost.entry, covered: covered)
  }

  /// Whether every row that the condition admits stands in the index.
  private static func admits(_ index: Index, _ entity: Entity, _ conjunction: Conjunction) -> Bool {
    index.tests.allSatisfy { test in
      guard let field = entity.field(test.field), let constraint = conjunction.constraint(on: field.id) else {
        return false
      }
      switch test {
      case .isNull: return constraint.bounds.allSatisfy { $0 == PartBound(null: KeyField(field)) }
      case .isNotNull: return constraint.bounds.allSatisfy { !$0.admitsNull }
      // Texts that were cut may differ although their keys do not.
      case .equals(_, let value):
        return constraint.bounds.allSatisfy { $0.isExact && $0 == PartBound(.equal, value, KeyField(field)) }
      }
    }
  }

  /// The parts of the condition that the index's own tests answer: those that ask for nothing but what they say.
  private static func tested(_ index: Index, _ entity: Entity, _ conjunction: Conjunction) -> PartSet {
    var answered = PartSet()
    for test in index.tests {
      guard let field = entity.field(test.field), let constraint = conjunction.constraint(on: field.id) else {
        continue
      }
      let asked: PartBound? =
        switch test {
        case .isNull: PartBound(null: KeyField(field))
        case .isNotNull: PartBound(notNull: KeyField(field))
        case .equals(_, let value): PartBound(.equal, value, KeyField(field))
        }
      if constraint.isExact, constraint.bounds == [asked] { answered.formUnion(constraint.conjuncts) }
    }
    return answered
  }
}
