import RoostFile

/// The description of a posting list, as a block of terms has it.
struct TermEntry {
  var documentCount = 0
  var isShort = false
  /// The list's number, if whole chunks of it have entries of their own.
  var list: UInt32?
  var lastOfChunks: UInt32 = 0
  /// The postings in the block of terms.
  var tail: [UInt8] = []

  /// A term's entry in the dictionary; the bytes of the tail are not copied.
  struct Head {
    var documentCount: Int
    var isShort: Bool
    var list: UInt32?
    var lastOfChunks: UInt32 = 0
    var tailCount: Int

    @inline(__always)
    init(_ source: inout ByteSource, segmentCount: Int) throws(StoreError) {
      documentCount = try source.count(segmentCount)
      let code = try source.count(1 << 50)
      tailCount = code >> 2
      isShort = code & 2 != 0
      if code & 1 != 0 {
        list = UInt32(try source.count(Int(UInt32.max)))
        lastOfChunks = UInt32(try source.count(segmentCount - 1))
      }
      guard documentCount > 0, !isShort || documentCount <= PostingListWriter.shortCount && list == nil else {
        throw ByteSource.damage
      }
    }
  }
}

/// Reads a block of terms: see ``SegmentWriter`` for its bytes.
struct TermBlock {
  private let restarts: UnsafeRawBufferPointer
  private var dictionary: ByteSource
  private let postings: UnsafeRawBufferPointer
  private let segmentCount: Int
  private var left: Int
  private var tailStart = 0

  init(_ value: UnsafeRawBufferPointer, segmentCount: Int) throws(StoreError) {
    var source = ByteSource(value)
    left = try source.count(value.count)
    let byteCount = try source.count(value.count)
    guard left > 0 else { throw ByteSource.damage }
    restarts = try source.take((left - 1) / SegmentWriter.restartCount * 4)
    dictionary = ByteSource(try source.take(byteCount))
    postings = try source.take(source.rest)
    self.segmentCount = segmentCount
  }

  private mutating func entry() throws(StoreError) -> TermEntry.Head {
    let head = try TermEntry.Head(&dictionary, segmentCount: segmentCount)
    guard head.tailCount <= postings.count - tailStart else { throw ByteSource.damage }
    tailStart += head.tailCount
    return head
  }

  /// The entry whose head was read last.
  func whole(_ head: TermEntry.Head) -> TermEntry {
    TermEntry(
      documentCount: head.documentCount, isShort: head.isShort, list: head.list, lastOfChunks: head.lastOfChunks,
      tail: Array(postings[tailStart - head.tailCount..<tailStart]))
  }

  /// Moves to the last restart whose term is not after `term`.
  private mutating func seek(_ term: UnsafeRawBufferPointer) throws(StoreError) {
    let bytes = dictionary.bytes
    var (low, high) = (0, restarts.count / 4)
    while low < high {
      let middle = (low + high) / 2
      let start = Int(UInt16(littleEndian: restarts.loadUnaligned(fromByteOffset: middle * 4, as: UInt16.self)))
      guard start + 2 <= bytes.count, bytes[start] == 0 else { throw ByteSource.damage }
      let end = start + 2 + Int(bytes[start + 1])
      guard end <= bytes.count else { throw ByteSource.damage }
      let isAfter = term.isBelow(UnsafeRawBufferPointer(rebasing: bytes[start + 2..<end]))
      if isAfter { high = middle } else { low = middle + 1 }
    }
    if low == 0 { return }
    let place = (low - 1) * 4
    let start = Int(UInt16(littleEndian: restarts.loadUnaligned(fromByteOffset: place, as: UInt16.self)))
    tailStart = Int(UInt16(littleEndian: restarts.loadUnaligned(fromByteOffset: place + 2, as: UInt16.self)))
    guard tailStart <= postings.count else { throw ByteSource.damage }
    dictionary = ByteSource(bytes)
    _ = try dictionary.take(start)
    left -= low * SegmentWriter.restartCount
  }

  /// The entry of a term. Terms are compared from the byte on where they may differ.
  mutating func find(_ term: UnsafeRawBufferPointer) throws(StoreError) -> TermEntry? {
    try seek(term)
    var matched = 0
    for place in 0..<left {
      let shared = Int(try dictionary.byte())
      let other = try dictionary.take(Int(try dictionary.byte()))
      // A search ends at the next restart, which begins after the term.
      if place == SegmentWriter.restartCount || place > 0 && shared < matched { return nil }
      if shared == matched || place == 0 {
        guard shared == matched else { throw ByteSource.damage }
        var at = 0
        while at < other.count, matched < term.count, other[at] == term[matched] {
          (at, matched) = (at + 1, matched + 1)
        }
        if at == other.count {
          if matched == term.count {
            let head = try entry()
            return whole(head)
          }
        } else if matched == term.count || other[at] > term[matched] {
          return nil
        }
      }
      _ = try entry()
    }
    return nil
  }

  /// Calls `body` with each term of the block, until it returns false.
  mutating func visit(
    _ body: (_ term: UnsafeRawBufferPointer, _ head: TermEntry.Head, _ block: TermBlock) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 1)
    defer { room.deallocate() }
    var length = 0
    for _ in 0..<left {
      let shared = Int(try dictionary.byte())
      let other = try dictionary.take(Int(try dictionary.byte()))
      guard shared <= length, shared + other.count <= TextScanner.mostTermBytes else { throw ByteSource.damage }
      UnsafeMutableRawBufferPointer(rebasing: room[shared...]).copyMemory(from: other)
      length = shared + other.count
      let head = try entry()
      guard try body(UnsafeRawBufferPointer(rebasing: room[..<length]), head, self) else { return }
    }
    guard dictionary.isAtEnd, tailStart == postings.count else { throw ByteSource.damage }
  }
}
