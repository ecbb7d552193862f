import RoostFile

/// Reads one segment. It keeps the last block of documents, and the terms that were looked up.
final class SegmentReader {
  let entries: any TextEntries
  let record: SegmentRecord
  let fieldCount: Int
  private var block: DocumentBlock?
  private var blockNumber = -1
  private var tombstones: [UInt64]?
  private var isSizeChecked = false
  /// The entries of terms that were looked up; nil for a term that the segment does not have.
  private var known: [[UInt8]: TermEntry?] = [:]
  static let mostKnown = 1024

  var number: UInt32 { record.number }
  var documentCount: Int { record.documentCount }

  init(_ entries: any TextEntries, _ record: SegmentRecord, fieldCount: Int) {
    self.entries = entries
    self.record = record
    self.fieldCount = fieldCount
  }

  // MARK: Terms

  /// The posting list of a term.
  func find(_ term: [UInt8]) throws(StoreError) -> TermEntry? {
    if let entry = known[term] { return entry }
    let found = try lookUp(term)
    if known.count == Self.mostKnown { known.removeAll() }
    known[term] = .some(found)
    return found
  }

  private func lookUp(_ term: [UInt8]) throws(StoreError) -> TermEntry? {
    var found: TermEntry?
    let key = term.withUnsafeBytes { TextKey.term(number, $0) }
    try visit(prefix: TextKey.segment(number, .terms), from: key) { (_, value) throws(StoreError) in
      var block = try TermBlock(value, segmentCount: documentCount)
      found = try Self.find(&block, term)
      return false
    }
    return found
  }

  private static func find(_ block: inout TermBlock, _ term: [UInt8]) throws(StoreError) -> TermEntry? {
    let result = term.withUnsafeBytes { bytes -> Result<TermEntry?, StoreError> in
      do throws(StoreError) { return .success(try block.find(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Calls `body` with all terms that begin with `prefix`, in ascending order.
  func visitTerms(
    prefix: [UInt8], _ body: (UnsafeRawBufferPointer, TermEntry) throws(StoreError) -> Void
  ) throws(StoreError) {
    let key = prefix.withUnsafeBytes { TextKey.term(number, $0) }
    try visit(prefix: TextKey.segment(number, .terms), from: key) { (_, value) throws(StoreError) in
      var block = try TermBlock(value, segmentCount: documentCount)
      var goesOn = true
      try block.visit { (term, head, block) throws(StoreError) in
        if term.hasPrefix(prefix) {
          try body(term, block.whole(head))
        } else if !term.lexicographicallyPrecedes(prefix) {
          goesOn = false
        }
        return goesOn
      }
      return goesOn
    }
  }

  func visit(
    prefix: [UInt8], from key: [UInt8],
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try entries.visit(prefix: prefix, from: key, body)
  }

  // MARK: Documents

  /// The block of a document, which is below `documentCount`.
  @inline(__always)
  private func documentBlock(_ document: UInt32) throws(StoreError) -> DocumentBlock {
    if let block, blockNumber == Int(document >> 10) { return block }
    return try readBlock(document)
  }

  @inline(never)
  private func readBlock(_ document: UInt32) throws(StoreError) -> DocumentBlock {
    let number = Int(document >> 10)
    var found: DocumentBlock?
    try entries.read(TextKey.block(self.number, .documents, number: UInt32(number))) { (value) throws(StoreError) in
      found = try DocumentBlock(value, fieldCount: fieldCount)
    }
    guard let found, found.count == min(DocumentBlock.documents, documentCount - number * DocumentBlock.documents)
    else {
      throw StoreError(.damaged, "a block of documents is missing in the text index")
    }
    block = found
    blockNumber = number
    return found
  }

  /// Throws if the last document is missing. Call it before memory is allocated for all documents: a damaged record may
  /// have any number.
  func checkSize() throws(StoreError) {
    if isSizeChecked { return }
    _ = try readBlock(UInt32(documentCount - 1))
    isSizeChecked = true
  }

  func row(_ document: UInt32) throws(StoreError) -> Int64 {
    if record.isConsecutive { return record.firstRow &+ Int64(document) }
    return try storedRow(document)
  }

  /// The row that the document's block has; ``row(_:)`` reads no block if rows are consecutive.
  func storedRow(_ document: UInt32) throws(StoreError) -> Int64 {
    try documentBlock(document).row(Int(document & 1023))
  }

  func length(_ document: UInt32) throws(StoreError) -> UInt32 {
    try documentBlock(document).length(Int(document & 1023))
  }

  func lengths(_ document: UInt32) throws(StoreError) -> [UInt32] {
    let block = try documentBlock(document)
    return (0..<fieldCount).map { block.length(Int(document & 1023), field: $0) }
  }

  /// The document of a row, even of a deleted one.
  func document(of row: Int64) throws(StoreError) -> UInt32? {
    guard row >= record.firstRow, row <= record.lastRow else { return nil }
    if record.isConsecutive { return UInt32(truncatingIfNeeded: row &- record.firstRow) }
    var found: UInt32?
    try visit(prefix: TextKey.segment(number, .rows), from: TextKey.row(number, row)) { (_, value) throws(StoreError) in
      let entries = try RowOrderBlock.decode(value, documentCount: documentCount)
      found = entries.first { $0.row == row }?.document
      return false
    }
    return found
  }

  // MARK: Deletions

  /// One bit for each document that is deleted; empty if none is.
  func deleted() throws(StoreError) -> [UInt64] {
    if let tombstones { return tombstones }
    let bits = record.deletedCount == 0 ? [] : try bits(.tombstones)
    tombstones = bits
    return bits
  }

  /// The documents of all tombstone blocks of one kind.
  func bits(_ kind: TextKey.Kind) throws(StoreError) -> [UInt64] {
    try checkSize()
    var bits = [UInt64](repeating: 0, count: (documentCount + 4095) / 4096 * 64)
    let prefix = TextKey.segment(number, kind)
    try visit(prefix: prefix, from: prefix) { (key, value) throws(StoreError) in
      guard key.count == 10, let block = TextKey.number(key, at: 6), Int(block) < bits.count / 64 else {
        throw ByteSource.damage
      }
      for (place, word) in try TombstoneBlock.decode(value).enumerated() { bits[Int(block) * 64 + place] = word }
      return true
    }
    return bits
  }

  static func has(_ bits: [UInt64], _ document: UInt32) -> Bool {
    bits.isEmpty ? false : bits[Int(document >> 6)] & 1 << UInt64(document & 63) != 0
  }

  /// Forgets the deletions that were read.
  func forgetDeletions() { tombstones = nil }
}
