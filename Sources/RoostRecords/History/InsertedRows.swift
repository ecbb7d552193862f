/// The rows that a transaction inserted: a range of numbers, minus some of them, plus some others.
struct InsertedRows {
  private let range: Range<UInt64>
  private var left: [Range<UInt64>] = []
  private var added: [Range<UInt64>] = []

  init(_ range: Range<UInt64>) { self.range = range }

  mutating func leaveOut(_ rows: Range<UInt64>) { left.append(rows) }
  mutating func add(_ row: UInt64) { added.append(row..<row + 1) }

  /// The inserted rows as maximal runs, ascending.
  var runs: [Range<UInt64>] {
    var runs: [Range<UInt64>] = []
    var start = range.lowerBound
    for hole in left.sorted(by: { $0.lowerBound < $1.lowerBound }) where hole.upperBound > start {
      if hole.lowerBound > start { runs.append(start..<hole.lowerBound) }
      start = hole.upperBound
    }
    if start < range.upperBound { runs.append(start..<range.upperBound) }
    if added.isEmpty { return runs }
    var joined: [Range<UInt64>] = []
    for run in (runs + added).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, last.upperBound >= run.lowerBound {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, run.upperBound)
      } else {
        joined.append(run)
      }
    }
    return joined
  }
}
