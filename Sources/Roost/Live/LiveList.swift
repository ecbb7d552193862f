/// Results in their order. A copy shares the parts that a change does not touch: see ``LivePart``.
///
/// An element is found by its sort key as bytes, or by its position.
struct LiveList: Sendable {
  /// Consecutive results with the same title.
  struct Section: Hashable, Sendable {
    var title: String
    var count: Int
  }

  private var root: LivePart
  /// Empty if the results are not divided into sections.
  private(set) var sections: [Section] = []

  /// - Parameter titles: one for each entry; none if the list has no sections.
  init(_ entries: [LiveEntry] = [], titles: [String] = []) {
    root = LivePart.all(entries)
    for title in titles {
      if sections.last?.title == title {
        sections[sections.count - 1].count += 1
      } else {
        sections.append(Section(title: title, count: 1))
      }
    }
  }

  var count: Int { root.count }
  var last: LiveEntry? { root.last }

  subscript(position: Int) -> LiveEntry { root[position] }

  /// Returns the position of an entry with this key, or the position where it would be inserted.
  func position(_ key: [UInt8]) -> Int { root.position { !Self.precedes($0.key, key) } }

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
    LivePart.own(&root)
    if let second = root.insert(entry, at: position) { root = LivePart.join(root, second) }
  }

  @discardableResult
  mutating func remove(at position: Int) -> LiveEntry {
    if !sections.isEmpty { removeTitle(at: position) }
    LivePart.own(&root)
    let entry = root.remove(at: position)
    while root.parts.count == 1 { root = root.parts[0] }
    return entry
  }

  mutating func replace(_ entry: LiveEntry, at position: Int) {
    LivePart.own(&root)
    root.replace(entry, at: position)
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
        // Its neighbours have one title, so the order does not follow the titles. The section is
        // divided into two.
        let rest = Section(title: sections[number].title, count: end - position)
        sections[number].count = position - start
        return sections.insert(contentsOf: [Section(title: title, count: 1), rest], at: number + 1)
      }
      // The next section, which begins at the end of this one, may have the title.
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
/// A class, because a list's part is copied when another list shares it: that retains one reference
/// for each entry. The list does not know the type of the values, so that the compiler can
/// specialise it.
///
/// Unchecked because the fields never change; ``LiveResults`` is sendable if its values are.
class LiveEntry: @unchecked Sendable {
  /// The sort key; empty if the order is not known as bytes.
  final let key: [UInt8]
  final let row: UInt64

  fileprivate init(key: [UInt8], row: UInt64) { (self.key, self.row) = (key, row) }

  /// Returns the value, which must be of this type.
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
