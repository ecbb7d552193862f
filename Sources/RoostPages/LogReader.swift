import RoostBytes
import RoostFile

/// Where writing continues after the log was read.
struct LogEnd {
  var segment: Int
  var offset: Int
  var position: UInt64
  var chain: UInt64
  /// The segments up to here, beginning with the one that the superblock names.
  var visited: [(segment: Int, first: UInt64, salt: UInt64)]
}

/// Reads the log from the start that a superblock names to its end.
///
/// Every number is checked before use, and each frame must contain the checksum of the previous
/// one. Everything after the first invalid frame is ignored, unless a later frame proves that the
/// log had been synced beyond it: see ``findDamage(after:)``.
struct LogReader {
  let file: any StorageFile
  let segmentBytes: Int
  private let storeHigh: UInt64
  private let storeLow: UInt64
  private let start: Superblock.LogStart

  private var bytes: UnsafeMutableRawBufferPointer
  private(set) var segment: Int
  private var offset = LogFormat.segmentHeader
  private(set) var header: SegmentHeader
  private(set) var position: UInt64
  private(set) var chain: UInt64
  /// The segments visited, in order.
  private(set) var visited: [(segment: Int, first: UInt64, salt: UInt64)] = []
  private let segmentCount: Int

  /// Opens the log that the superblock names, or throws `logMissing`.
  init(file: any StorageFile, superblock: Superblock, start: Superblock.LogStart) throws(StoreError) {
    self.file = file
    self.start = start
    storeHigh = superblock.identityHigh
    storeLow = superblock.identityLow
    let size = try file.size()
    guard let fileHeader = try Self.fileHeader(file) else {
      throw StoreError(.logDamaged, "the log's header is damaged", path: file.path, offset: 0)
    }
    guard fileHeader.storeHigh == storeHigh, fileHeader.storeLow == storeLow else {
      throw StoreError(.logMissing, "the log beside the store belongs to another store", path: file.path)
    }
    segmentBytes = fileHeader.segmentBytes
    segmentCount = Int((size - UInt64(LogFormat.fileHeader)) / UInt64(segmentBytes))
    guard Int(start.segment) < segmentCount else {
      throw StoreError(.logMissing, "the log is shorter than the store says", path: file.path)
    }
    // The file has at least one segment of that length.
    bytes = try Room.take(segmentBytes)
    segment = Int(start.segment)
    position = start.position
    chain = 0
    header = SegmentHeader(storeHigh: 0, storeLow: 0, salt: 0, superblock: 0, previous: 0, position: 0)
    do throws(StoreError) {
      guard let found = try load(segment) else {
        throw StoreError(
          .logDamaged, "the segment where the log begins is damaged", path: file.path,
          offset: Self.offset(of: segment, segmentBytes))
      }
      guard found.salt == start.salt, found.position == start.position else {
        throw StoreError(.logMissing, "the log beside the store is not the log that the store names", path: file.path)
      }
      enter(found, segment)
      chain = found.previous
    } catch {
      Room.give(bytes)
      throw error
    }
  }

  func close() { Room.give(bytes) }

  /// Goes back to the state of a copy of this reader.
  mutating func goBack(to copy: LogReader) throws(StoreError) {
    let isSegmentThere = segment == copy.segment
    self = copy
    // Copies share the memory of the loaded segment.
    if !isSegmentThere { _ = try load(segment) }
  }

  /// The end of the last frame that was read.
  var end: LogEnd {
    LogEnd(
      segment: segment, offset: offset, position: position, chain: chain, visited: visited)
  }

  static func fileHeader(_ file: any StorageFile) throws(StoreError) -> LogFileHeader? {
    var bytes = [UInt8](repeating: 0, count: LogFormat.fileHeader)
    var failure: StoreError?
    var count = 0
    bytes.withUnsafeMutableBytes { buffer in
      do throws(StoreError) { count = try file.read(into: buffer, at: 0) } catch { failure = error }
    }
    if let failure { throw failure }
    return count == bytes.count ? LogFileHeader(bytes) : nil
  }

  /// The next frame and its payload, valid until the next call; nil at the end of the valid frames.
  mutating func next() throws(StoreError) -> (frame: LogFrame, payload: UnsafeRawBufferPointer)? {
    while true {
      guard
        let frame = LogFrame(
          UnsafeRawBufferPointer(bytes), at: offset, position: position, salt: header.salt),
        frame.previous == chain
      else { return nil }
      let payload = UnsafeRawBufferPointer(
        rebasing: bytes[(offset + LogFormat.frameHeader)..<(offset + LogFormat.frameHeader + frame.payloadCount)])
      if frame.kind == .link {
        guard payload.count == 4 else { return nil }
        let following = Int(payload.baseAddress!.u32(0))
        let after = position + UInt64(frame.byteCount)
        guard following < segmentCount, !visited.contains(where: { $0.segment == following }) else { return nil }
        let here = segment
        guard let found = try load(following), found.position == after, found.previous == frame.check else {
          // The link was written, but not the segment that it names: the log ends before it.
          _ = try load(here)
          return nil
        }
        position = after
        chain = frame.check
        enter(found, following)
        continue
      }
      offset += frame.byteCount
      position += UInt64(frame.byteCount)
      chain = frame.check
      return (frame, payload)
    }
  }

  private mutating func enter(_ found: SegmentHeader, _ index: Int) {
    header = found
    segment = index
    offset = LogFormat.segmentHeader
    visited.append((index, found.position, found.salt))
  }

  /// Reads a segment; nil if its header does not belong to this store.
  private mutating func load(_ index: Int) throws(StoreError) -> SegmentHeader? {
    let count = try file.read(into: bytes, at: Self.offset(of: index, segmentBytes))
    if count < bytes.count {
      UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).initializeMemory(as: UInt8.self, repeating: 0)
    }
    guard let found = SegmentHeader(UnsafeRawBufferPointer(bytes)), found.storeHigh == storeHigh,
      found.storeLow == storeLow
    else { return nil }
    return found
  }

  static func offset(of segment: Int, _ segmentBytes: Int) -> UInt64 {
    UInt64(LogFormat.fileHeader) + UInt64(segment) * UInt64(segmentBytes)
  }

  /// The number of segments in the file.
  var count: Int { segmentCount }

  // MARK: Damage

  /// Searches after `end`, where reading stopped, for a frame that says the log had been synced
  /// beyond that point.
  ///
  /// A crash may tear bytes that were not synced; then no such frame exists. If one exists, the
  /// bytes at `end` were acknowledged and are damaged.
  mutating func findDamage(after end: UInt64) throws(StoreError) -> UInt64? {
    let oldest = start.position
    for index in 0..<segmentCount {
      guard let found = try load(index) else {
        // A damaged header may have rotted: the frames below it contain their own positions.
        for salt in SegmentHeader.possibleSalts(UnsafeRawBufferPointer(bytes)) {
          if let synced = proof(after: end, salt, { bytes.baseAddress!.u64($0 + 8) }) { return synced }
        }
        continue
      }
      if found.position < oldest || found.position + UInt64(segmentBytes) <= end { continue }
      let first = found.position
      if let synced = proof(after: end, found.salt, { first + UInt64($0 - LogFormat.segmentHeader) }) {
        return synced
      }
    }
    return nil
  }

  /// How far the log had been synced, according to a frame of the loaded segment after `end`; nil
  /// if no frame proves more than `end`. `position` gives the position of a frame at an offset.
  private func proof(after end: UInt64, _ salt: UInt64, _ position: (Int) -> UInt64) -> UInt64? {
    for at in stride(from: LogFormat.segmentHeader, through: segmentBytes - LogFormat.frameHeader, by: 8) {
      let expected = position(at)
      if expected >= end,
        let frame = LogFrame(UnsafeRawBufferPointer(bytes), at: at, position: expected, salt: salt), frame.synced > end
      {
        return frame.synced
      }
    }
    return nil
  }
}
