/// An offset and a limit.
struct RowRange {
  private(set) var offset = 0
  private(set) var limit: Int?
  private var skipped = 0

  /// Makes a range of all rows.
  init() {}

  init(_ offset: Int, _ limit: Int?) throws {
    guard offset >= 0 else { throw RoostError(.badValue, "the offset is \(offset): omit it, or give 0 or more") }
    if let limit, limit < 0 { throw RoostError(.badValue, "the limit is \(limit): omit it, or give 0 or more") }
    (self.offset, self.limit) = (offset, limit)
  }

  var isDone: Bool { limit == 0 }

  /// The number of rows that suffice, including skipped ones; nil for all.
  var enough: Int? {
    guard let (sum, isTooLarge) = limit.map({ offset.addingReportingOverflow($0) }), !isTooLarge else { return nil }
    return sum
  }

  /// Whether the next row is in the range.
  mutating func takesNext() -> Bool {
    if isDone { return false }
    if skipped < offset {
      skipped += 1
      return false
    }
    limit = limit.map { $0 - 1 }
    return true
  }
}
