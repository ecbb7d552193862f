import RoostFile

extension TextIndexReader {
  /// Checks all invariants of the index. An error of the entries is a complaint too.
  ///
  /// ## Invariants
  /// 1. Segments have different numbers below the next number; loose rows too. The sources of a merge exist.
  /// 2. A segment has all of its documents, and its row blocks have the same rows in ascending order.
  /// 3. A row is in at most one document that is not deleted.
  /// 4. The header's counts are those of the documents that are not deleted.
  /// 5. Terms ascend, a block's key ends with its last term, and a search for a term finds it.
  /// 6. A posting list has as many ascending documents as its entry says, and its blocks have true bounds.
  /// 7. In each field a document has as many places as its length says, and the places of a term ascend.
  /// 8. A segment has as many tombstones as its record says.
  /// 9. Each entry belongs to the index.
  package func verify() -> [TextComplaint] {
    let verifier = TextVerifier(self)
    verifier.run()
    return verifier.complaints
  }
}

/// One check of an index.
final class TextVerifier {
  static let mostComplaints = 100

  private let reader: TextIndexReader
  private(set) var complaints: [TextComplaint] = []
  private var liveRows: Set<Int64> = []
  private var lengths: [Int]

  init(_ reader: TextIndexReader) {
    self.reader = reader
    lengths = reader.index.fields.map { _ in 0 }
  }

  private func complain(_ invariant: Int, _ sentence: String) {
    if complaints.count < Self.mostComplaints {
      complaints.append(TextComplaint(invariant: invariant, sentence: sentence))
    }
  }

  private func check(_ isTrue: Bool, _ invariant: Int, or sentence: @autoclosure () -> String) {
    if !isTrue { complain(invariant, sentence()) }
  }

  /// Runs one part of the check; its error is a complaint.
  private func part(_ invariant: Int, _ body: () throws(StoreError) -> Void) {
    do throws(StoreError) { try body() } catch { complain(invariant, error.detail) }
  }

  func run() {
    let header = reader.header
    for segment in reader.segments {
      check(segment.number < header.nextSegment, 1, or: "segment \(segment.number) is not below the next number")
    }
    for segment in reader.segments {
      part(2) { () throws(StoreError) in try checkDocuments(segment) }
      part(5) { () throws(StoreError) in try checkTerms(segment) }
    }
    part(7) { () throws(StoreError) in try checkLoose() }
    check(
      liveRows.count == header.rowCount, 4, or: "there are \(liveRows.count) rows, the header counts \(header.rowCount)"
    )
    check(lengths == header.fieldLengths, 4, or: "the lengths are \(lengths), the header counts \(header.fieldLengths)")
    part(9) { () throws(StoreError) in try checkKeys() }
  }

  private func addRow(_ row: Int64, _ lengths: [UInt32]) {
    check(liveRows.insert(row).inserted, 3, or: "row \(row) has two documents")
    for (field, length) in lengths.enumerated() { self.lengths[field] += Int(length) }
  }

  // MARK: Segments

  private func checkDocuments(_ segment: SegmentReader) throws(StoreError) {
    try segment.checkSize()
    let deleted = try segment.deleted()
    let count = deleted.reduce(0) { $0 + $1.nonzeroBitCount }
    check(count == segment.record.deletedCount, 8, or: "segment \(segment.number) has \(count) tombstones")
    var rows: [(row: Int64, document: UInt32)] = []
    for document in 0..<UInt32(segment.documentCount) {
      rows.append((try segment.row(document), document))
      let stored = try segment.storedRow(document)
      check(stored == rows[Int(document)].row, 2, or: "the rows of segment \(segment.number) are not consecutive")
      let lengths = try segment.lengths(document)
      if !SegmentReader.has(deleted, document) { addRow(rows[Int(document)].row, lengths) }
    }
    rows.sort { ($0.row, $0.document) < ($1.row, $1.document) }
    check(
      rows.first?.row == segment.record.firstRow && rows.last?.row == segment.record.lastRow, 2,
      or: "segment \(segment.number) has other rows than its record says")
    var place = 0
    let prefix = TextKey.segment(segment.number, .rows)
    try segment.visit(prefix: prefix, from: prefix) { (key, value) throws(StoreError) in
      let found = try RowOrderBlock.decode(value, documentCount: segment.documentCount)
      guard let last = found.last, place + found.count <= rows.count else { throw ByteSource.damage }
      check(key.elementsEqual(TextKey.row(segment.number, last.row)), 2, or: "a row block has a wrong key")
      for entry in found {
        check(rows[place] == entry, 2, or: "the row blocks of segment \(segment.number) have a wrong row \(entry.row)")
        place += 1
      }
      return true
    }
    check(place == rows.count, 2, or: "segment \(segment.number) has \(place) rows in its row blocks")
  }

  private func checkTerms(_ segment: SegmentReader) throws(StoreError) {
    let fieldCount = segment.fieldCount
    try segment.checkSize()
    var places = [UInt32](repeating: 0, count: segment.documentCount * fieldCount)
    var last: [UInt8] = []
    let prefix = TextKey.segment(segment.number, .terms)
    var listCount: UInt32 = 0
    try segment.visit(prefix: prefix, from: prefix) { (key, value) throws(StoreError) in
      var block = try TermBlock(value, segmentCount: segment.documentCount)
      try block.visit { (term, head, block) throws(StoreError) in
        check(last.lexicographicallyPrecedes(term), 5, or: "two terms of segment \(segment.number) do not ascend")
        last = Array(term)
        if let list = head.list {
          check(list == listCount, 6, or: "the lists of segment \(segment.number) are not numbered in order")
          listCount = list &+ 1
        }
        try checkList(segment, block.whole(head), counts: &places)
        var search = try TermBlock(value, segmentCount: segment.documentCount)
        let isFound = try search.find(term) != nil
        check(isFound, 5, or: "a term of segment \(segment.number) is not found")
        return true
      }
      check(key.dropFirst(prefix.count).elementsEqual(last), 5, or: "a block of terms has a wrong key")
      return true
    }
    for document in 0..<UInt32(segment.documentCount) {
      for (field, length) in try segment.lengths(document).enumerated() {
        check(
          places[Int(document) * fieldCount + field] == length, 7,
          or: "document \(document) of segment \(segment.number) has another length than places")
      }
    }
  }

  private func checkList(
    _ segment: SegmentReader, _ entry: TermEntry, counts: inout [UInt32]
  ) throws(StoreError) {
    let postings = try PostingCursor(segment, entry)
    let list = PlaceList()
    var count = 0
    var before: UInt32?
    try postings.advance(to: 0)
    while postings.document != PostingCursor.end {
      let document = postings.document
      if let before, before >= document { throw ByteSource.damage }
      before = document
      count += 1
      list.clear()
      try postings.appendPlaces(to: list)
      check(list.count == Int(postings.frequency), 6, or: "a frequency is wrong")
      if !entry.isShort {
        let length = try segment.length(document)
        check(
          postings.frequency <= postings.blockGreatest && length >= postings.blockLeast, 6,
          or: "a block has wrong bounds")
      }
      for (place, other) in zip(list.places, list.places.dropFirst()) where place >= other {
        complain(7, "the places of a term do not ascend")
      }
      for place in list.places { counts[Int(document) * segment.fieldCount + TextPlace.field(place)] &+= 1 }
      try postings.advance(to: document + 1)
    }
    check(count == entry.documentCount, 6, or: "a list has \(count) documents, its entry says \(entry.documentCount)")
  }

  // MARK: Loose rows and keys

  private func checkLoose() throws(StoreError) {
    let fieldCount = reader.index.fields.count
    try reader.visitLoose { (entry, value) throws(StoreError) in
      var source = ByteSource(value)
      let head = try LooseDocument.Head(&source, fieldCount: fieldCount)
      check(head.row == entry.row, 1, or: "a loose row has another number than the header says")
      var counts = [UInt32](repeating: 0, count: fieldCount)
      var last: [UInt8] = []
      var list: [UInt32] = []
      try LooseDocument.visitTerms(&source, termCount: head.termCount) { (term, source) throws(StoreError) in
        check(last.lexicographicallyPrecedes(term), 5, or: "two terms of row \(head.row) do not ascend")
        last = Array(term)
        try LooseDocument.decodePlaces(&source, fieldCount: fieldCount, into: &list)
        for place in list { counts[TextPlace.field(place)] += 1 }
        return true
      }
      check(source.isAtEnd, 7, or: "row \(head.row) has bytes after its terms")
      check(counts == head.lengths, 7, or: "row \(head.row) has another length than places")
      addRow(head.row, head.lengths)
    }
  }

  private func checkKeys() throws(StoreError) {
    var segments = Set(reader.segments.map(\.number))
    let sources = segments
    try reader.entries.read(TextKey.merge) { (value) throws(StoreError) in
      let merge = try MergeState(value)
      check(merge.sources.allSatisfy(sources.contains), 1, or: "a merge has a source that does not exist")
      segments.insert(merge.number)
    }
    let loose = Set(reader.header.loose.map(\.number))
    try reader.entries.visit([]) { (key, _) throws(StoreError) in
      let isKnown: Bool
      switch key.first {
      case 0, 1, 2: isKnown = key.count == 1
      case 3: isKnown = loose.contains { key.elementsEqual(TextKey.loose($0)) }
      case 0x10:
        let number = TextKey.number(key, at: 1)
        let isKind = key.count > 5 && TextKey.Kind(rawValue: key[5]) != nil
        isKnown = isKind && number.map(segments.contains) ?? false
      default: isKnown = false
      }
      check(isKnown, 9, or: "an entry belongs to nothing")
      return complaints.count < Self.mostComplaints
    }
  }
}
