import RoostBytes
import RoostFile

/// The first two pages of the file. The newer valid one says where everything else is.
///
/// ## Layout
/// ```
///   0  8 bytes  magic "ROOSTDB1"
///   8  u32  format version, 3        12 u32  page size, 4096
///  16  16 bytes  store id
///  32  u64  sequence, incremented by each write
///  40  u64  snapshot: stamp          48 u64  snapshot: transaction
///  56  u32  catalog: place           60 u8   catalog: level
///  64  u64  catalog: check           72 u64  catalog: count
///  80  u32  free map: place          84 u32  pages in the file
///  88  u64  free map: check
///  96  u32  state: 1 clean, 2 a log is named
/// 100  u32  the log's first segment
/// 104  u64  that segment's salt     112 u64  its first position; the three are 0 if the state is 1
/// 120  u32  page copies, at most 480 (none in version 1)
/// 136  8 bytes each: u32 page, u32 its copy; ascending by page
/// 4088 u64  check of bytes 0 ..< 4088
/// ```
package struct Superblock: Hashable, Sendable {
  static let magic = Array("ROOSTDB1".utf8)
  /// The newest version that this build reads, and the version that it writes.
  package static let version: UInt32 = 3
  private static let oldestVersion: UInt32 = 1
  private static let copiesOffset = 136
  static let checkOffset = 4088
  /// Counters of a store must be below this, so that incrementing them never overflows.
  static let mostCounted: UInt64 = 1 << 62

  package struct LogStart: Hashable, Sendable {
    package var segment: UInt32
    package var salt: UInt64
    package var position: UInt64
  }

  package var storeID: (UInt64, UInt64) { (identityHigh, identityLow) }
  /// The version of the format in which it was written. Rewriting a superblock in its own slot
  /// keeps its version.
  var version = Superblock.version
  var identityHigh: UInt64
  var identityLow: UInt64
  package var sequence: UInt64
  package var snapshot: Snapshot
  package var freeMap: PageReference
  package var pageCount: UInt32
  /// Where the log begins; nil if the store was closed cleanly.
  package var log: LogStart?
  /// The second copies of essential pages: see ``PageCopies``.
  package var copies: [PageCopy] = []

  func encoded() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Page.size)
    bytes.withUnsafeMutableBytes { buffer in
      let memory = buffer.baseAddress!
      memory.copyMemory(from: Self.magic, byteCount: 8)
      memory.set32(8, version)
      memory.set32(12, UInt32(Page.size))
      memory.set64(16, identityHigh)
      memory.set64(24, identityLow)
      memory.set64(32, sequence)
      memory.set64(40, snapshot.stamp)
      memory.set64(48, snapshot.transaction)
      memory.set32(56, snapshot.catalog.reference.page.place)
      memory.set8(60, snapshot.catalog.level)
      memory.set64(64, snapshot.catalog.reference.check)
      memory.set64(72, snapshot.catalog.count)
      memory.set32(80, freeMap.page.place)
      memory.set32(84, pageCount)
      memory.set64(88, freeMap.check)
      memory.set32(96, log == nil ? 1 : 2)
      memory.set32(100, log?.segment ?? 0)
      memory.set64(104, log?.salt ?? 0)
      memory.set64(112, log?.position ?? 0)
      memory.set32(120, UInt32(copies.count))
      for (index, entry) in copies.enumerated() {
        memory.set32(Self.copiesOffset + index * 8, entry.page.place)
        memory.set32(Self.copiesOffset + index * 8 + 4, entry.copy.place)
      }
      memory.set64(
        Self.checkOffset, Checksum.of(UnsafeRawBufferPointer(start: memory, count: Self.checkOffset)))
    }
    return bytes
  }

  /// The result of reading a slot.
  enum Reading {
    case valid(Superblock)
    case futureVersion(UInt32)
    case wrongPageSize(UInt32)
    /// It begins like a superblock but its checksum is wrong.
    case damaged
    case foreign
    case blank
  }

  static func futureVersion(_ version: UInt32, _ path: String) -> StoreError {
    StoreError(
      .futureVersion, "the file has format version \(version), this build reads versions up to \(Self.version)",
      path: path)
  }

  /// Reads a slot, and flips one bit back if that repairs it.
  static func read(_ bytes: [UInt8], slot: Int, _ repairs: PageRepairs?) -> Reading {
    let reading = read(bytes)
    guard let repairs else { return reading }
    switch reading {
    case .valid, .futureVersion, .wrongPageSize, .blank: return reading
    case .damaged, .foreign:
      var bytes = bytes
      let isMended = bytes.withUnsafeMutableBytes { repairs.mendSuperblock($0, slot: slot) }
      return isMended ? read(bytes) : reading
    }
  }

  static func read(_ bytes: [UInt8]) -> Reading {
    guard bytes.count == Page.size else { return .foreign }
    if bytes.allSatisfy({ $0 == 0 }) { return .blank }
    return bytes.withUnsafeBytes { buffer in
      let memory = buffer.baseAddress!
      let isOurs = buffer.prefix(8).elementsEqual(magic)
      let agrees =
        Checksum.of(UnsafeRawBufferPointer(start: memory, count: checkOffset)) == memory.u64(checkOffset)
      guard isOurs else { return .foreign }
      let form = memory.u32(8)
      if agrees && !(oldestVersion...version).contains(form) { return .futureVersion(form) }
      if agrees && memory.u32(12) != UInt32(Page.size) { return .wrongPageSize(memory.u32(12)) }
      guard agrees else { return .damaged }
      let state = memory.u32(96)
      let pageCount = memory.u32(84)
      // The store increments these, so they must leave room. A stamp of 0 would mean that nothing
      // is pinned.
      let counters = [32, 40, 48, state == 2 ? 112 : 32].map { memory.u64($0) }
      guard state == 1 || state == 2, pageCount >= 2, memory.u64(40) > 0, counters.allSatisfy({ $0 < mostCounted })
      else { return .damaged }
      let root = Root(
        reference: PageReference(PageID(memory.u32(56)), check: memory.u64(64)), level: memory.u8(60),
        count: memory.u64(72))
      // A closed store names no log. A superblock with a log belonged to an open store, whose log
      // must not be ignored.
      if state == 1, memory.u32(100) != 0 || memory.u64(104) != 0 || memory.u64(112) != 0 { return .damaged }
      // Only an empty catalog has no page, and only a written page has a checksum.
      guard root.isEmpty ? root == .empty : root.reference.check != 0 else { return .damaged }
      guard let copies = form == 1 ? [] : copies(memory, below: pageCount) else { return .damaged }
      return .valid(
        Superblock(
          version: form, identityHigh: memory.u64(16), identityLow: memory.u64(24), sequence: memory.u64(32),
          snapshot: Snapshot(stamp: memory.u64(40), transaction: memory.u64(48), catalog: root),
          freeMap: PageReference(PageID(memory.u32(80)), check: memory.u64(88)), pageCount: pageCount,
          log: state == 1
            ? nil : LogStart(segment: memory.u32(100), salt: memory.u64(104), position: memory.u64(112)),
          copies: copies))
    }
  }

  /// The list of copies; nil if it names a place twice, or a place outside the file.
  private static func copies(_ memory: UnsafeRawPointer, below pageCount: UInt32) -> [PageCopy]? {
    let count = Int(memory.u32(120))
    guard count <= PageCopies.most else { return nil }
    var places = Set<UInt32>()
    var last: UInt32 = 1
    var list: [PageCopy] = []
    for index in 0..<count {
      let (page, copy) = (memory.u32(copiesOffset + index * 8), memory.u32(copiesOffset + index * 8 + 4))
      guard page > last, page < pageCount, copy >= 2, copy < pageCount else { return nil }
      guard places.insert(page).inserted, places.insert(copy).inserted else { return nil }
      last = page
      list.append(PageCopy(page: PageID(page), copy: PageID(copy)))
    }
    return list
  }
}

/// The two slots as they were read.
struct SuperblockPair {
  var newest: Superblock
  /// The slot that holds `newest`; the other one is written next.
  var slot: Int
  /// Whether the other slot is damaged. `verify` reports that.
  var otherIsDamaged: Bool

  /// Reads both slots.
  ///
  /// - Parameter repairs: repairs a slot in memory; nil for no repairs.
  static func readings(
    from file: any StorageFile, repairs: PageRepairs? = nil
  ) throws(StoreError) -> [Superblock.Reading] {
    var readings: [Superblock.Reading] = []
    for slot in 0..<2 {
      var bytes = [UInt8](repeating: 0, count: Page.size)
      var count = 0
      var failure: StoreError?
      bytes.withUnsafeMutableBytes { buffer in
        do throws(StoreError) {
          count = try file.read(into: buffer, at: UInt64(slot * Page.size))
        } catch { failure = error }
      }
      if let failure { throw failure }
      readings.append(count == 0 ? .blank : Superblock.read(bytes, slot: slot, repairs))
    }
    return readings
  }

  /// Reads both slots. Throws if the file is not a store.
  static func read(
    from file: any StorageFile, repairs: PageRepairs? = nil
  ) throws(StoreError) -> SuperblockPair {
    let size = try file.size()
    let pair = try choose(readings(from: file, repairs: repairs), size, path: file.path)
    guard size >= UInt64(pair.newest.pageCount) * UInt64(Page.size) else {
      throw short(pair.newest, size, path: file.path)
    }
    return pair
  }

  static func short(_ superblock: Superblock, _ size: UInt64, path: String) -> StoreError {
    StoreError(
      .truncated, "the file has \(size) bytes where \(UInt64(superblock.pageCount) * UInt64(Page.size)) are needed",
      path: path)
  }

  /// Chooses the newest valid superblock. Throws if there is none.
  static func choose(
    _ readings: [Superblock.Reading], _ size: UInt64, path: String
  ) throws(StoreError) -> SuperblockPair {
    var found: SuperblockPair?
    for (slot, reading) in readings.enumerated() {
      guard case .valid(let superblock) = reading else { continue }
      if let known = found?.newest, known.sequence == superblock.sequence, known != superblock {
        // Each is written with a higher number than the other.
        throw StoreError(
          .damaged, "both superblocks have number \(known.sequence), so nothing says which one is newer", path: path,
          page: UInt64(slot))
      }
      if let known = found, known.newest.sequence >= superblock.sequence { continue }
      found = SuperblockPair(newest: superblock, slot: slot, otherIsDamaged: false)
    }
    for reading in readings {
      switch reading {
      case .futureVersion(let version):
        throw Superblock.futureVersion(version, path)
      case .wrongPageSize(let size):
        throw StoreError(.wrongPageSize, "the file has pages of \(size) bytes", path: path)
      default: break
      }
    }
    guard var pair = found else { throw refusal(readings, size, path: path) }
    if case .valid = readings[1 - pair.slot] {} else { pair.otherIsDamaged = true }
    return pair
  }

  private static func refusal(_ readings: [Superblock.Reading], _ size: UInt64, path: String) -> StoreError {
    let isOurs = readings.contains { if case .damaged = $0 { true } else { false } }
    if isOurs && size < UInt64(2 * Page.size) {
      return StoreError(.truncated, "the file ends at byte \(size), within its superblocks", path: path)
    }
    if isOurs { return StoreError(.damaged, "both superblocks are damaged", path: path, page: 0) }
    if size == 0 { return StoreError(.truncated, "the file is empty", path: path) }
    return StoreError(.notAStore, "the file does not begin like a store", path: path)
  }
}
