import RoostBytes
import RoostFile

/// Invariant 9, if the newest superblock is a clean one: no log beside it may hold later commits.
///
/// The first superblock after a clean one names a log, and is synced before that log gets a commit.
/// If it rots, the clean one is the newest readable one, and seems to have no successor. The log
/// shows the truth: its segments say which superblock they follow.
extension Store {
  /// The relation of a log to the closed store beside it.
  enum Neighbour {
    /// There is no log, or it holds nothing that is needed.
    case needless
    /// The log holds commits of another store.
    case foreign(StoreID)
  }

  /// Examines the log beside this closed store. Throws if the log holds a commit of this store that
  /// the clean superblock does not know.
  func neighbour() throws(StoreError) -> Neighbour {
    guard file != nil else { return .needless }
    let own = StoreID(high: identity.high, low: identity.low)
    let sequence = durable.sequence
    let remains = try LogRemains(path, fileSystem) { id, header in id != own || header.superblock >= sequence }
    guard let remains, remains.holdsCommits else { return .needless }
    if remains.id == own {
      throw StoreError(
        .damaged, "the newest superblock is damaged: the log holds commits that follow the one before it",
        path: path, page: UInt64(1 - durableSlot))
    }
    return remains.successor == own ? .needless : .foreign(remains.id)
  }
}

/// A store's number in its superblocks and its log.
package struct StoreID: Hashable, Sendable, CustomStringConvertible {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// 32 hexadecimal digits.
  package var description: String {
    [high, low].map { number in
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

/// The content of a log, whichever superblock may name it.
struct LogRemains {
  var id: StoreID
  /// The store that was about to take the name of this log's store.
  var successor: StoreID
  /// Whether a counted segment has a closed record.
  var holdsCommits = false

  /// Reads the log beside `path`; nil if there is none, or if its header cannot be read.
  ///
  /// - Parameter counts: whether the commits of a segment count.
  init?(
    _ path: String, _ fileSystem: any FileSystem, counts: (StoreID, SegmentHeader) -> Bool = { _, _ in true }
  ) throws(StoreError) {
    guard let log = try Self.open(path, fileSystem) else { return nil }
    defer { log.close() }
    guard let header = try LogReader.fileHeader(log) else { return nil }
    id = StoreID(high: header.storeHigh, low: header.storeLow)
    successor = StoreID(high: header.successor.high, low: header.successor.low)
    let size = try log.size()
    guard size >= UInt64(LogFormat.fileHeader + header.segmentBytes) else { return }
    let segment = try Room.take(header.segmentBytes)
    defer { Room.give(segment) }
    var start = UInt64(LogFormat.fileHeader)
    while !holdsCommits, start + UInt64(segment.count) <= size {
      let count = try log.read(into: segment, at: start)
      if count == segment.count { holdsCommits = holdsCommit(UnsafeRawBufferPointer(segment), counts) }
      start += UInt64(segment.count)
    }
  }

  /// Whether the log beside `path` has a segment of this store. Then the store may have crashed.
  static func isBegun(
    _ path: String, _ fileSystem: any FileSystem, superblock: Superblock
  ) throws(StoreError) -> Bool {
    guard let log = try open(path, fileSystem) else { return false }
    defer { log.close() }
    let bytes = try Room.take(LogFormat.segmentHeader)
    defer { Room.give(bytes) }
    guard try log.read(into: bytes, at: UInt64(LogFormat.fileHeader)) == bytes.count,
      let header = SegmentHeader(UnsafeRawBufferPointer(bytes))
    else { return false }
    return header.storeHigh == superblock.identityHigh && header.storeLow == superblock.identityLow
  }

  /// The log beside `path`; nil if there is none. Its owner may remove it at any moment.
  private static func open(_ path: String, _ fileSystem: any FileSystem) throws(StoreError) -> (any StorageFile)? {
    let path = Store.logPath(path)
    do throws(StoreError) { return try fileSystem.exists(path) ? fileSystem.open(path, .read) : nil } catch {
      if error.code == .notFound { return nil }
      throw error
    }
  }

  private func holdsCommit(_ segment: UnsafeRawBufferPointer, _ counts: (StoreID, SegmentHeader) -> Bool) -> Bool {
    guard let header = SegmentHeader(segment), header.storeHigh == id.high, header.storeLow == id.low,
      counts(id, header)
    else { return false }
    var offset = LogFormat.segmentHeader
    while offset < segment.count {
      let (position, overflows) = header.position.addingReportingOverflow(UInt64(offset - LogFormat.segmentHeader))
      guard !overflows, let frame = LogFrame(segment, at: offset, position: position, salt: header.salt) else {
        return false
      }
      if frame.kind == .commit { return true }
      offset += frame.byteCount
    }
    return false
  }
}
