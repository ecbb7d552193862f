/// The rows of one entity that a transaction inserts. Some of the numbers may be those of no row.
package struct ArrivedRows: Sendable {
  /// The first number that no row had before.
  package let start: UInt64
  /// Behind the last of them.
  package internal(set) var end: UInt64
  /// Rows with smaller numbers, which were reserved earlier.
  package internal(set) var late: [UInt64] = []

  init(from start: UInt64) { (self.start, end) = (start, start) }

  package var count: Int { Int(clamping: end - start) + late.count }

  package func forEach(_ body: (UInt64) throws -> Void) rethrows {
    for row in late { try body(row) }
    for row in start..<end { try body(row) }
  }
}
