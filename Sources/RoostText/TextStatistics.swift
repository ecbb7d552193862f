/// Exact counts of an index, as ranking needs them.
package struct TextStatistics: Sendable, Hashable {
  /// The rows in the index.
  package var rowCount: Int
  /// The terms of all rows, for each field.
  package var fieldLengths: [Int]
  /// The parts that a search visits: segments, and rows that are not in a segment yet.
  package var segmentCount: Int
  package var looseCount: Int

  package var averageLength: Double {
    rowCount == 0 ? 0 : Double(fieldLengths.reduce(0, +)) / Double(rowCount)
  }
}

/// A row that a ranked search found. A higher score is a better match.
package struct RankedRow: Sendable, Hashable {
  package var row: Int64
  package var score: Double
}

/// A broken invariant of a text index. Its number is the one of `TextIndexReader.verify()`.
package struct TextComplaint: Sendable, Hashable, CustomStringConvertible {
  package var invariant: Int
  package var sentence: String
  package var description: String { "invariant \(invariant): \(sentence)" }
}
