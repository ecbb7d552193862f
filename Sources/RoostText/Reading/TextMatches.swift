package import RoostFile

/// The rows that match a question, read step by step.
package final class TextMatches {
  private let run: QuestionRun
  private var segment = -1
  private var cursor: MatchCursor?
  private var deleted: [UInt64] = []
  private var target: UInt32 = 0
  private var looseRows: [Int64]?
  private var looseNext = 0

  init(_ run: QuestionRun) { self.run = run }

  /// The next row; `nil` at the end.
  package func next() throws(StoreError) -> Int64? {
    guard try skip() else { return nil }
    if let looseRows { return looseRows[looseNext - 1] }
    return try run.reader.segments[segment].row(target - 1)
  }

  /// Moves to the next row. Returns false at the end.
  func skip() throws(StoreError) -> Bool {
    while looseRows == nil {
      if let cursor {
        try cursor.advance(to: target)
        let document = cursor.document
        if document != MatchCursor.end {
          target = document + 1
          if SegmentReader.has(deleted, document) { continue }
          return true
        }
      }
      segment += 1
      cursor = nil
      target = 0
      if segment == run.reader.segments.count {
        looseRows = try findLoose()
        break
      }
      cursor = try run.cursor(segment: segment)
      if cursor != nil { deleted = try run.reader.segments[segment].deleted() }
    }
    looseNext += 1
    return looseNext <= looseRows?.count ?? 0
  }

  private func findLoose() throws(StoreError) -> [Int64] {
    var rows: [Int64] = []
    try run.reader.visitLoose { (_, value) throws(StoreError) in
      let match = try LooseMatch(value, run.loose, fieldCount: run.reader.index.fields.count)
      if match.meets(run.condition) { rows.append(match.row) }
    }
    return rows
  }
}
