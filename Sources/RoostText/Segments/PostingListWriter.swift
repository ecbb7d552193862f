import RoostFile

/// Writes the posting list of one term after the other.
///
/// ## Layout
/// A posting is a document, the term's frequency in it, and the term's places. A list of at most 8 postings is a
/// ``ShortPostings``. A longer list is a row of blocks of at most 128 postings:
///
/// | Field | Bytes |
/// |---|---|
/// | postings | 1 |
/// | first document, less the last one of the block before; in the first block of an entry: plus 1 | variable |
/// | last document, less the first | variable |
/// | greatest frequency, least length of a document | variable |
/// | number of places | variable |
/// | bits of a gap, of a frequency (plus 128 if there are exceptions), and of a place | 3 |
/// | the usual field, if there is more than one field | 1 |
/// | gaps: for each posting but the first, the documents between it and the one before | packed |
/// | frequencies, less 1 | packed |
/// | exceptions: their bytes, then for each of them see below | |
/// | places: for each field the first position, then distances | packed |
///
/// Packed numbers have all the same number of bits, the lowest bit first. The last byte is filled up with 0.
///
/// An exception is a posting whose term is also, or only, in other fields than the usual one. Its
/// bytes: the number of postings between it and the exception before, the set of fields as bits,
/// and the frequency in each of these fields except the last.
///
/// Each full chunk of blocks is a separate entry, whose key ends with its last document. The rest
/// of the list is stored in the block of terms.
final class PostingListWriter {
  static let shortCount = 8
  static let blockCount = 128
  static let mostPlaces = 4096
  static let chunkBytes = 8192
  static let mostTailBytes = 3072
  static let hasExceptions: UInt8 = 128

  private let store: any TextStore
  private let segment: UInt32
  private let fieldCount: Int
  /// The number of the next list with chunks.
  private(set) var nextList: UInt32
  private(set) var chunkByteCount = 0

  private let block: PostingBlock
  private let blocks = ByteSink(room: 16_384)
  private var first: UInt32 = 0
  private var last: UInt32 = 0
  private var greatest: UInt32 = 0
  private var least: UInt32 = .max
  /// The last document of the blocks in `blocks`, plus 1; 0 without blocks.
  private var base: UInt32 = 0
  private(set) var documentCount = 0
  private var list: UInt32?
  private var lastOfChunks: UInt32 = 0

  init(_ store: any TextStore, segment: UInt32, fieldCount: Int, nextList: UInt32) {
    self.store = store
    self.segment = segment
    self.fieldCount = fieldCount
    self.nextList = nextList
    block = PostingBlock(fieldCount: fieldCount)
  }

  func begin() {
    blocks.clear()
    block.clear()
    (documentCount, base, list) = (0, 0, nil)
  }

  /// Adds a document. Its places are ascending, at least one, and the document is greater than the one before.
  @inline(__always)
  func add(_ document: UInt32, length: UInt32, places found: UnsafeBufferPointer<UInt32>) throws(StoreError) {
    let gap: UInt32
    if block.count == 0 {
      first = document
      gap = 0
      (greatest, least) = (0, .max)
    } else {
      gap = document &- last &- 1
    }
    last = document
    let frequency = UInt32(truncatingIfNeeded: found.count)
    if frequency > greatest { greatest = frequency }
    if length < least { least = length }
    block.add(gap, found)
    if block.count == Self.blockCount || block.placeCount > Self.mostPlaces { try closeBlock() }
  }

  private func closeBlock() throws(StoreError) {
    if block.count == 0 { return }
    block.prepare()
    if blocks.count > 0, blocks.count + block.byteCount + 32 > Self.chunkBytes { try closeChunk() }
    documentCount += block.count
    blocks.append(UInt8(truncatingIfNeeded: block.count))
    blocks.appendNumber(UInt64(first &+ 1 &- base))
    blocks.appendNumber(UInt64(last &- first))
    blocks.appendNumber(UInt64(greatest))
    blocks.appendNumber(UInt64(least))
    block.write(to: blocks)
    base = last &+ 1
    block.clear()
  }

  private func closeChunk() throws(StoreError) {
    if list == nil {
      list = nextList
      nextList &+= 1
    }
    lastOfChunks = base &- 1
    try store.put(blocks, at: TextKey.chunk(segment, list: list!, last: lastOfChunks))
    chunkByteCount += blocks.count
    blocks.clear()
    base = 0
  }

  /// Ends the list. Appends its description to `dictionary`, and the blocks that are in no chunk to
  /// `postings`.
  func end(_ dictionary: ByteSink, _ postings: ByteSink) throws(StoreError) {
    if documentCount == 0, block.count <= Self.shortCount {
      let start = postings.count
      if block.count > 0 { block.writeShort(first, to: postings) }
      dictionary.appendNumber(block.count)
      dictionary.appendNumber((postings.count - start) << 2 | 2)
      documentCount = block.count
      return
    }
    try closeBlock()
    if blocks.count > Self.mostTailBytes { try closeChunk() }
    dictionary.appendNumber(documentCount)
    dictionary.appendNumber(blocks.count << 2 | (list == nil ? 0 : 1))
    if let list {
      dictionary.appendNumber(UInt64(list))
      dictionary.appendNumber(UInt64(lastOfChunks))
    }
    postings.append(blocks.bytes)
  }
}

/// A place in a document: the field in the upper 5 bits, the position in the lower 27.
enum TextPlace {
  static let fieldUnit: UInt32 = 1 << 27

  @inline(__always)
  static func field(_ place: UInt32) -> Int { Int(place >> 27) }
  @inline(__always)
  static func position(_ place: UInt32) -> UInt32 { place & (fieldUnit - 1) }
}
