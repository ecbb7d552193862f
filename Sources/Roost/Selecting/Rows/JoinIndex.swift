/// Finds the matching rows of the other side of a join. ``MergeJoin`` is the other way.
///
/// | Keys | How |
/// |---|---|
/// | at least one key with `equal` | a table of the equal values; the other keys are tested |
/// | a range | the rows sorted by that key; two ranges of one key path are one range; the other keys are tested |
/// | no order | each row with each row |
struct JoinIndex<Model: PersistentModel> {
  private let side: JoinSide<Model>
  /// The keys of each row; nil matches nothing.
  private let rows: [[AnyHashable]?]
  /// The indexes of the keys with `equal`.
  private let equal: [Int]
  private var table: [[AnyHashable]: [Int]] = [:]
  /// The indexes of the keys that are a range of the sorted key path.
  private var ranges: [Int] = []
  /// The positions of rows, sorted by the first of `ranges`.
  private var sorted: [Int] = []
  private var tested = 0

  let joining: FetchExplanation.Joining

  /// More comparisons than this are probably a mistake.
  static var mostTests: Int { 100_000_000 }

  init(_ side: JoinSide<Model>, _ rows: [[AnyHashable]?]) {
    (self.side, self.rows) = (side, rows)
    equal = side.keys.indices.filter { side.keys[$0].comparison == .equal }
    let first = side.keys.firstIndex { $0.comparison.isRange }
    if !equal.isEmpty {
      joining = .table
      for (place, keys) in rows.enumerated() {
        if let keys { table[equal.map { keys[$0] }, default: []].append(place) }
      }
    } else if let first, let precedes = side.keys[first].test.precedes {
      joining = .sorted
      let path = side.keys[first].otherPath
      ranges = side.keys.indices.filter { side.keys[$0].comparison.isRange && side.keys[$0].otherPath == path }
      // NaN is in no range, and has no position in the order.
      let ordered = rows.enumerated().compactMap { place, keys in
        keys.flatMap { $0[first] == $0[first] ? (place: place, key: $0[first]) : nil }
      }
      sorted = ordered.sorted { one, other in
        if precedes(one.key, other.key) { return true }
        return !precedes(other.key, one.key) && one.place < other.place
      }.map(\.place)
    } else {
      joining = .loop
      sorted = Array(rows.indices)
    }
  }

  /// Calls a closure with the positions of the matching rows, in any order, until it returns false.
  mutating func forEach(_ own: [AnyHashable], _ body: (Int) throws -> Bool) throws {
    let candidates = joining == .table ? (table[equal.map { own[$0] }] ?? [])[...] : stretch(own)
    let others = side.keys.indices.filter { number in
      switch side.keys[number].comparison {
      case .all: false
      case .equal: joining != .table
      default: !ranges.contains(number)
      }
    }
    if others.isEmpty {
      for place in candidates where rows[place] != nil { if try !body(place) { return } }
      return
    }
    for place in candidates {
      guard let keys = rows[place] else { continue }
      tested += 1
      if tested > Self.mostTests {
        throw RoostError(
          .badValue,
          "the join compares more than \(Self.mostTests) pairs: add a key that is equal or a range, or a predicate of one side"
        )
      }
      if others.allSatisfy({ side.keys[$0].test.holds(own[$0], keys[$0]) }), try !body(place) { return }
    }
  }

  /// Returns the sorted rows that are in all ranges; without ranges all rows.
  private func stretch(_ own: [AnyHashable]) -> ArraySlice<Int> {
    var (low, high) = (0, sorted.count)
    for number in ranges {
      let key = side.keys[number]
      func holds(_ place: Int) -> Bool { key.test.holds(own[number], rows[sorted[place]]?[number] ?? own[number]) }
      switch key.comparison {
      case .less, .lessOrEqual: low = max(low, Self.first(in: sorted.count) { holds($0) })
      default: high = min(high, Self.first(in: sorted.count) { !holds($0) })
      }
    }
    return low < high ? sorted[low..<high] : []
  }

  /// Returns the first position at which a test is true. It must be true at all later positions.
  private static func first(in count: Int, _ test: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if test(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
