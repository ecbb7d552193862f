internal import RoostFile
internal import RoostRecords

/// The ranges of an index that contain the rows of a condition.
struct IndexMatch {
  /// The largest number of ranges that one access to an index reads.
  static let mostRanges = 1000

  private let index: IndexReader
  /// The only range, which is the usual case.
  private var only: KeyRange?
  private var ranges: [KeyRange] = []
  private var fixedParts = 0
  private var fixedPrefix = KeyBytes()
  /// Whether the values of the fixed parts identify a row: none is nil or a truncated text.
  private var isSure = true
  /// The constraint on the element to look up, if the index has elements.
  private let element: Constraint?
  private var isSingle: Bool { index.index.isUnique && isSure && fixedParts == index.index.parts.count }
  /// The parts of the condition that need no test.
  private(set) var covered = PartSet()

  /// Calls `body` with each match of an index: one, or one for each required element.
  @inline(__always)
  static func forEach(
    _ index: IndexReader, _ table: TableReader, conjunction: Conjunction, each body: (IndexMatch) throws -> Void
  ) rethrows {
    guard index.hasElements, let part = index.index.parts.first(where: { $0.form.isMany }) else {
      if let match = IndexMatch(index, table, conjunction: conjunction) { try body(match) }
      return
    }
    for element in conjunction.elements(of: part) {
      if let match = IndexMatch(index, table, conjunction: conjunction, element: element) { try body(match) }
    }
  }

  /// nil if the index does not narrow the rows.
  init?(_ index: IndexReader, _ table: TableReader, conjunction: Conjunction, element: Constraint? = nil) {
    // Most indexes do not fit the condition.
    guard index.isPartial || element != nil || conjunction.place(of: index.firstField, index.firstForm) != nil else {
      return nil
    }
    if index.hasElements, element == nil { return nil }
    let implied = index.isPartial ? Implication(index.index, table.entity, conjunction: conjunction) : nil
    if index.isPartial, implied == nil { return nil }
    self.index = index
    self.element = element
    let own = index.index
    var kept = PartSet()
    // Leading parts with one value each form a common prefix of the keys.
    var prefix = KeyBytes()
    var place = 0
    var isWide = false
    while only == nil, place < own.parts.count,
      let constraint = Self.constraint(on: own.parts[place], conjunction, element: element)
    {
      let bounds = constraint.bounds(cutBehind: own.textBytes)
      guard bounds.count == 1 else {
        isWide = true
        break
      }
      let (bound, isDescending) = (bounds[0], own.parts[place].isDescending)
      if bound.isExact { kept.formUnion(constraint.conjuncts) }
      if bound.isPoint {
        prefix = prefix + bound.point(isDescending: isDescending)
        fixedParts += 1
        if !bound.isExact || constraint.path.field.isOptional && bound.admitsNull { isSure = false }
      } else {
        only = bound.range(behind: prefix, isDescending: isDescending) ?? KeyRange(prefix, prefix)
      }
      place += 1
    }
    if index.hasElements {
      // Only a fixed element ensures that a row is found once.
      guard let part = own.parts.firstIndex(where: { $0.form.isMany }), fixedParts > part else { return nil }
    }
    if only == nil, !isWide || !fan(own, conjunction, prefix: prefix, from: place, kept: &kept) {
      // There is no further constraint, or one with too many values.
      if place == 0, !index.isPartial { return nil }
      only = KeyRange(prefix: prefix)
    }
    fixedPrefix = prefix
    if let range = only, range.isEmpty { only = nil }
    if let implied { kept.formUnion(implied.answered) }
    covered = conjunction.covered(kept)
  }

  private static func constraint(
    on part: Index.Part, _ conjunction: Conjunction, element: Constraint?
  ) -> Constraint? {
    part.form.isMany ? element : conjunction.constraint(on: part.field, part.form)
  }

  /// The ranges after a prefix if the further parts have several values each; false if there are
  /// too many.
  private mutating func fan(
    _ own: Index, _ conjunction: Conjunction, prefix: KeyBytes, from start: Int, kept: inout PartSet
  ) -> Bool {
    var prefixes = [prefix]
    var found: [KeyRange]?
    var place = start
    while found == nil, place < own.parts.count,
      let constraint = Self.constraint(on: own.parts[place], conjunction, element: element)
    {
      let isDescending = own.parts[place].isDescending
      let bounds = constraint.bounds(cutBehind: own.textBytes)
      guard bounds.count * prefixes.count <= Self.mostRanges else { break }
      if bounds.allSatisfy(\.isExact) { kept.formUnion(constraint.conjuncts) }
      if bounds.allSatisfy(\.isPoint) {
        prefixes = prefixes.flatMap { prefix in bounds.map { prefix + $0.point(isDescending: isDescending) } }
      } else {
        // Truncated ranges may overlap.
        let bounds = PartBound.merged(bounds)
        found = prefixes.flatMap { prefix in
          bounds.compactMap { $0.range(behind: prefix, isDescending: isDescending) }
        }
      }
      place += 1
    }
    if place == start { return false }
    ranges = (found ?? prefixes.map { KeyRange(prefix: $0) }).filter { !$0.isEmpty }.sorted { $0.low < $1.low }
    return true
  }

  /// The exact number of entries in the ranges.
  func count() throws -> Int {
    if let only { return try only.count(in: index) }
    var count = 0
    for range in ranges { count += try range.count(in: index) }
    return count
  }

  /// The access to at most one row, if the index is unique and each of its parts has one value that
  /// is not nil; nil if there may be several rows.
  func single() throws -> Candidate? {
    guard isSingle, let only else { return nil }
    let row = try only.low.withBytes { (key) throws(StoreError) in try index.row(key) }
    return Candidate(
      access: .single(row, index), count: row == nil ? 0 : 1, isCountExact: true, cost: Cost.seek, covered: covered)
  }

  func candidate() throws -> Candidate {
    let count = try count()
    let ranges = only.map { [$0] } ?? ranges
    return Candidate(
      access: .index(IndexAccess(index: index, ranges: ranges, fixedParts: fixedParts, fixedPrefix: fixedPrefix)),
      count: count,
      isCountExact: true, cost: Double(ranges.count) * Cost.seek + Double(count) * Cost.entry, covered: covered)
  }
}
