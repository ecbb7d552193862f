package import RoostFile

/// Searches a text index as its entries are at one moment.
///
/// A reader belongs to one thread. It reads the list of segments when it is made, so the entries must not change while
/// it is used; make a new reader after a change. Making one costs two small reads.
package final class TextIndexReader {
  package let index: TextIndex
  let entries: any TextEntries
  let header: TextHeader
  let segments: [SegmentReader]
  /// Exact counts.
  package let statistics: TextStatistics

  /// An index without entries is empty.
  package init(_ index: TextIndex, _ entries: any TextEntries) throws(StoreError) {
    self.index = index
    self.entries = entries
    let (header, table) = try Self.read(entries, fieldCount: index.fields.count)
    self.header = header
    segments = table.segments.map { SegmentReader(entries, $0, fieldCount: index.fields.count) }
    statistics = TextStatistics(
      rowCount: header.rowCount, fieldLengths: header.fieldLengths, segmentCount: segments.count,
      looseCount: header.loose.count)
  }

  static func read(
    _ entries: any TextEntries, fieldCount: Int
  ) throws(StoreError) -> (TextHeader, SegmentTable) {
    var header = TextHeader(fieldCount: fieldCount)
    var table = SegmentTable()
    try entries.read(TextKey.header) { (value) throws(StoreError) in
      header = try TextHeader(value, fieldCount: fieldCount)
    }
    try entries.read(TextKey.segments) { (value) throws(StoreError) in table = try SegmentTable(value) }
    return (header, table)
  }

  /// Calls `body` with the bytes of each loose row.
  func visitLoose(
    _ body: (TextHeader.Loose, UnsafeRawBufferPointer) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard let first = header.loose.first else { return }
    var place = 0
    try entries.visit(prefix: [3], from: TextKey.loose(first.number)) { (key, value) throws(StoreError) in
      let entry = header.loose[place]
      guard key.isEqual(TextKey.loose(entry.number)), value.count == entry.byteCount else { throw Self.missing }
      try body(entry, value)
      place += 1
      return place < header.loose.count
    }
    guard place == header.loose.count else { throw Self.missing }
  }

  private static var missing: StoreError { StoreError(.damaged, "a row is missing in the text index") }

  // MARK: Searching

  /// The rows that match, in no particular order, read step by step.
  package func matches(_ question: TextQuestion) throws(StoreError) -> TextMatches {
    TextMatches(try QuestionRun(self, question, ranking: nil))
  }

  /// The numbers of all rows that match, in ascending order.
  package func search(_ question: TextQuestion) throws(StoreError) -> [Int64] {
    let matches = try matches(question)
    var rows: [Int64] = []
    while try matches.appendBatch(to: &rows) {}
    var before = Int64.min
    var isSorted = true
    for row in rows {
      if row < before { isSorted = false }
      before = row
    }
    if !isSorted { rows.sort() }
    return rows
  }

  /// The number of rows that match.
  package func count(_ question: TextQuestion) throws(StoreError) -> Int {
    let run = try QuestionRun(self, question, ranking: nil)
    var count = 0
    if let term = run.singleTerm {
      for place in segments.indices { count += try run.rowCount(term, segment: place) }
      try visitLoose { (_, value) throws(StoreError) in
        if try LooseMatch(value, run.loose, fieldCount: index.fields.count).meets(run.condition) { count += 1 }
      }
      return count
    }
    return try TextMatches(run).countRest()
  }

  /// Whether one row matches.
  package func isMatch(row: Int64, _ question: TextQuestion) throws(StoreError) -> Bool {
    try place(row, QuestionRun(self, question, ranking: nil)) != nil
  }
}

extension TextIndex {
  /// Whether texts that are in no index match.
  package func isMatch(texts: [String?], _ question: TextQuestion) -> Bool {
    LooseMatch(texts: texts, LooseTerms(question.condition), TextScanner(analyzer)).meets(question.condition)
  }
}
