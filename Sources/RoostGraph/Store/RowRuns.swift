package import RoostRecords

/// Rows in an order, each with the number of its class's map. Consecutive rows take the memory of
/// one.
package struct RowRuns: Sendable {
  private struct Run {
    var first: UInt64
    /// The number of rows before it.
    var offset: Int
    var map: Int
  }

  private var runs: [Run] = []
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ map: Int, _ row: RowID) {
    if let last = runs.last, last.map == map, last.first + UInt64(count - last.offset) == row.number {
      count += 1
      return
    }
    runs.append(Run(first: row.number, offset: count, map: map))
    count += 1
  }

  package subscript(place: Int) -> (map: Int, row: RowID) {
    precondition(place >= 0 && place < count, "there are \(count) rows, and no place \(place)")
    var (low, high) = (0, runs.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if runs[middle].offset <= place { low = middle } else { high = middle }
    }
    let run = runs[low]
    return (run.map, RowID(run.first + UInt64(place - run.offset)))
  }
}
