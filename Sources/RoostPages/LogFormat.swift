import RoostBytes
import RoostFile

/// The bytes of the log file.
///
/// ## Layout
/// A file header of 4,096 bytes, then segments of equal length.
/// ```
/// file header:   0 magic "ROOSTLG1"  8 u32 version  12 u32 segment bytes  16 store id (16)
///               32 u64 zero  40 u64 check of bytes 0 ..< 40
///              512 u32 process id of the holder, only for the message that the store is locked
///              516 u32 1 if a sync failed and the store was not opened since
///              520 store id (16) of the store that replaces this log's store, else zero: that one may remove the log
///                  These change, so they have a sector of their own: a crash can damage only that one.
/// segment:       0 magic "ROOSTSEG"  8 u32 version  12 u32 segment bytes  16 store id (16)
///               32 u64 salt, new at each use        40 u64 sequence of the superblock it follows
///               48 u64 check of the frame before it, 0 if it begins a log
///               56 u64 position of its first frame  64 u64 check of bytes 0 ..< 64
///               72 u64 the salt again, for reading below a damaged header  80 zero, to 96
///               96 frames, 8-aligned
/// frame:         0 u32 payload bytes  4 u8 kind  5 u8 flags  6 u16 zero
///                8 u64 position       16 u64 position up to which the log was synced when this was written
///               24 u64 check of the frame before it
///               32 u64 check of bytes 0 ..< 32 and the payload, seeded with the salt
///               40 payload, filled with zeros to a multiple of 8
/// ```
/// A position counts the bytes of all frames since the log was made. A record
/// is a series of `data` frames closed by a `commit` frame. The payload of a `link` frame is the
/// number (u32) of the segment in which the log continues.
enum LogFormat {
  static let fileMagic = Array("ROOSTLG1".utf8)
  static let segmentMagic = Array("ROOSTSEG".utf8)
  static let version: UInt32 = 1
  static let fileHeader = 4096
  static let segmentHeader = 96
  static let frameHeader = 40
  static let largestPayload = 64 * 1024 - frameHeader
  static let linkBytes = frameHeader + 8
  static let smallestSegment = 4096
  static let largestSegment = 1 << 28

  enum FrameKind: UInt8 {
    case data = 1
    case commit = 2
    case link = 3
  }

  static func padded(_ count: Int) -> Int { (count + 7) & ~7 }
}

/// The decoded header of a frame.
struct LogFrame {
  var payloadCount: Int
  var kind: LogFormat.FrameKind
  var flags: UInt8
  var position: UInt64
  var synced: UInt64
  var previous: UInt64
  var check: UInt64

  var byteCount: Int { LogFormat.frameHeader + LogFormat.padded(payloadCount) }

  /// Completes the frame whose payload is at `memory + 40`, and returns its checksum.
  static func seal(
    _ memory: UnsafeMutableRawPointer, payload: Int, kind: LogFormat.FrameKind, flags: UInt8, position: UInt64,
    synced: UInt64, previous: UInt64, salt: UInt64
  ) -> UInt64 {
    memory.set32(0, UInt32(payload))
    memory.set8(4, kind.rawValue)
    memory.set8(5, flags)
    memory.set16(6, 0)
    memory.set64(8, position)
    memory.set64(16, synced)
    memory.set64(24, previous)
    let end = LogFormat.frameHeader + payload
    let filler = LogFormat.padded(end) - end
    if filler > 0 { (memory + end).initializeMemory(as: UInt8.self, repeating: 0, count: filler) }
    let check = Self.check(memory, payload: payload, salt: salt)
    memory.set64(32, check)
    return check
  }

  private static func check(_ memory: UnsafeRawPointer, payload: Int, salt: UInt64) -> UInt64 {
    let head = Checksum.of(UnsafeRawBufferPointer(start: memory, count: 32), seed: salt)
    return Checksum.of(
      UnsafeRawBufferPointer(start: memory + LogFormat.frameHeader, count: LogFormat.padded(payload)), seed: head)
  }

  /// Reads the frame at `offset` of a segment's bytes; nil unless it is complete and its checksum
  /// matches.
  init?(_ segment: UnsafeRawBufferPointer, at offset: Int, position expected: UInt64, salt: UInt64) {
    guard offset >= 0, offset <= segment.count - LogFormat.frameHeader else { return nil }
    let memory = segment.baseAddress! + offset
    guard memory.u64(8) == expected, let kind = LogFormat.FrameKind(rawValue: memory.u8(4)) else { return nil }
    let count = Int(memory.u32(0))
    guard count <= LogFormat.largestPayload,
      LogFormat.padded(count) <= segment.count - offset - LogFormat.frameHeader,
      Self.check(memory, payload: count, salt: salt) == memory.u64(32)
    else { return nil }
    payloadCount = count
    self.kind = kind
    flags = memory.u8(5)
    position = expected
    synced = memory.u64(16)
    previous = memory.u64(24)
    check = memory.u64(32)
  }
}

/// A segment's header.
struct SegmentHeader {
  var storeHigh: UInt64
  var storeLow: UInt64
  var salt: UInt64
  var superblock: UInt64
  var previous: UInt64
  var position: UInt64

  func write(to memory: UnsafeMutableRawPointer, segmentBytes: Int) {
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: LogFormat.segmentHeader)
    memory.copyMemory(from: LogFormat.segmentMagic, byteCount: 8)
    memory.set32(8, LogFormat.version)
    memory.set32(12, UInt32(segmentBytes))
    memory.set64(16, storeHigh)
    memory.set64(24, storeLow)
    memory.set64(32, salt)
    memory.set64(40, superblock)
    memory.set64(48, previous)
    memory.set64(56, position)
    memory.set64(64, Checksum.of(UnsafeRawBufferPointer(start: memory, count: 64)))
    memory.set64(72, salt)
  }

  /// The possible salts of a damaged header.
  static func possibleSalts(_ bytes: UnsafeRawBufferPointer) -> Set<UInt64> {
    guard bytes.count >= LogFormat.segmentHeader, let memory = bytes.baseAddress else { return [] }
    return [memory.u64(32), memory.u64(72)]
  }

  /// Reads a header; nil unless its checksum matches.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= LogFormat.segmentHeader, bytes.prefix(8).elementsEqual(LogFormat.segmentMagic) else {
      return nil
    }
    let memory = bytes.baseAddress!
    guard Checksum.of(UnsafeRawBufferPointer(start: memory, count: 64)) == memory.u64(64),
      memory.u32(8) == LogFormat.version, memory.u64(56) < Superblock.mostCounted
    else { return nil }
    storeHigh = memory.u64(16)
    storeLow = memory.u64(24)
    salt = memory.u64(32)
    superblock = memory.u64(40)
    previous = memory.u64(48)
    position = memory.u64(56)
  }

  init(storeHigh: UInt64, storeLow: UInt64, salt: UInt64, superblock: UInt64, previous: UInt64, position: UInt64) {
    self.storeHigh = storeHigh
    self.storeLow = storeLow
    self.salt = salt
    self.superblock = superblock
    self.previous = previous
    self.position = position
  }
}

/// The log file's header: the length of the segments, and the store to which the log belongs.
struct LogFileHeader {
  var segmentBytes: Int
  var storeHigh: UInt64
  var storeLow: UInt64
  /// The last process that held the store.
  var processID: Int32
  /// A sync failed, so the kernel may show bytes that the device does not have, as if they were
  /// saved. A crash of the machine removes such bytes, and the doubt with them. So this note need
  /// not be synced.
  var isInDoubt = false
  /// The store that takes this store's name, and then removes this log.
  var successor: (high: UInt64, low: UInt64) = (0, 0)

  /// The offset of the mutable fields, in a sector of their own.
  private static let noteOffset = 512

  /// Notes which store is about to take this store's name.
  static func note(successor: (high: UInt64, low: UInt64), in file: any StorageFile) throws(StoreError) {
    let bytes = [successor.high, successor.low].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
    }
    try file.write(bytes, at: noteOffset + 8)
  }

  /// Notes the holder, and whether the kernel's view may differ from the device. The header itself
  /// is not written: it must survive a crash during this write.
  static func note(processID: Int32, isInDoubt: Bool, in file: any StorageFile) throws(StoreError) {
    let words = [UInt32(bitPattern: processID), isInDoubt ? 1 : 0]
    let bytes = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } }
    try file.write(bytes, at: noteOffset)
  }

  func encoded() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: LogFormat.fileHeader)
    bytes.withUnsafeMutableBytes { buffer in
      let memory = buffer.baseAddress!
      memory.copyMemory(from: LogFormat.fileMagic, byteCount: 8)
      memory.set32(8, LogFormat.version)
      memory.set32(12, UInt32(segmentBytes))
      memory.set64(16, storeHigh)
      memory.set64(24, storeLow)
      memory.set64(40, Checksum.of(UnsafeRawBufferPointer(start: memory, count: 40)))
      memory.set32(Self.noteOffset, UInt32(bitPattern: processID))
    }
    return bytes
  }

  init?(_ bytes: [UInt8]) {
    guard bytes.count == LogFormat.fileHeader, bytes.prefix(8).elementsEqual(LogFormat.fileMagic) else { return nil }
    let fields = bytes.withUnsafeBytes { buffer -> (Int, UInt64, UInt64, Int32, Bool, (UInt64, UInt64))? in
      let memory = buffer.baseAddress!
      let segment = Int(memory.u32(12))
      guard Checksum.of(UnsafeRawBufferPointer(start: memory, count: 40)) == memory.u64(40),
        memory.u32(8) == LogFormat.version, segment >= LogFormat.smallestSegment,
        segment <= LogFormat.largestSegment, segment % 8 == 0
      else { return nil }
      return (
        segment, memory.u64(16), memory.u64(24), Int32(bitPattern: memory.u32(Self.noteOffset)),
        memory.u32(Self.noteOffset + 4) != 0, (memory.u64(Self.noteOffset + 8), memory.u64(Self.noteOffset + 16))
      )
    }
    guard let fields else { return nil }
    (segmentBytes, storeHigh, storeLow, processID, isInDoubt, successor) = fields
  }

  init(segmentBytes: Int, storeHigh: UInt64, storeLow: UInt64, processID: Int32) {
    self.segmentBytes = segmentBytes
    self.storeHigh = storeHigh
    self.storeLow = storeLow
    self.processID = processID
  }
}
