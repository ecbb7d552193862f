/// The row numbers of an entity that the history has named so far, read from its beginning.
///
/// Numbers are reserved in advance. So a later transaction may insert a row with a number below
/// those of an earlier one, in a gap that was left.
struct GivenNumbers {
  /// Nothing is known about smaller numbers.
  private let start: UInt64
  private var last: UInt64
  /// Skipped numbers, ascending.
  private var gaps: [ClosedRange<UInt64>] = []

  init(start: UInt64) {
    self.start = start
    last = start - 1
  }

  /// Notes inserted rows. Returns false if one of them was inserted before.
  mutating func give(_ rows: ClosedRange<UInt64>) -> Bool {
    if rows.lowerBound > last {
      if rows.lowerBound > last + 1 { gaps.append(last + 1...rows.lowerBound - 1) }
      last = rows.upperBound
      return true
    }
    if rows.upperBound < start { return true }
    var (low, high) = (0, gaps.count)
    while low < high {
      let middle = (low + high) / 2
      if gaps[middle].upperBound < rows.lowerBound { low = middle + 1 } else { high = middle }
    }
    guard low < gaps.count, gaps[low].lowerBound <= rows.lowerBound, rows.upperBound <= gaps[low].upperBound else {
      return false
    }
    var left: [ClosedRange<UInt64>] = []
    if gaps[low].lowerBound < rows.lowerBound { left.append(gaps[low].lowerBound...rows.lowerBound - 1) }
    if rows.upperBound < gaps[low].upperBound { left.append(rows.upperBound + 1...gaps[low].upperBound) }
    gaps.replaceSubrange(low...low, with: left)
    return true
  }
}
