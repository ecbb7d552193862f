internal import RoostBytes
package import RoostFile

/// A sum over all places of all terms, in any order. Two indexes with the same rows and texts have equal digests.
///
/// An examination adds up the texts of all rows, and compares the sum with that of the index.
package struct TextDigest: Sendable, Hashable {
  package private(set) var rowCount = 0
  private var sum: UInt64 = 0
  private var placeCount = 0

  package init() {}

  /// Adds the texts of a row, as an index would have them.
  package mutating func add(row: Int64, texts: [String?], scanner: TextScanner) {
    rowCount += 1
    for (field, text) in texts.enumerated() {
      guard var text else { continue }
      text.withUTF8 { scanner.scan(UnsafeRawBufferPointer($0)) }
      for place in 0..<scanner.count {
        let term = Self.hash(UnsafeRawBufferPointer(scanner.term(place)))
        add(term, row, place: UInt32(field) << 27 | scanner.marks[place].position)
      }
    }
  }

  mutating func addRow() { rowCount += 1 }

  @inline(__always)
  mutating func add(_ term: UInt64, _ row: Int64, place: UInt32) {
    var word = term ^ UInt64(bitPattern: row) &* 0x9E37_79B9_7F4A_7C15
    word = (word ^ word >> 29) &+ UInt64(place) &* 0xC2B2_AE3D_27D4_EB4F
    word = (word ^ word >> 32) &* 0xD6E8_FEB8_6659_FD93
    sum &+= word ^ word >> 29
    placeCount &+= 1
  }

  static func hash(_ term: UnsafeRawBufferPointer) -> UInt64 { Checksum.of(term, seed: 0x7465_7874) }
}

extension TextIndexReader {
  /// The digest of all rows in the index. It reads every posting list.
  package func digest() throws(StoreError) -> TextDigest {
    var digest = TextDigest()
    for segment in segments { try add(segment, to: &digest) }
    let fieldCount = index.fields.count
    var places: [UInt32] = []
    try visitLoose { (_, value) throws(StoreError) in
      var source = ByteSource(value)
      let head = try LooseDocument.Head(&source, fieldCount: fieldCount)
      digest.addRow()
      try LooseDocument.visitTerms(&source, termCount: head.termCount) { (term, source) throws(StoreError) in
        let hash = TextDigest.hash(UnsafeRawBufferPointer(term))
        try LooseDocument.decodePlaces(&source, fieldCount: fieldCount, into: &places)
        for place in places { digest.add(hash, head.row, place: place) }
        return true
      }
    }
    return digest
  }

  private func add(_ segment: SegmentReader, to digest: inout TextDigest) throws(StoreError) {
    let deleted = try segment.deleted()
    // Lists jump between documents, so their rows are read once. The array grows only while they are there.
    var rows: [Int64] = []
    for document in 0..<UInt32(segment.documentCount) {
      rows.append(try segment.row(document))
      if !SegmentReader.has(deleted, document) { digest.addRow() }
    }
    let places = PlaceList()
    var sum = digest
    try segment.visitTerms(prefix: []) { (term, entry) throws(StoreError) in
      let hash = TextDigest.hash(term)
      let postings = try PostingCursor(segment, entry)
      try postings.advance(to: 0)
      while postings.document != PostingCursor.end {
        if !SegmentReader.has(deleted, postings.document) {
          places.clear()
          try postings.appendPlaces(to: places)
          let row = rows[Int(postings.document)]
          for place in places.places { sum.add(hash, row, place: place) }
        }
        try postings.advance(to: postings.document + 1)
      }
    }
    digest = sum
  }
}
