import RoostBytes
import RoostFile

/// Moves through one posting list, block by block, and decodes only the blocks that it needs.
///
/// All bytes are copied to memory with a margin. So a damaged number can be read to its end, and is
/// rejected afterwards.
final class PostingCursor {
  static let end = UInt32.max
  static let noPlace = UInt32.max

  let segment: SegmentReader
  let entry: TermEntry
  let fieldCount: Int

  /// The current document, or `end`.
  private(set) var document: UInt32 = 0
  private(set) var place = 0

  // The current block. Its documents are decoded when they are needed.
  private(set) var blockLast: UInt32 = 0
  private(set) var blockGreatest: UInt32 = .max
  private(set) var blockLeast: UInt32 = 0
  private var blockFirst: UInt32 = 0
  private var blockCount = 0
  private var isDecoded = false
  /// The offset of the bytes after the head of the block.
  private var bodyStart = 0
  private(set) var widths: (gap: Int, frequency: Int, place: Int) = (0, 0, 0)
  private var hasExceptions = false
  private(set) var usualField = 0
  private var placeCount = 0
  private(set) var placesStart = 0
  /// By posting, the number of places before it.
  let placeOffsets = UnsafeMutablePointer<UInt32>.allocate(capacity: PostingListWriter.blockCount)

  let documents = UnsafeMutablePointer<UInt32>.allocate(capacity: PostingListWriter.blockCount)
  let frequencies = UnsafeMutablePointer<UInt32>.allocate(capacity: PostingListWriter.blockCount)
  /// By posting, whether it is an exception. All others have all their places in the usual field.
  let exceptions = UnsafeMutablePointer<Bool>.allocate(capacity: PostingListWriter.blockCount)
  /// For each exception the frequency in each field; nothing for other postings.
  let fieldFrequencies: UnsafeMutablePointer<UInt32>
  private(set) var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var byteCount = 0
  private var nextBlock = 0
  /// The last document of the blocks that were read in this entry, plus 1.
  private var base: UInt64 = 0
  private var isInTail = false
  private var nextChunk: UInt32 = 0

  /// A cursor that is before the first document: call `advance(to:)`.
  init(_ segment: SegmentReader, _ entry: TermEntry) throws(StoreError) {
    self.segment = segment
    self.entry = entry
    fieldCount = segment.fieldCount
    fieldFrequencies = .allocate(capacity: fieldCount == 1 ? 1 : PostingListWriter.blockCount * fieldCount)
    exceptions.initialize(repeating: false, count: PostingListWriter.blockCount)
    if entry.isShort {
      entry.tail.withUnsafeBytes { copy($0) }
      isInTail = true
      try readShort()
    } else if entry.list == nil {
      try openTail()
      try readBlock()
    } else {
      try openChunk(0)
      try readBlock()
    }
  }

  deinit {
    documents.deallocate()
    placeOffsets.deallocate()
    exceptions.deallocate()
    fieldFrequencies.deallocate()
    frequencies.deallocate()
    bytes.deallocate()
  }

  // MARK: Entries

  private func copy(_ source: UnsafeRawBufferPointer) {
    if bytes.count < source.count + 16 {
      bytes.deallocate()
      bytes = .allocate(byteCount: source.count + 16, alignment: 8)
    }
    bytes.copyMemory(from: source)
    bytes.baseAddress?.advanced(by: source.count).initializeMemory(as: UInt8.self, repeating: 0, count: 16)
    byteCount = source.count
    nextBlock = 0
    base = 0
  }

  private func openTail() throws(StoreError) {
    isInTail = true
    entry.tail.withUnsafeBytes { copy($0) }
  }

  /// Reads the chunk that has `target` or the next greater document.
  private func openChunk(_ target: UInt32) throws(StoreError) {
    guard let list = entry.list, target <= entry.lastOfChunks else { return try openTail() }
    let prefix = Array(TextKey.chunk(segment.number, list: list, last: 0).dropLast(4))
    var isFound = false
    let key = TextKey.chunk(segment.number, list: list, last: target)
    try segment.visit(prefix: prefix, from: key) { (key, value) throws(StoreError) in
      guard let last = TextKey.number(key, at: 10), last < segment.documentCount else { throw ByteSource.damage }
      copy(value)
      nextChunk = last + 1
      isFound = true
      return false
    }
    guard isFound, byteCount > 0 else {
      throw StoreError(.damaged, "a chunk of a posting list is missing in the text index")
    }
  }

  /// Reads the head of the next block. At the end of the list it sets `blockLast` to `end`.
  private func readBlock() throws(StoreError) {
    if nextBlock == byteCount {
      if isInTail {
        blockLast = Self.end
        blockCount = 0
        isDecoded = true
        document = Self.end
        return
      }
      try openChunk(nextChunk)
      return try readBlock(afterOpening: true)
    }
    try readHead()
  }

  private func readBlock(afterOpening: Bool) throws(StoreError) {
    // A tail may be empty; a chunk is not.
    if nextBlock == byteCount {
      return try isInTail ? readBlock() : { () throws(StoreError) in throw ByteSource.damage }()
    }
    try readHead()
  }

  private func readHead() throws(StoreError) {
    var source = ByteSource(UnsafeRawBufferPointer(rebasing: bytes[nextBlock..<byteCount]))
    blockCount = Int(try source.byte())
    let first = base + (try source.number() & 0xFFFF_FFFF_FFFF) &- 1
    let last = first &+ UInt64(try source.count(segment.documentCount))
    blockGreatest = UInt32(try source.count(Int(UInt32.max)))
    blockLeast = UInt32(try source.count(Int(UInt32.max)))
    placeCount = try source.count(Int(UInt32.max))
    widths.gap = Int(try source.byte())
    let code = try source.byte()
    widths.frequency = Int(code & ~PostingListWriter.hasExceptions)
    hasExceptions = code & PostingListWriter.hasExceptions != 0
    widths.place = Int(try source.byte())
    usualField = fieldCount > 1 ? Int(try source.byte()) : 0
    guard blockCount > 0, blockCount <= PostingListWriter.blockCount, first < UInt64(segment.documentCount),
      last < UInt64(segment.documentCount), last - first >= UInt64(blockCount - 1), widths.gap <= 32,
      widths.frequency <= 32, widths.place <= 27, usualField < fieldCount, placeCount >= blockCount,
      // Places without a bit are all 0, so a field has one of them.
      widths.place > 0 || placeCount <= blockCount * fieldCount
    else { throw ByteSource.damage }
    blockFirst = UInt32(first)
    blockLast = UInt32(last)
    base = last + 1
    bodyStart = nextBlock + source.offset
    _ = try source.take(Self.bytes(blockCount - 1, widths.gap) + Self.bytes(blockCount, widths.frequency))
    if hasExceptions { _ = try source.take(try source.count(source.rest)) }
    placesStart = nextBlock + source.offset
    _ = try source.take(Self.bytes(placeCount, widths.place))
    nextBlock += source.offset
    isDecoded = false
  }

  @inline(__always)
  private static func bytes(_ count: Int, _ width: Int) -> Int { (count &* width &+ 7) >> 3 }

  /// Reads a short list, and keeps its places as packed numbers of 32 bits.
  private func readShort() throws(StoreError) {
    var source = ByteSource(UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]))
    let code = try source.count(segment.documentCount * fieldCount - 1)
    (blockFirst, usualField) = (UInt32(code / fieldCount), code % fieldCount)
    blockCount = entry.documentCount
    var next = UInt64(blockFirst)
    placeCount = 0
    for posting in 0..<blockCount {
      let code = try source.number()
      next &+= code >> 1
      guard next < UInt64(segment.documentCount) else { throw ByteSource.damage }
      documents[posting] = UInt32(truncatingIfNeeded: next)
      next &+= 1
      if code & 1 == 1 {
        frequencies[posting] = 1
      } else if fieldCount == 1 {
        let frequency = try source.count(source.rest)
        if frequency == 0 { throw ByteSource.damage }
        frequencies[posting] = UInt32(frequency)
      } else {
        var mask = try source.number()
        if mask == 0 || mask >> UInt64(fieldCount) != 0 { throw ByteSource.damage }
        let fields = beginException(posting)
        var sum = 0
        while mask != 0 {
          // Each place has a byte at least.
          let frequency = try source.count(source.rest)
          if frequency == 0 { throw ByteSource.damage }
          fields[mask.trailingZeroBitCount] = UInt32(frequency)
          sum += frequency
          mask &= mask &- 1
        }
        if sum > source.rest { throw ByteSource.damage }
        frequencies[posting] = UInt32(sum)
      }
      placeOffsets[posting] = UInt32(truncatingIfNeeded: placeCount)
      placeCount += Int(frequencies[posting])
    }
    guard placeCount <= source.rest else { throw ByteSource.damage }
    let packed = UnsafeMutableRawBufferPointer.allocate(byteCount: placeCount * 4 + 16, alignment: 8)
    (packed.baseAddress! + placeCount * 4).initializeMemory(as: UInt8.self, repeating: 0, count: 16)
    var failure: StoreError?
    for place in 0..<placeCount {
      do throws(StoreError) {
        let number = UInt32(try source.count(Int(TextPlace.fieldUnit) - 1))
        packed.storeBytes(of: number.littleEndian, toByteOffset: place * 4, as: UInt32.self)
      } catch { failure = error }
    }
    bytes.deallocate()
    bytes = packed
    if let failure { throw failure }
    guard source.isAtEnd else { throw ByteSource.damage }
    byteCount = placeCount * 4
    nextBlock = byteCount
    widths.place = 32
    placesStart = 0
    blockLast = documents[blockCount - 1]
    isDecoded = true
    document = 0
    place = -1
  }

  // MARK: Documents

  /// The frequencies of an exception in each field, all 0 at first.
  private func beginException(_ posting: Int) -> UnsafeMutablePointer<UInt32> {
    exceptions[posting] = true
    let fields = fieldFrequencies + posting * fieldCount
    fields.update(repeating: 0, count: fieldCount)
    return fields
  }

  /// A packed number. The buffer has a margin of eight bytes and more.
  @inline(__always)
  static func number(_ start: UnsafeRawPointer, _ bit: Int, mask: UInt64) -> UInt64 {
    (start.u64(bit >> 3) >> UInt64(truncatingIfNeeded: bit & 7)) & mask
  }

  private func decode() throws(StoreError) {
    let start = UnsafeRawPointer(bytes.baseAddress!) + bodyStart
    var next = UInt64(blockFirst)
    documents[0] = blockFirst
    var mask = (UInt64(1) << UInt64(widths.gap)) &- 1
    var bit = 0
    for posting in 1..<max(blockCount, 1) {
      next &+= Self.number(start, bit, mask: mask) &+ 1
      documents[posting] = UInt32(truncatingIfNeeded: next)
      bit &+= widths.gap
    }
    guard next == UInt64(blockLast) else { throw ByteSource.damage }
    bit = Self.bytes(blockCount &- 1, widths.gap) &* 8
    mask = (UInt64(1) << UInt64(widths.frequency)) &- 1
    var sum: UInt64 = 0
    for posting in 0..<blockCount {
      let frequency = Self.number(start, bit, mask: mask) &+ 1
      bit &+= widths.frequency
      placeOffsets[posting] = UInt32(truncatingIfNeeded: sum)
      frequencies[posting] = UInt32(truncatingIfNeeded: frequency)
      sum &+= frequency
    }
    guard sum == UInt64(placeCount) else { throw ByteSource.damage }
    if fieldCount > 1 { exceptions.update(repeating: false, count: PostingListWriter.blockCount) }
    if hasExceptions { try decodeExceptions() }
    isDecoded = true
    place = -1
  }

  private func decodeExceptions() throws(StoreError) {
    let start =
      bodyStart + Self.bytes(blockCount - 1, widths.gap) + Self.bytes(blockCount, widths.frequency)
    var source = ByteSource(UnsafeRawBufferPointer(rebasing: bytes[start..<placesStart]))
    guard try source.count(source.rest) == source.rest else { throw ByteSource.damage }
    var posting = -1
    while !source.isAtEnd {
      posting += 1 + (try source.count(blockCount))
      guard posting < blockCount else { throw ByteSource.damage }
      var mask = try source.number()
      if mask == 0 || mask >> UInt64(fieldCount) != 0 { throw ByteSource.damage }
      let fields = beginException(posting)
      var left = frequencies[posting]
      while mask & (mask &- 1) != 0 {
        let frequency = UInt32(try source.count(Int(left)))
        guard frequency > 0, frequency < left else { throw ByteSource.damage }
        fields[mask.trailingZeroBitCount] = frequency
        left -= frequency
        mask &= mask &- 1
      }
      fields[mask.trailingZeroBitCount] = left
    }
  }

  // MARK: Moving

  /// Moves to the block that may have `target`, without reading its documents.
  @inline(__always)
  func seekBlock(_ target: UInt32) throws(StoreError) {
    if blockLast < target { try moveBlock(target) }
  }

  private func moveBlock(_ target: UInt32) throws(StoreError) {
    while blockLast < target {
      if !isInTail, target >= nextChunk {
        try openChunk(target)
        nextBlock = 0
      }
      try readBlock()
    }
  }

  /// Moves to the first document that is not below `target`.
  @inline(__always)
  func advance(to target: UInt32) throws(StoreError) {
    if blockLast < target { try moveBlock(target) }
    if !isDecoded { try decode() }
    if blockLast == Self.end {
      document = Self.end
      return
    }
    var next = max(place, 0)
    // The last document of the block is not below the target.
    if documents[next] < target, next &+ 16 < blockCount, documents[next &+ 16] < target {
      var low = next &+ 16
      var high = blockCount &- 1
      while low < high {
        let middle = (low &+ high) >> 1
        if documents[middle] < target { low = middle &+ 1 } else { high = middle }
      }
      next = low
    }
    while documents[next] < target { next &+= 1 }
    place = next
    document = documents[next]
  }

  /// Copies the documents of the block from the current one on. Returns their number.
  func copyDocuments(to batch: UnsafeMutablePointer<UInt32>) -> Int {
    if document == Self.end { return 0 }
    batch.update(from: documents + place, count: blockCount &- place)
    return blockCount &- place
  }

  /// Keeps the documents of a batch that are in this list, and returns their number.
  func keep(_ batch: UnsafeMutablePointer<UInt32>, _ count: Int) throws(StoreError) -> Int {
    var kept = 0
    var next = 0
    while next < count {
      try advance(to: batch[next])
      if document == Self.end { break }
      var at = place
      while next < count, batch[next] <= blockLast {
        let target = batch[next]
        while at &+ 8 < blockCount, documents[at &+ 8] < target { at &+= 8 }
        while documents[at] < target { at &+= 1 }
        batch[kept] = target
        kept &+= documents[at] == target ? 1 : 0
        next &+= 1
      }
      place = at
      document = documents[at]
    }
    return kept
  }

  /// Moves to a posting of the block.
  @inline(__always)
  func select(_ posting: Int) {
    place = posting
    document = documents[posting]
  }

  /// The documents of the block, the place of the current one among them, and their number.
  var block: (documents: UnsafePointer<UInt32>, first: Int, count: Int) {
    (UnsafePointer(documents), place, blockCount)
  }

  /// Sets the bits of the documents from the current one up to `end`, and moves after them. Returns true if the current
  /// document is not below `end` then.
  func markBlock(
    _ bits: UnsafeMutablePointer<UInt64>, from start: UInt32, to end: UInt32
  ) throws(StoreError) -> Bool {
    var next = place
    while next < blockCount, documents[next] < end {
      let bit = documents[next] &- start
      bits[Int(bit >> 6)] |= 1 << UInt64(bit & 63)
      next &+= 1
    }
    try advance(to: next < blockCount ? documents[next] : blockLast + 1)
    return document >= end
  }

  /// How often the current document has the term.
  var frequency: UInt32 { frequencies[place] }

  @inline(__always)
  func frequency(field: Int) -> UInt32 {
    if exceptions[place] { return fieldFrequencies[place * fieldCount + field] }
    return field == usualField ? frequencies[place] : 0
  }

  /// All documents and frequencies of the block that `advance` moved to.
  var postings: (documents: UnsafeBufferPointer<UInt32>, frequencies: UnsafeBufferPointer<UInt32>) {
    (
      UnsafeBufferPointer(start: documents, count: blockCount),
      UnsafeBufferPointer(start: frequencies, count: blockCount)
    )
  }
}
