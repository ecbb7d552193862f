import RoostBytes
import RoostFile

/// Invariant 9, where the newest superblock is a clean one: no log beside it may hold commits that follow it.
///
/// The first superblock after a clean one names a log, and is synced before that log takes a commit. If it rots, the
/// clean one is the newest that can be read, and looks as if nothing had come after it. The log knows better: its
/// segments say which superblock they follow.
extension Store {
  /// Throws if the log in this folder holds a commit that this clean superblock does not know of.
  func refuseForgottenLog() throws(StoreError) {
    let path = Self.logPath(path)
    guard file != nil, try fileSystem.exists(path) else { return }
    let log = try fileSystem.open(path, .read)
    defer { log.close() }
    guard let header = try LogReader.fileHeader(log), header.storeHigh == durable.identityHigh,
      header.storeLow == durable.identityLow
    else { return }
    let size = try log.size()
    guard size >= UInt64(LogFormat.fileHeader + header.segmentBytes) else { return }
    let segment = try Room.take(header.segmentBytes)
    defer { Room.give(segment) }
    var start = UInt64(LogFormat.fileHeader)
    while start + UInt64(segment.count) <= size {
      let count = try log.read(into: segment, at: start)
      if count == segment.count, holdsLaterCommit(UnsafeRawBufferPointer(segment)) {
        throw StoreError(
          .damaged, "the newest superblock is damaged: the log holds commits that follow the one before it",
          path: self.path, page: UInt64(1 - durableSlot))
      }
      start += UInt64(segment.count)
    }
  }

  private func holdsLaterCommit(_ segment: UnsafeRawBufferPointer) -> Bool {
    guard let header = SegmentHeader(segment), header.storeHigh == durable.identityHigh,
      header.storeLow == durable.identityLow, header.superblock >= durable.sequence
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
