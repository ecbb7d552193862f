import RoostBytes
import RoostFile

/// Moves through one posting list, block by block, and decodes only the blocks that it needs.
///
/// All bytes are copied to memory with a margin, so a damaged number is read to its end and found out afterwards.
final class PostingCursor {
  static let end = UInt32.max

  let segment: SegmentReader
  let entry: TermEntry
  private let fieldCount: Int

  /// The current document, or `end`.
  private(set) var document: UInt32 = 0
  private var place = 0

  // The current block. Its documents are decoded when they are needed.
  private(set) var blockLast: UInt32 = 0
  private(set) var blockGreatest: UInt32 = .max
  private(set) var blockLeast: UInt32 = 0
  private var blockFirst: UInt32 = 0
  private var blockCount = 0
  private var isDecoded = false
  private var documentsStart = 0
  private var placesStart = 0
  private var placesEnd = 0

  private let documents = UnsafeMutablePointer<UInt32>.allocate(capacity: PostingListWriter.blockCount)
  private let frequencies = UnsafeMutablePointer<UInt32>.allocate(capacity: PostingListWriter.blockCount)
  /// For each posting of the block the frequency in each field; with one field it is `frequencies`.
  private let fieldFrequencies: UnsafeMutablePointer<UInt32>
  /// The place bytes of the posting with this number begin here.
  private var placesCursor = 0
  private var placesPosting = 0

  private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
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
    fieldFrequencies =
      fieldCount == 1 ? frequencies : .allocate(capacity: PostingListWriter.blockCount * fieldCount)
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
    if fieldCount > 1 { fieldFrequencies.deallocate() }
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
    let documentBytes = try source.count(source.rest)
    let placeBytes = try source.count(source.rest)
    blockGreatest = UInt32(try source.count(Int(UInt32.max)))
    blockLeast = UInt32(try source.count(Int(UInt32.max)))
    guard blockCount > 0, blockCount <= PostingListWriter.blockCount, first < UInt64(segment.documentCount),
      last < UInt64(segment.documentCount), documentBytes + placeBytes <= source.rest,
      last - first >= UInt64(blockCount - 1)
    else { throw ByteSource.damage }
    blockFirst = UInt32(first)
    blockLast = UInt32(last)
    base = last + 1
    documentsStart = nextBlock + source.offset
    placesStart = documentsStart + documentBytes
    placesEnd = placesStart + placeBytes
    nextBlock = placesEnd
    isDecoded = false
  }

  private func readShort() throws(StoreError) {
    var source = ByteSource(UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]))
    blockFirst = UInt32(try source.count(segment.documentCount - 1))
    blockCount = entry.documentCount
    documentsStart = source.offset
    // Where the places begin is known after the documents.
    placesStart = byteCount
    placesEnd = byteCount
    placesStart = try decodeDocuments()
    blockLast = documents[blockCount - 1]
    nextBlock = byteCount
    isDecoded = true
    document = 0
    place = -1
    startPlaces()
  }

  // MARK: Documents

  @inline(__always)
  private func number(_ at: inout Int, _ start: UnsafeRawPointer) -> UInt64 {
    let first = start.u8(at)
    at &+= 1
    if first < 128 { return UInt64(first) }
    return longNumber(&at, start, first: first)
  }

  /// Reads the rest of a number; at most ten bytes, and the margin ends one.
  private func longNumber(_ at: inout Int, _ start: UnsafeRawPointer, first: UInt8) -> UInt64 {
    var value = UInt64(first & 127)
    var shift: UInt64 = 7
    while shift < 70 {
      let byte = start.u8(at)
      at &+= 1
      value |= UInt64(byte & 127) << shift
      if byte < 128 { break }
      shift &+= 7
    }
    return value
  }

  /// Decodes the documents of the block, and returns where they end.
  private func decodeDocuments() throws(StoreError) -> Int {
    let start = UnsafeRawPointer(bytes.baseAddress!)
    var at = documentsStart
    var next = UInt64(blockFirst)
    let end = placesStart
    for posting in 0..<blockCount {
      let code = number(&at, start)
      next &+= code >> 1
      if at > end || next >= UInt64(segment.documentCount) { throw ByteSource.damage }
      documents[posting] = UInt32(truncatingIfNeeded: next)
      next &+= 1
      if fieldCount == 1 {
        let frequency = code & 1 == 1 ? 1 : number(&at, start)
        // Each place has at least one byte.
        if frequency == 0 || frequency > UInt64(byteCount) { throw ByteSource.damage }
        frequencies[posting] = UInt32(truncatingIfNeeded: frequency)
      } else {
        let fields = fieldFrequencies + posting * fieldCount
        fields.update(repeating: 0, count: fieldCount)
        if code & 1 == 1 {
          fields[0] = 1
          frequencies[posting] = 1
        } else {
          var mask = number(&at, start)
          if mask == 0 || mask >> UInt64(fieldCount) != 0 { throw ByteSource.damage }
          var sum: UInt64 = 0
          while mask != 0 {
            let frequency = number(&at, start)
            if at > end || frequency == 0 || frequency > UInt64(byteCount) { throw ByteSource.damage }
            fields[mask.trailingZeroBitCount] = UInt32(truncatingIfNeeded: frequency)
            sum &+= frequency
            mask &= mask &- 1
          }
          if sum > UInt64(byteCount) { throw ByteSource.damage }
          frequencies[posting] = UInt32(truncatingIfNeeded: sum)
        }
      }
    }
    if at > end { throw ByteSource.damage }
    return at
  }

  private func startPlaces() {
    placesCursor = placesStart
    placesPosting = 0
  }

  private func decode() throws(StoreError) {
    guard try decodeDocuments() == placesStart, documents[0] == blockFirst, documents[blockCount - 1] == blockLast
    else {
      throw ByteSource.damage
    }
    isDecoded = true
    place = -1
    startPlaces()
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
  func frequency(field: Int) -> UInt32 { fieldFrequencies[place * fieldCount + field] }

  /// All documents and frequencies of the block that `advance` moved to.
  var postings: (documents: UnsafeBufferPointer<UInt32>, frequencies: UnsafeBufferPointer<UInt32>) {
    (
      UnsafeBufferPointer(start: documents, count: blockCount),
      UnsafeBufferPointer(start: frequencies, count: blockCount)
    )
  }

  /// Appends the places of the current document, ascending.
  func appendPlaces(to places: PlaceList) throws(StoreError) {
    if placesPosting != place { try skipPlaces() }
    let start = UnsafeRawPointer(bytes.baseAddress!)
    var at = placesCursor
    let fields = fieldFrequencies + place &* fieldCount
    for field in 0..<fieldCount {
      let count = Int(fields[field])
      if count == 0 { continue }
      let out = places.room(count)
      let fieldBits = UInt32(truncatingIfNeeded: field) << 27
      var position: UInt64 = 0
      for next in 0..<count {
        position &+= number(&at, start) & 0xFFFF_FFFF
        if at > placesEnd || position >= UInt64(TextPlace.fieldUnit) { throw ByteSource.damage }
        out[next] = fieldBits | UInt32(truncatingIfNeeded: position)
      }
      places.extend(count)
    }
    placesCursor = at
    placesPosting = place &+ 1
  }

  /// Sets one bit for each place of the current document: window × field + position - offset. Returns the words that have
  /// bits, or `nil` if a position is not below `window`.
  @inline(__always)
  func markPlaces(
    _ bits: UnsafeMutablePointer<UInt64>, offset: Int, window: Int, fields wanted: UInt32
  ) throws(StoreError) -> Int? {
    if placesPosting != place { try skipPlaces() }
    let start = UnsafeRawPointer(bytes.baseAddress!)
    var at = placesCursor
    let fields = fieldFrequencies + place &* fieldCount
    var greatest = -1
    for field in 0..<fieldCount {
      let isWanted = wanted >> UInt32(truncatingIfNeeded: field) & 1 == 1
      let base = field &* window &- offset
      var position = 0
      for _ in 0..<fields[field] {
        position &+= Int(truncatingIfNeeded: number(&at, start) & 0xFFFF_FFFF)
        if at > placesEnd { throw ByteSource.damage }
        if position >= window { return nil }
        if position < offset || !isWanted { continue }
        greatest = base &+ position
        bits[greatest >> 6] |= 1 << UInt64(truncatingIfNeeded: greatest & 63)
      }
    }
    placesCursor = at
    placesPosting = place &+ 1
    return (greatest &+ 64) >> 6
  }

  /// Moves to the place bytes of the current document.
  private func skipPlaces() throws(StoreError) {
    if placesPosting > place { startPlaces() }
    var left = 0
    for posting in placesPosting..<place { left &+= Int(frequencies[posting]) }
    let start = UnsafeRawPointer(bytes.baseAddress!)
    var at = placesCursor
    while left >= 8, at &+ 8 <= placesEnd {
      let word = start.u64(at)
      left &-= (~word & 0x8080_8080_8080_8080).nonzeroBitCount
      at &+= 8
    }
    while left > 0 {
      if at >= placesEnd { throw ByteSource.damage }
      if start.u8(at) < 128 { left &-= 1 }
      at &+= 1
    }
    placesCursor = at
    placesPosting = place
  }
}
