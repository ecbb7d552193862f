import RoostFile

/// Writes the posting list of one term after the other.
///
/// ## Layout
/// A posting is a document, the term's frequency in it, and the term's places. A list of at most 8 postings is: first
/// document, documents, places. A longer list is a row of blocks of at most 128 postings:
///
/// | Field | Bytes |
/// |---|---|
/// | postings | 1 |
/// | first document, less the last one of the block before; in the first block of an entry: plus 1 | variable |
/// | last document, less the first | variable |
/// | bytes of documents, bytes of places | variable |
/// | greatest frequency, least length of a document | variable |
/// | documents | |
/// | places | |
///
/// Documents: the gap to the document before, times 2, plus 1 if the term occurs once and in field 0. Otherwise the
/// frequency follows; with more than one field: the set of fields as bits, then the frequency in each of them. Places:
/// for each field the first position, then distances.
///
/// Whole chunks of blocks get entries of their own, whose keys end with their last document. The rest of the list is in
/// the block of terms.
final class PostingListWriter {
  static let shortCount = 8
  static let blockCount = 128
  static let mostPlaceBytes = 4096
  static let chunkBytes = 8192
  static let mostTailBytes = 3072

  private let store: any TextStore
  private let segment: UInt32
  private let fieldCount: Int
  /// The number of the next list with chunks.
  private(set) var nextList: UInt32
  private(set) var chunkByteCount = 0

  private let documents = ByteSink()
  private let places = ByteSink()
  private let blocks = ByteSink(room: 16_384)
  private var count = 0
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
  }

  func begin() {
    blocks.clear()
    documents.clear()
    places.clear()
    (count, documentCount, base, list) = (0, 0, 0, nil)
  }

  /// Adds a document. Its places are ascending, at least one, and the document is greater than the one before.
  @inline(__always)
  func add(_ document: UInt32, length: UInt32, places found: UnsafeBufferPointer<UInt32>) throws(StoreError) {
    let gap: UInt64
    if count == 0 {
      first = document
      gap = 0
      (greatest, least) = (0, .max)
    } else {
      gap = UInt64(document &- last &- 1)
    }
    last = document
    count &+= 1
    let frequency = UInt32(truncatingIfNeeded: found.count)
    if frequency > greatest { greatest = frequency }
    if length < least { least = length }
    if found.count == 1, found[0] < TextPlace.fieldUnit {
      documents.appendNumber(gap << 1 | 1)
      places.appendNumber(UInt64(found[0]))
    } else {
      documents.appendNumber(gap << 1)
      addFrequencies(found)
    }
    if count == Self.blockCount || places.count > Self.mostPlaceBytes { try closeBlock() }
  }

  private func addFrequencies(_ found: UnsafeBufferPointer<UInt32>) {
    if fieldCount == 1 {
      documents.appendNumber(UInt64(found.count))
    } else {
      var mask: UInt64 = 0
      for place in found { mask |= 1 << UInt64(TextPlace.field(place)) }
      documents.appendNumber(mask)
      var start = 0
      while start < found.count {
        let field = TextPlace.field(found[start])
        var end = start + 1
        while end < found.count, TextPlace.field(found[end]) == field { end += 1 }
        documents.appendNumber(UInt64(end - start))
        start = end
      }
    }
    var before: UInt32 = .max
    for place in found {
      let isNext = before != .max && TextPlace.field(before) == TextPlace.field(place)
      places.appendNumber(UInt64(isNext ? place &- before : TextPlace.position(place)))
      before = place
    }
  }

  private func closeBlock() throws(StoreError) {
    if count == 0 { return }
    if blocks.count > 0, blocks.count + documents.count + places.count + 24 > Self.chunkBytes { try closeChunk() }
    documentCount += count
    blocks.append(UInt8(truncatingIfNeeded: count))
    blocks.appendNumber(UInt64(first &+ 1 &- base))
    blocks.appendNumber(UInt64(last &- first))
    blocks.appendNumber(documents.count)
    blocks.appendNumber(places.count)
    blocks.appendNumber(UInt64(greatest))
    blocks.appendNumber(UInt64(least))
    blocks.append(documents.bytes)
    blocks.append(places.bytes)
    base = last &+ 1
    documents.clear()
    places.clear()
    count = 0
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

  /// Ends the list. Appends its description to `dictionary` and the part without an entry of its own to `postings`.
  func end(_ dictionary: ByteSink, _ postings: ByteSink) throws(StoreError) {
    if documentCount == 0, count <= Self.shortCount {
      let start = postings.count
      postings.appendNumber(UInt64(first))
      postings.append(documents.bytes)
      postings.append(places.bytes)
      dictionary.appendNumber(count)
      dictionary.appendNumber((postings.count - start) << 2 | 2)
      documentCount = count
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
