package import RoostFile

/// The rows that match a question, read step by step.
package final class TextMatches {
  private let run: QuestionRun
  private var segment = -1
  private var cursor: MatchCursor?
  private var target: UInt32 = 0
  private let documents = UnsafeMutablePointer<UInt32>.allocate(capacity: MatchCursor.batchCount)
  /// The rows that were found and not returned yet.
  private var rows: [Int64] = []
  private var nextRow = 0
  private var isAtEnd = false

  init(_ run: QuestionRun) { self.run = run }

  deinit { documents.deallocate() }

  /// The next row; `nil` at the end.
  package func next() throws(StoreError) -> Int64? {
    while nextRow == rows.count {
      rows.removeAll(keepingCapacity: true)
      nextRow = 0
      guard try appendBatch(to: &rows) else { return nil }
    }
    nextRow += 1
    return rows[nextRow - 1]
  }

  /// Appends the next rows, perhaps none. Returns false at the end.
  func appendBatch(to rows: inout [Int64]) throws(StoreError) -> Bool {
    guard let count = try readBatch() else { return false }
    if segment < run.reader.segments.count {
      let segment = run.reader.segments[segment]
      for place in 0..<count { rows.append(try segment.row(documents[place])) }
    } else {
      rows += try findLoose()
    }
    return true
  }

  /// The number of all rows that are left.
  func countRest() throws(StoreError) -> Int {
    var count = 0
    while let more = try readBatch() {
      count += segment < run.reader.segments.count ? more : try findLoose().count
    }
    return count
  }

  /// Reads documents of the current segment, or goes to the next one; after the last one come loose rows. `nil` at the
  /// end.
  private func readBatch() throws(StoreError) -> Int? {
    if isAtEnd { return nil }
    if let cursor {
      let count = try cursor.fill(documents, from: target)
      if count > 0 {
        target = documents[count - 1] &+ 1
        return try withoutDeleted(count)
      }
    }
    segment += 1
    cursor = nil
    target = 0
    if segment < run.reader.segments.count { cursor = try run.cursor(segment: segment) } else { isAtEnd = true }
    return 0
  }

  private func withoutDeleted(_ count: Int) throws(StoreError) -> Int {
    let deleted = try run.reader.segments[segment].deleted()
    if deleted.isEmpty { return count }
    var kept = 0
    for place in 0..<count where !SegmentReader.has(deleted, documents[place]) {
      documents[kept] = documents[place]
      kept += 1
    }
    return kept
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
