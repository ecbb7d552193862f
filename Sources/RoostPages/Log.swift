import RoostBytes
import RoostFile

/// The log as its writer uses it: a ring of segments, and the frames that are not written yet.
///
/// Only the holder of the writer's turn uses it. ``CommitQueue`` syncs it.
///
/// ## Invariants
/// 1. A frame never crosses a segment's end; there is always room for a link.
/// 2. A segment is reused only after the superblock that no longer needs it is synced.
/// 3. The bytes after the last commit frame may be overwritten.
final class Log {
  struct Segment {
    /// The position of its first frame; nil while it is free.
    var first: UInt64?
    var salt: UInt64 = 0
    /// The first position in its previous use: the previous superblock may still need that content.
    var left: UInt64?
  }

  /// A position to which the log can go back.
  struct Mark {
    var segment: Int
    var offset: Int
    var position: UInt64
    var chain: UInt64
    /// The number of bytes in `buffer` before this point.
    var pending: Int
    /// How often the buffer had been written to the file.
    var flushes: Int
  }

  // Unchecked exclusivity: one thread at a time holds the turn, and no access to a field calls
  // other code.
  let file: any StorageFile
  let segmentBytes: Int
  private let storeHigh: UInt64
  private let storeLow: UInt64
  /// Only code in `Log+Segments.swift` changes it.
  @exclusivity(unchecked) var segments: [Segment] = []
  private var makeSalt: () -> UInt64
  private let schedule: Schedule?
  private let largestPayload: Int

  @exclusivity(unchecked) private(set) var segment = -1
  /// Offset in the segment of the first byte in `buffer`.
  @exclusivity(unchecked) private var flushed = 0
  @exclusivity(unchecked) private var position: UInt64
  @exclusivity(unchecked) private var chain: UInt64 = 0
  @exclusivity(unchecked) private var flushes = 0

  @exclusivity(unchecked) private var buffer: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var capacity: Int
  /// Bytes of finished frames in `buffer`.
  @exclusivity(unchecked) private var finished = 0
  /// Payload bytes of the frame under construction.
  @exclusivity(unchecked) private var payload = 0
  /// The payload bytes for which room was already checked.
  @exclusivity(unchecked) private var roomy = 0

  /// The newest superblock's sequence, which new segments contain.
  var superblock: UInt64 = 0
  /// The synced position that new frames may claim: see ``claim(_:)``.
  @exclusivity(unchecked) private var synced: UInt64 = 0
  /// The last result of ``beginSegment()``.
  private var begun: Superblock.LogStart?
  /// The end that recovery found. Whether the bytes before it were ever synced is unknown.
  private var recovered: UInt64 = 0
  /// Whether the reserve segment, kept for transactions that only delete, may be used now.
  var mayUseReserve = false

  init(
    file: any StorageFile, segmentBytes: Int, storeHigh: UInt64, storeLow: UInt64, position: UInt64,
    makeSalt: @escaping () -> UInt64, schedule: Schedule? = nil
  ) {
    self.file = file
    self.segmentBytes = segmentBytes
    self.storeHigh = storeHigh
    self.storeLow = storeLow
    self.position = position
    self.makeSalt = makeSalt
    self.schedule = schedule
    largestPayload = min(LogFormat.largestPayload, (segmentBytes / 4) & ~7)
    capacity = 1 << 16
    buffer = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { buffer.deallocate() }

  var end: UInt64 { position }

  /// The bytes of all segments that still hold needed records.
  var usedBytes: Int { segments.count { $0.first != nil } * segmentBytes }
  var segmentCount: Int { segments.count }

  // MARK: Segments

  /// Continues after the last closed record that recovery found. Segments that recovery did not
  /// visit are free.
  func resume(at end: LogEnd, segmentCount: Int) {
    segments = Array(repeating: Segment(), count: segmentCount)
    for use in end.visited { segments[use.segment] = Segment(first: use.first, salt: use.salt) }
    segment = end.segment
    flushed = end.offset
    position = end.position
    chain = end.chain
    recovered = end.position
  }

  /// Zeros the rest of the segment after the end. Otherwise a record that a crash cut off there
  /// could be found again, after the record before it was written again with the same bytes.
  func clearTail() throws(StoreError) {
    if segment >= 0 { try clear(segment, flushed..<segmentBytes) }
  }

  /// Zeros bytes of a segment, up to the end of the file.
  private func clear(_ segment: Int, _ range: Range<Int>) throws(StoreError) {
    let bytes = try Room.take(range.count)
    defer { Room.give(bytes) }
    let start = offset(of: segment) + UInt64(range.lowerBound)
    let count = try file.read(into: bytes, at: start)
    guard bytes[..<count].contains(where: { $0 != 0 }) else { return }
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: start)
  }

  /// Notes how far the log is known to be synced. Frames contain this position, and it proves
  /// damage to later readers.
  ///
  /// Bytes that recovery read may exist only in the kernel's memory, if a sync failed before. So
  /// nothing is claimed before a sync has passed the recovered end. By then a superblock has made
  /// the earlier part unnecessary.
  func claim(_ position: UInt64) {
    if position > recovered { synced = max(synced, position) }
  }

  var hasBegun: Bool { segment >= 0 }

  /// Continues in a new segment and returns its start. Waiting frames are written first.
  ///
  /// A segment that was begun and never used counts as new, unless `leavingUnused` is true.
  func beginSegment(leavingUnused: Bool = false) throws(StoreError) -> Superblock.LogStart {
    if !leavingUnused, let begun, Int(begun.segment) == segment, begun.position == position {
      try flush()
      return begun
    }
    if segment >= 0 { try link() } else { enterSegment(try takeSegment(), previous: chain) }
    try flush()
    let start = Superblock.LogStart(segment: UInt32(segment), salt: segments[segment].salt, position: position)
    begun = start
    return start
  }

  func offset(of segment: Int) -> UInt64 {
    UInt64(LogFormat.fileHeader) + UInt64(segment) * UInt64(segmentBytes)
  }

  private func enterSegment(_ next: Int, previous: UInt64) {
    schedule?(.takingSegment)
    let salt = makeSalt()
    segments[next].first = position
    segments[next].salt = salt
    segment = next
    flushed = 0
    finished = LogFormat.segmentHeader
    chain = previous
    SegmentHeader(
      storeHigh: storeHigh, storeLow: storeLow, salt: salt, superblock: superblock, previous: previous,
      position: position
    ).write(to: buffer, segmentBytes: segmentBytes)
  }

  /// Continues in a new segment. The frame under construction is empty or was finished.
  private func link() throws(StoreError) {
    // The next segment is chosen before the link is written, so that a full disk leaves the log
    // unchanged.
    let next = try takeSegment()
    let before = try mark()
    room(LogFormat.linkBytes)
    (buffer + finished).set32(LogFormat.frameHeader, UInt32(next))
    seal(payload: 4, .link, flags: 0)
    do throws(StoreError) { try flush() } catch {
      // If the link stayed, readers would miss the records that are appended here next.
      goBack(to: before)
      throw error
    }
    enterSegment(next, previous: chain)
  }

  // MARK: Frames

  /// Returns room for a piece of `count` bytes in the frame under construction. The caller fills it
  /// at once.
  func append(_ count: Int) throws(StoreError) -> UnsafeMutableRawPointer {
    if let memory = appendAtOnce(count) { return memory }
    try makeRoom(for: count)
    return take(count)
  }

  /// As `append`, but only if the frame under construction has the room; else nil.
  @inline(__always)
  func appendAtOnce(_ count: Int) -> UnsafeMutableRawPointer? { payload &+ count <= roomy ? take(count) : nil }

  @inline(__always)
  private func take(_ count: Int) -> UnsafeMutableRawPointer {
    let memory = buffer + (finished &+ LogFormat.frameHeader &+ payload)
    payload &+= count
    return memory
  }

  /// Finds room for a piece, in this frame, the next one or another segment, and notes the
  /// remaining room.
  @inline(never)
  private func makeRoom(for count: Int) throws(StoreError) {
    if payload > 0 && payload + count > largestPayload { try finishFrame(.data, flags: 0) }
    try makeRoomInSegment(for: payload + count)
    room(LogFormat.frameHeader + payload + count + 8)
    let inSegment = segmentBytes - flushed - finished - LogFormat.frameHeader - LogFormat.linkBytes
    let inBuffer = capacity - finished - LogFormat.frameHeader - 8
    roomy = min(largestPayload, inSegment & ~7, inBuffer)
  }

  /// The most bytes that `append` takes at once.
  var largestAppend: Int { largestPayload }

  /// Closes the record and writes it. Returns the position after it.
  func commit(flags: UInt8) throws(StoreError) -> UInt64 {
    try makeRoomInSegment(for: payload)
    room(LogFormat.frameHeader + payload + 8)
    seal(payload: payload, .commit, flags: flags)
    payload = 0
    roomy = 0
    try flush()
    return position
  }

  private func finishFrame(_ kind: LogFormat.FrameKind, flags: UInt8) throws(StoreError) {
    seal(payload: payload, kind, flags: flags)
    payload = 0
    roomy = 0
    if finished > 1 << 20 { try flush() }
  }

  /// Continues in another segment if a frame with this payload and a link no longer fit.
  private func makeRoomInSegment(for count: Int) throws(StoreError) {
    let needed = LogFormat.frameHeader + LogFormat.padded(count) + LogFormat.linkBytes
    if segment >= 0 && flushed + finished + needed <= segmentBytes { return }
    // A frame that was begun here is finished here: its room was checked at its begin.
    if payload > 0 { try finishFrame(.data, flags: 0) }
    if segment < 0 { enterSegment(try takeSegment(), previous: chain) } else { try link() }
  }

  private func seal(payload count: Int, _ kind: LogFormat.FrameKind, flags: UInt8) {
    chain = LogFrame.seal(
      buffer + finished, payload: count, kind: kind, flags: flags, position: position, synced: synced,
      previous: chain, salt: segments[segment].salt)
    let bytes = LogFormat.frameHeader + LogFormat.padded(count)
    finished += bytes
    position += UInt64(bytes)
  }

  /// Writes the finished frames. The frame under construction must be empty.
  private func flush() throws(StoreError) {
    guard finished > 0 else { return }
    try file.write(
      UnsafeRawBufferPointer(start: buffer, count: finished), at: offset(of: segment) + UInt64(flushed))
    flushed += finished
    finished = 0
    flushes += 1
  }

  private func room(_ count: Int) {
    let needed = finished + count
    if needed <= capacity { return }
    let larger = max(needed, capacity * 2)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    memory.copyMemory(from: buffer, byteCount: min(capacity, finished + LogFormat.frameHeader + payload))
    buffer.deallocate()
    buffer = memory
    capacity = larger
  }

  // MARK: Going back

  /// The present position. The frame under construction is finished first.
  func mark() throws(StoreError) -> Mark {
    if payload > 0 { try finishFrame(.data, flags: 0) }
    return Mark(
      segment: segment, offset: flushed, position: position, chain: chain, pending: finished, flushes: flushes)
  }

  /// Discards everything since the mark. Bytes that were already written will be overwritten.
  func goBack(to mark: Mark) {
    for index in segments.indices where index != mark.segment {
      if let first = segments[index].first, first >= mark.position, mark.segment >= 0 { segments[index].first = nil }
    }
    payload = 0
    roomy = 0
    position = mark.position
    chain = mark.chain
    segment = mark.segment
    if flushes == mark.flushes {
      flushed = mark.offset
      finished = mark.pending
    } else {
      // The bytes that waited then have been written, right after the mark's offset.
      flushed = mark.offset + mark.pending
      finished = 0
    }
  }

  /// Zeros the record that was begun at the mark, after a commit whose write failed: all of it may
  /// have reached the file.
  ///
  /// Zeroing only its first frame is not enough. The next record may begin with the same bytes, for
  /// example with a link to the same segment. After a crash, recovery would then read on into the
  /// old frames. A segment that the next record takes gets a new salt in its header. So it suffices
  /// to zero the headers of the segments taken since the mark.
  func erase(from mark: Mark) throws(StoreError) {
    guard mark.segment >= 0 else { return }
    let start = mark.offset + mark.pending
    // Written even if the file already has zeros here, because a device that fails to write must be
    // noticed.
    try file.write([UInt8](repeating: 0, count: LogFormat.frameHeader), at: Int(offset(of: mark.segment)) + start)
    try clear(mark.segment, start..<segmentBytes)
    for index in segments.indices where index != mark.segment {
      if let first = segments[index].first, first >= mark.position { try clear(index, 0..<LogFormat.segmentHeader) }
    }
  }
}
