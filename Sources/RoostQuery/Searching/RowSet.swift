internal import RoostRecords

/// A set of rows, such as those in ranges of an index or those that a full text search finds.
///
/// Row numbers are assigned in order, so they lie close together: a page is a bit field of 4,096
/// numbers. If the pages lie close together too, an array finds them, otherwise a hash table.
struct RowSet {
  private static let words = 64
  private static let none = -1

  private var pages: [UInt64: Int] = [:]
  private var bits: [UInt64] = []
  /// Where each page from `first` on begins, if there are not too many pages.
  private var starts: [Int] = []
  private var first: UInt64 = 0

  /// The page of the last inserted row, and where the page begins.
  private var last: (page: UInt64, start: Int) = (.max, 0)

  /// An empty set. Call ``settle()`` after the last insertion.
  init() {}

  mutating func insert(_ row: RowID) {
    if row.number &>> 12 != last.page { last = (row.number &>> 12, begin(row.number &>> 12)) }
    bits[last.start + Int(truncatingIfNeeded: row.number &>> 6 & 63)] |= 1 &<< (row.number & 63)
  }

  private mutating func begin(_ page: UInt64) -> Int {
    if let known = pages[page] { return known }
    let start = bits.count
    pages[page] = start
    bits.append(contentsOf: repeatElement(0, count: Self.words))
    return start
  }

  /// Prepares the set for lookups.
  mutating func settle() {
    guard let least = pages.keys.min(), let last = pages.keys.max(), last - least < 1024 + 8 * UInt64(pages.count)
    else {
      return
    }
    first = least
    starts = Array(repeating: Self.none, count: Int(last - least) + 1)
    for (page, start) in pages { starts[Int(page - least)] = start }
  }

  func contains(_ row: RowID) -> Bool {
    let page = row.number &>> 12
    let start: Int
    if starts.isEmpty {
      guard let known = pages[page] else { return false }
      start = known
    } else {
      // A page before the first becomes a large number.
      let place = page &- first
      guard place < starts.count else { return false }
      start = starts[Int(truncatingIfNeeded: place)]
      if start == Self.none { return false }
    }
    return bits[start + Int(truncatingIfNeeded: row.number &>> 6 & 63)] & 1 &<< (row.number & 63) != 0
  }
}
