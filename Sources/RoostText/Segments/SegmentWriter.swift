import RoostFile

/// Writes the entries of one segment: terms in ascending order, then its documents.
///
/// ## Layout
/// A block of terms has at most 8 KiB, unless it has one term: the number of terms, the bytes of its dictionary, restarts, the dictionary,
/// the postings. Each 16th term shares no bytes with the term before, and has a restart (the first one needs none): its
/// offset in the dictionary (2) and the offset of its postings (2), little-endian. A term in the dictionary: bytes shared with the term before (1), other bytes (1), these bytes, documents,
/// bytes of postings times 4 (plus 1 if it has chunks, plus 2 if it is a short list), then for chunks: the list's number
/// and the last document in them.
final class SegmentWriter {
  static let blockBytes = 8192
  static let restartCount = 16

  let store: any TextStore
  let number: UInt32
  let fieldCount: Int
  let list: PostingListWriter
  private let dictionary = ByteSink(room: 16_384)
  private let postings = ByteSink(room: 16_384)
  private let restarts = ByteSink()
  private let entry = ByteSink()
  private let tail = ByteSink()
  private let value = ByteSink(room: 16_384)
  private var count = 0
  private var last: [UInt8] = []
  private var blockByteCount = 0

  /// The bytes of terms and postings that were written.
  var byteCount: Int { blockByteCount + list.chunkByteCount }
  /// The bytes that were written and those that wait in memory.
  var progress: Int { byteCount + dictionary.count + postings.count }

  init(_ store: any TextStore, number: UInt32, fieldCount: Int, nextList: UInt32 = 0) {
    self.store = store
    self.number = number
    self.fieldCount = fieldCount
    list = PostingListWriter(store, segment: number, fieldCount: fieldCount, nextList: nextList)
  }

  /// Ends the term whose postings were added to `list`. Terms without postings are left out.
  func endTerm(_ term: UnsafeBufferPointer<UInt8>) throws(StoreError) {
    entry.clear()
    tail.clear()
    try list.end(entry, tail)
    if list.documentCount == 0 { return }
    let added = entry.count + tail.count + term.count + 2
    // A block that is a little larger would need a page more.
    if count > 0, dictionary.count + postings.count + restarts.count + added + 10 > Self.blockBytes { try closeBlock() }
    let isRestart = count % Self.restartCount == 0
    if isRestart, count > 0 {
      restarts.appendFixed(UInt64(dictionary.count), width: 2)
      restarts.appendFixed(UInt64(postings.count), width: 2)
    }
    var shared = 0
    let most = isRestart ? 0 : min(last.count, term.count)
    while shared < most, last[shared] == term[shared] { shared &+= 1 }
    dictionary.append(UInt8(truncatingIfNeeded: shared))
    dictionary.append(UInt8(truncatingIfNeeded: term.count - shared))
    dictionary.append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(term)[shared...]))
    dictionary.append(entry.bytes)
    postings.append(tail.bytes)
    last.removeAll(keepingCapacity: true)
    last.append(contentsOf: term)
    count += 1
  }

  /// Writes the block that is not full yet.
  func closeBlock() throws(StoreError) {
    if count == 0 { return }
    value.clear()
    value.appendNumber(count)
    value.appendNumber(dictionary.count)
    value.append(restarts.bytes)
    value.append(dictionary.bytes)
    value.append(postings.bytes)
    blockByteCount += value.count
    var key = TextKey.segment(number, .terms)
    key += last
    try store.put(value, at: key)
    restarts.clear()
    dictionary.clear()
    postings.clear()
    last.removeAll(keepingCapacity: true)
    count = 0
  }

  // MARK: Documents

  /// Writes the rows and lengths of all documents. `lengths` has `fieldCount` numbers for each document.
  func writeDocuments(_ rows: [Int64], _ lengths: [UInt32]) throws(StoreError) {
    var start = 0
    while start < rows.count {
      let end = min(start + DocumentBlock.documents, rows.count)
      value.clear()
      DocumentBlock.encode(
        rows[start..<end], lengths[start * fieldCount..<end * fieldCount], fieldCount: fieldCount, to: value)
      try store.put(value, at: TextKey.block(number, .documents, number: UInt32(start / DocumentBlock.documents)))
      start = end
    }
    var order: [(row: Int64, document: UInt32)] = []
    order.reserveCapacity(rows.count)
    var isSorted = true
    for (place, row) in rows.enumerated() {
      if let last = order.last, last.row >= row { isSorted = false }
      order.append((row, UInt32(truncatingIfNeeded: place)))
    }
    if !isSorted { order.sort { $0.row < $1.row } }
    start = 0
    while start < order.count {
      let end = min(start + RowOrderBlock.documents, order.count)
      value.clear()
      RowOrderBlock.encode(order[start..<end], to: value)
      try store.put(value, at: TextKey.row(number, order[end - 1].row))
      start = end
    }
  }

  /// The record of the finished segment.
  func record(_ rows: [Int64]) -> SegmentRecord {
    let first = rows.first ?? 0
    let isConsecutive = rows.indices.allSatisfy { rows[$0] == first &+ Int64($0) }
    return SegmentRecord(
      number: number, documentCount: rows.count, byteCount: byteCount, firstRow: rows.min() ?? 0,
      lastRow: rows.max() ?? 0, isConsecutive: isConsecutive)
  }
}
