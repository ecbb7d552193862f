/// A part of a list: entries, or smaller parts.
///
/// Lists share parts. Only a part's only owner may change it: ``own(_:)`` copies a shared one.
///
/// Unchecked, because a shared part is not changed.
final class LivePart: @unchecked Sendable {
  /// The entries of a part at the lowest level.
  private(set) var entries: [LiveEntry] = []
  /// The parts of a part at a higher level. All have the same number of levels, and none is empty.
  private(set) var parts: [LivePart] = []
  /// The end position of each part.
  private var ends: [Int] = []

  /// A change copies one part of each level, and retains a reference for everything in it. So parts
  /// are small.
  private static var most: Int { 32 }

  init(_ entries: [LiveEntry] = []) { self.entries = entries }

  private init(_ parts: [LivePart]) {
    self.parts = parts
    measure(from: 0)
  }

  private init(copying other: LivePart) { (entries, parts, ends) = (other.entries, other.parts, other.ends) }

  /// Makes a part with many entries, with as many levels as it needs.
  static func all(_ entries: [LiveEntry]) -> LivePart {
    // Some room is left, so that the first insertion does not split each part.
    let size = most * 3 / 4
    if entries.count <= size { return LivePart(entries) }
    var level = pieces(entries, size).map { LivePart($0) }
    while level.count > 1 { level = pieces(level, size).map { LivePart($0) } }
    return level[0]
  }

  private static func pieces<Element>(_ all: [Element], _ size: Int) -> [[Element]] {
    stride(from: 0, to: all.count, by: size).map { Array(all[$0..<min($0 + size, all.count)]) }
  }

  /// Makes the caller the only owner of a part.
  static func own(_ part: inout LivePart) {
    if !isKnownUniquelyReferenced(&part) { part = LivePart(copying: part) }
  }

  // MARK: Finding

  var count: Int { ends.last ?? entries.count }

  var last: LiveEntry? {
    var part = self
    while let next = part.parts.last { part = next }
    return part.entries.last
  }

  subscript(position: Int) -> LiveEntry {
    var (part, position) = (self, position)
    while !part.parts.isEmpty {
      let (number, start) = part.place(of: position)
      (part, position) = (part.parts[number], position - start)
    }
    return part.entries[position]
  }

  /// Returns the part that contains a position, and its start.
  private func place(of position: Int) -> (number: Int, start: Int) {
    let number = Self.first(ends.count) { ends[$0] > position }
    return (number, number == 0 ? 0 : ends[number - 1])
  }

  /// Finds the first entry that fulfils a condition. The condition must be true for all entries
  /// after it.
  func position(where isReached: (LiveEntry) -> Bool) -> Int {
    var (part, start) = (self, 0)
    while !part.parts.isEmpty {
      let number = Self.first(part.parts.count) { part.parts[$0].last.map(isReached) ?? true }
      if number == part.parts.count { return start + part.count }
      if number > 0 { start += part.ends[number - 1] }
      part = part.parts[number]
    }
    return start + Self.first(part.entries.count) { isReached(part.entries[$0]) }
  }

  private static func first(_ count: Int, _ isReached: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isReached(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  // MARK: Changing

  /// Inserts an entry. If the part splits, this returns the second half.
  func insert(_ entry: LiveEntry, at position: Int) -> LivePart? {
    if parts.isEmpty {
      entries.insert(entry, at: position)
      if entries.count <= Self.most { return nil }
      let half = entries.count / 2
      defer { entries.removeSubrange(half...) }
      return LivePart(Array(entries[half...]))
    }
    // At the boundary, the entry goes to the end of the first part, not to the beginning of the
    // next one.
    let (number, start) = position == 0 ? (0, 0) : place(of: position - 1)
    Self.own(&parts[number])
    guard let second = parts[number].insert(entry, at: position - start) else {
      for later in number..<ends.count { ends[later] += 1 }
      return nil
    }
    parts.insert(second, at: number + 1)
    defer { measure(from: min(number, parts.count)) }
    if parts.count <= Self.most { return nil }
    let half = parts.count / 2
    defer { parts.removeSubrange(half...) }
    return LivePart(Array(parts[half...]))
  }

  /// Adds a level over two parts.
  static func join(_ first: LivePart, _ second: LivePart) -> LivePart { LivePart([first, second]) }

  func remove(at position: Int) -> LiveEntry {
    if parts.isEmpty { return entries.remove(at: position) }
    let (number, start) = place(of: position)
    Self.own(&parts[number])
    let entry = parts[number].remove(at: position - start)
    for later in number..<ends.count { ends[later] -= 1 }
    if parts[number].count == 0 {
      parts.remove(at: number)
      ends.remove(at: number)
    }
    return entry
  }

  func replace(_ entry: LiveEntry, at position: Int) {
    if parts.isEmpty {
      entries[position] = entry
      return
    }
    let (number, start) = place(of: position)
    Self.own(&parts[number])
    parts[number].replace(entry, at: position - start)
  }

  private func measure(from number: Int) {
    ends.removeSubrange(min(number, ends.count)...)
    for part in parts[number...] { ends.append((ends.last ?? 0) + part.count) }
  }
}
