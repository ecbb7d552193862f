/// What became of results: what went, what came, what moved, and what has other values.
///
/// Deletions, and the sources of moves, are positions in the results before; all others are positions in the results after. To go from one to the
/// other, remove the elements at the deletions and at the sources of moves, from the last to the first. Then insert those at the insertions and
/// at the targets of moves, from the first to the last. Then replace those at the updates.
public struct ResultsDifference: Hashable, Sendable {
  /// An element that is at another position now.
  public struct Move: Hashable, Sendable {
    /// The position in the results before.
    public var from: Int
    /// The position in the results after.
    public var to: Int

    /// Makes a move from a position before to a position after.
    public init(from: Int, to: Int) { (self.from, self.to) = (from, to) }
  }

  /// Positions before, ascending.
  public internal(set) var deletions: [Int] = []
  /// Positions after, ascending.
  public internal(set) var insertions: [Int] = []
  /// In the order of their targets. An element that moved may have other values too.
  public internal(set) var moves: [Move] = []
  /// Positions after, ascending. Something was written to these elements, perhaps the same as before.
  public internal(set) var updates: [Int] = []
  /// Numbers of sections before that went, ascending.
  public internal(set) var sectionDeletions: [Int] = []
  /// Numbers of sections after that came, ascending.
  public internal(set) var sectionInsertions: [Int] = []

  /// No difference, but for what is given.
  public init(deletions: [Int] = [], insertions: [Int] = [], moves: [Move] = [], updates: [Int] = []) {
    (self.deletions, self.insertions, self.moves, self.updates) = (deletions, insertions, moves, updates)
  }

  /// Whether nothing changed.
  public var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty && sectionDeletions.isEmpty
      && sectionInsertions.isEmpty
  }

  /// Turns the former results into those of now. `element` gives the element at a position of the results of now.
  public func apply<Element>(to results: inout [Element], _ element: (Int) throws -> Element) rethrows {
    for position in (deletions + moves.map(\.from)).sorted(by: >) { results.remove(at: position) }
    for position in (insertions + moves.map(\.to)).sorted() { results.insert(try element(position), at: position) }
    for position in updates { results[position] = try element(position) }
  }
}

extension ResultsDifference {
  /// An element that something happened to, and is there before and after.
  struct Touched {
    var from: Int
    var to: Int
    /// Whether it may have another place among the others.
    var hasOtherKey: Bool
  }

  /// - Parameter touched: those that are there before and after.
  init(deletions: [Int], insertions: [Int], touched: [Touched]) {
    self.deletions = deletions.sorted()
    self.insertions = insertions.sorted()
    let (moving, staying) = Self.split(touched, deletions: self.deletions, insertions: self.insertions)
    moves = moving.map { Move(from: $0.from, to: $0.to) }.sorted { $0.to < $1.to }
    updates = staying.map(\.to).sorted()
  }

  /// Which of the elements change their place, if those that nothing happened to keep theirs.
  private static func split(
    _ touched: [Touched], deletions: [Int], insertions: [Int]
  ) -> (moving: [Touched], staying: [Touched]) {
    if !touched.contains(where: \.hasOtherKey) { return ([], touched) }
    // How many stand before that nothing happened to says in which gap between them an element is.
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
    // Within a gap those stay that have the same order before and after.
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

  /// The places of numbers that form a longest ascending sequence.
  private static func ascending(_ numbers: [Int]) -> [Int] {
    // By length, the place of the least number with which such a sequence ends.
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
  /// - Parameter isChanged: whether something was written to a row.
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
