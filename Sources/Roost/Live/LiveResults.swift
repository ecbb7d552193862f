/// The results at one moment. Later results share the unchanged parts.
public struct LiveResults<Element>: RandomAccessCollection {
  let list: LiveList
  /// The range that a limit and an offset leave.
  private let bounds: Range<Int>
  private let hasSections: Bool

  init(_ list: LiveList, offset: Int = 0, limit: Int? = nil, hasSections: Bool) {
    self.list = list
    let start = Swift.min(offset, list.count)
    bounds = start..<(limit.map { start + Swift.min($0, list.count - start) } ?? list.count)
    self.hasSections = hasSections
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { bounds.count }

  /// The element at a position. A position outside of the results ends the program.
  public subscript(position: Int) -> Element {
    precondition(position >= 0 && position < bounds.count, "the results have no element at this position")
    return list[bounds.lowerBound + position].value(as: Element.self)
  }

  /// The results by title; nil if no section title was requested.
  public var sections: SectionedResults<Element, String>? {
    if !hasSections { return nil }
    let found = titled
    return SectionedResults(self, titles: found.map(\.title), counts: found.map(\.count))
  }

  /// The sections within the bounds.
  var titled: [LiveList.Section] {
    if bounds.count == list.count { return list.sections }
    var (found, start): ([LiveList.Section], Int) = ([], 0)
    for section in list.sections {
      let some = (start..<start + section.count).clamped(to: bounds)
      start += section.count
      if !some.isEmpty { found.append(LiveList.Section(title: section.title, count: some.count)) }
    }
    return found
  }

  var isWhole: Bool { bounds.count == list.count }

  var rows: [UInt64] { bounds.map { list[$0].row } }
}

extension LiveResults: Sendable where Element: Sendable {}

extension LiveResults: Equatable where Element: Equatable {
  public static func == (one: LiveResults, other: LiveResults) -> Bool { one.elementsEqual(other) }
}
