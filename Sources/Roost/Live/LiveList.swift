/// Results in their order, in pieces of about a hundred.
///
/// A copy shares the pieces: a change copies the list of pieces and the one that it changes. An element is found by the bytes that it is sorted by,
/// or by its position.
struct LiveList: Sendable {
  /// Neighbours with the same title.
  struct Section: Hashable, Sendable {
    var title: String
    var count: Int
  }

  private var pieces: [[LiveEntry]] = []
  /// The position of the first entry of each piece.
  private var starts: [Int] = []
  private(set) var count = 0
  /// Empty if the results are not divided into sections.
  private(set) var sections: [Section] = []

  private static var most: Int { 128 }

  init() {}

  /// - Parameter titles: one for each entry; none where the list has no sections.
  init(_ entries: [LiveEntry], titles: [String] = []) {
    let half = Self.most / 2
    pieces = stride(from: 0, to: entries.count, by: half).map { start in
      Array(entries[start..<min(start + half, entries.count)])
    }
    count = entries.count
    findStarts(from: 0)
    for title in titles {
      if sections.last?.title == title {
        sections[sections.count - 1].count += 1
      } else {
        sections.append(Section(title: title, count: 1))
      }
    }
  }

  var last: LiveEntry? { pieces.last?.last }

  subscript(position: Int) -> LiveEntry {
    let piece = piece(of: position)
    return pieces[piece][position - starts[piece]]
  }

  /// The number of the piece that has a position, or whose end it is.
  private func piece(of position: Int) -> Int {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= position { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
  }

  private mutating func findStarts(from piece: Int) {
    starts.removeSubrange(min(piece, starts.count)...)
    var next = piece == 0 ? 0 : starts[piece - 1] + pieces[piece - 1].count
    for piece in pieces[piece...] {
      starts.append(next)
      next += piece.count
    }
  }

  // MARK: By key

  /// Where an entry with this key is, or would be.
  func position(_ key: [UInt8]) -> Int {
    var (low, high) = (0, pieces.count)
    while low < high {
      let middle = (low + high) / 2
      if Self.precedes(pieces[middle][pieces[middle].count - 1].key, key) { low = middle + 1 } else { high = middle }
    }
    if low == pieces.count { return count }
    let piece = low
    (low, high) = (0, pieces[piece].count)
    while low < high {
      let middle = (low + high) / 2
      if Self.precedes(pieces[piece][middle].key, key) { low = middle + 1 } else { high = middle }
    }
    return starts[piece] + low
  }

  static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.withUnsafeBytes { one in
      other.withUnsafeBytes { other in
        let common = min(one.count, other.count)
        for at in 0..<common where one[at] != other[at] { return one[at] < other[at] }
        return one.count < other.count
      }
    }
  }

  // MARK: Changing

  mutating func insert(_ entry: LiveEntry, at position: Int, title: String? = nil) {
    if let title { addTitle(title, at: position) }
    count += 1
    if pieces.isEmpty {
      pieces = [[entry]]
      return findStarts(from: 0)
    }
    let piece = piece(of: position)
    pieces[piece].insert(entry, at: position - starts[piece])
    if pieces[piece].count > Self.most {
      let half = pieces[piece].count / 2
      pieces.insert(Array(pieces[piece][half...]), at: piece + 1)
      pieces[piece].removeSubrange(half...)
    }
    findStarts(from: piece)
  }

  @discardableResult
  mutating func remove(at position: Int) -> LiveEntry {
    if !sections.isEmpty { removeTitle(at: position) }
    count -= 1
    let piece = piece(of: position)
    let entry = pieces[piece].remove(at: position - starts[piece])
    if pieces[piece].isEmpty { pieces.remove(at: piece) }
    findStarts(from: min(piece, pieces.count))
    return entry
  }

  mutating func replace(_ entry: LiveEntry, at position: Int) {
    let piece = piece(of: position)
    pieces[piece][position - starts[piece]] = entry
  }

  // MARK: Sections

  private mutating func addTitle(_ title: String, at position: Int) {
    var start = 0
    for number in sections.indices {
      let end = start + sections[number].count
      if position <= end, sections[number].title == title {
        sections[number].count += 1
        return
      }
      if position == start { return sections.insert(Section(title: title, count: 1), at: number) }
      if position < end {
        // Its neighbours have one title, so the order does not go by titles. Each part of the section is one then.
        let rest = Section(title: sections[number].title, count: end - position)
        sections[number].count = position - start
        return sections.insert(contentsOf: [Section(title: title, count: 1), rest], at: number + 1)
      }
      // The next one, which begins at the end of this one, may have the title.
      if position == end, number + 1 == sections.count || sections[number + 1].title != title {
        return sections.insert(Section(title: title, count: 1), at: number + 1)
      }
      start = end
    }
    sections.append(Section(title: title, count: 1))
  }

  private mutating func removeTitle(at position: Int) {
    var start = 0
    for number in sections.indices {
      start += sections[number].count
      if position >= start { continue }
      sections[number].count -= 1
      if sections[number].count == 0 { sections.remove(at: number) }
      return
    }
  }
}

/// One result.
///
/// An object, because a piece is copied when a list is changed that shares it: that counts one reference for each entry. The list does not know
/// the type of the values, so that the compiler can specialise it.
///
/// Unchecked because the fields never change; ``LiveResults`` is sendable if its values are.
class LiveEntry: @unchecked Sendable {
  /// What it is sorted by; empty where the order is not known by bytes.
  final let key: [UInt8]
  final let row: UInt64

  fileprivate init(key: [UInt8], row: UInt64) { (self.key, self.row) = (key, row) }

  /// The value, which must be of this type.
  final func value<Value>(as type: Value.Type) -> Value { unsafeDowncast(self, to: LiveValue<Value>.self).value }
}

/// A result with its value.
final class LiveValue<Value>: LiveEntry, @unchecked Sendable {
  let value: Value

  init(_ value: Value, key: [UInt8] = [], row: UInt64) {
    self.value = value
    super.init(key: key, row: row)
  }
}
