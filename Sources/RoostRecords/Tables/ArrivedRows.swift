/// The numbers of the rows of one entity that a transaction inserts. Some numbers may have no row.
package struct ArrivedRows: Sendable {
  /// The first number that no row had before the transaction.
  package let start: UInt64
  /// One more than the last number.
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
