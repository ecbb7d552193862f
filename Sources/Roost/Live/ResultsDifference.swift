/// The difference between two results: deletions, insertions, moves and updates.
///
/// Deletions, and the sources of moves, are positions in the former results; all others are
/// positions in the new results. To apply it, remove the elements at the deletions and at the
/// sources of moves, from the last to the first. Then insert those at the insertions and at the
/// targets of moves, from the first to the last. Then replace those at the updates.
public struct ResultsDifference: Hashable, Sendable {
  /// An element whose position changed.
  public struct Move: Hashable, Sendable {
    /// The position in the former results.
    public var from: Int
    /// The position in the new results.
    public var to: Int

    /// Makes a move from a former position to a new one.
    public init(from: Int, to: Int) { (self.from, self.to) = (from, to) }
  }

  /// Former positions of removed elements, ascending.
  public internal(set) var deletions: [Int] = []
  /// New positions of inserted elements, ascending.
  public internal(set) var insertions: [Int] = []
  /// The moves, in the order of their targets. An element that moved may have other values too.
  public internal(set) var moves: [Move] = []
  /// New positions of changed elements, ascending. A write may have set the same values again.
  public internal(set) var updates: [Int] = []
  /// Indexes of former sections that were removed, ascending.
  public internal(set) var sectionDeletions: [Int] = []
  /// Indexes of new sections that were added, ascending.
  public internal(set) var sectionInsertions: [Int] = []

  /// Makes a difference with only the given parts.
  public init(deletions: [Int] = [], insertions: [Int] = [], moves: [Move] = [], updates: [Int] = []) {
    (self.deletions, self.insertions, self.moves, self.updates) = (deletions, insertions, moves, updates)
  }

  /// Whether the results are the same.
  public var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty && sectionDeletions.isEmpty
      && sectionInsertions.isEmpty
  }

  /// Changes the former results into the new ones. `element` returns the element at a position of
  /// the new results.
  public func apply<Element>(to results: inout [Element], _ element: (Int) throws -> Element) rethrows {
    for position in (deletions + moves.map(\.from)).sorted(by: >) { results.remove(at: position) }
    for position in (insertions + moves.map(\.to)).sorted() { results.insert(try element(position), at: position) }
    for position in updates { results[position] = try element(position) }
  }
}

extension ResultsDifference {
  /// An element that was changed, and is in both results.
  struct Touched {
    var from: Int
    var to: Int
    /// Whether its position among the others may have changed.
    var hasOtherKey: Bool
  }

  /// - Parameter touched: the changed elements that are in both results.
  init(deletions: [Int], insertions: [Int], touched: [Touched]) {
    self.deletions = deletions.sorted()
    self.insertions = insertions.sorted()
    let (moving, staying) = Self.split(touched, deletions: self.deletions, insertions: self.insertions)
    moves = moving.map { Move(from: $0.from, to: $0.to) }.sorted { $0.to < $1.to }
    updates = staying.map(\.to).sorted()
  }

  /// Finds the elements that move, if all untouched elements stay.
  private static func split(
    _ touched: [Touched], deletions: [Int], insertions: [Int]
  ) -> (moving: [Touched], staying: [Touched]) {
    if !touched.contains(where: \.hasOtherKey) { return ([], touched) }
    // The number of untouched elements before an element says in which gap between them it is.
    let gone = (deletions + touched.lazy.filter(\.hasOtherKey).map(\.from)).sorted()
    let come = (insertions + touched.lazy.filter(\.hasOtherKey).map(\.to)).sorted()
    var (moving, staying): ([Touched], [Touched]) = ([], [])
    var candidates: [(gap: Int, element: Touched)] = []
    for element in touched {
      if !element.hasOtherKey {
        staying.append(element)
        continue
      }
      let gap = element.to - Self.count(come, before: element.to)
      if element.from - Self.count(gone, before: element.from) == gap {
        candidates.append((gap, element))
      } else {
        moving.append(element)
      }
    }
    // Within a gap, elements stay that have the same order before and after.
    candidates.sort { ($0.gap, $0.element.to) < ($1.gap, $1.element.to) }
    var start = 0
    while start < candidates.count {
      var end = start
      while end < candidates.count, candidates[end].gap == candidates[start].gap { end += 1 }
      let group = candidates[start..<end].map(\.element)
      let kept = Set(Self.ascending(group.map(\.from)))
      for (number, element) in group.enumerated() {
        if kept.contains(number) { staying.append(element) } else { moving.append(element) }
      }
      start = end
    }
    return (moving, staying)
  }

  private static func count(_ sorted: [Int], before position: Int) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < position { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Finds the indexes of a longest ascending sequence.
  private static func ascending(_ numbers: [Int]) -> [Int] {
    // For each length, the index of the least number that ends such a sequence.
    var ends: [Int] = []
    var before = Array(repeating: -1, count: numbers.count)
    for (place, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[place] = ends[low - 1] }
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var (found, next): ([Int], Int) = ([], ends.last ?? -1)
    while next >= 0 {
      found.append(next)
      next = before[next]
    }
    return found.reversed()
  }

  /// Compares all rows.
  ///
  /// - Parameter isChanged: whether a row was written.
  init(from before: [UInt64], to after: [UInt64], isChanged: (UInt64) -> Bool) {
    let places = Dictionary(zip(before, 0...)) { first, _ in first }
    let known = Set(after)
    var common: [(from: Int, to: Int)] = []
    for (to, row) in after.enumerated() {
      if let from = places[row] { common.append((from, to)) } else { insertions.append(to) }
    }
    for (from, row) in before.enumerated() where !known.contains(row) { deletions.append(from) }
    let kept = Set(Self.ascending(common.map(\.from)))
    for (number, one) in common.enumerated() {
      if !kept.contains(number) {
        moves.append(Move(from: one.from, to: one.to))
      } else if isChanged(after[one.to]) {
        updates.append(one.to)
      }
    }
  }

  mutating func noteSections(from before: [String], to after: [String]) {
    if before == after { return }
    let (old, new) = (Set(before), Set(after))
    sectionDeletions = before.indices.filter { !new.contains(before[$0]) }
    sectionInsertions = after.indices.filter { !old.contains(after[$0]) }
  }
}
