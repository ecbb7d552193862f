internal import RoostFile

/// Checks the order of writes of one store on one thread.
///
/// ## Invariants
/// The numbers are those of Docs/DURABILITY.md.
/// 1. No write and no cut changes a place that the durable superblock reaches, or the one being
///    written.
/// 2. Everything that a superblock names is durable when the superblock is written: pages, extents,
///    free map and the header of the log's first segment.
/// 3. The log is completely synced when a full commit is acknowledged.
/// 9. No cut of the log removes a segment in which the log of either superblock begins.
package final class OrderChecker: CallObserver, @unchecked Sendable {
  // Unchecked because one thread uses the store; the file system's lock protects the rest.
  private unowned let fileSystem: SimulatedFileSystem
  private let path: String
  private let segmentBytes: Int
  /// A superblock that was written and not synced: a crash may leave any of them.
  private struct Coming {
    var slot: Int
    var sequence: UInt64
    var places: Set<UInt32>
  }

  /// The places that the durable superblock reaches, and those of unsynced superblocks, in the
  /// order of writing.
  private var durable = Set<UInt32>()
  private var coming: [Coming] = []
  private var logIsDirty = false
  private var dirtySegments = Set<Int>()
  package private(set) var complaints: [String] = []
  /// The number of examined superblocks.
  package private(set) var examined = 0

  package init(_ fileSystem: SimulatedFileSystem, path: String, segmentBytes: Int) {
    self.fileSystem = fileSystem
    self.path = path
    self.segmentBytes = segmentBytes
    if let bytes = fileSystem.durableContents(of: path), let head = Reach.newest(bytes) {
      durable = Reach(head, in: bytes).places
    }
    fileSystem.observer = self
  }

  // MARK: Under the file system's lock

  package func willWrite(_ path: String, at offset: UInt64, _ bytes: UnsafeRawBufferPointer) {
    if path == self.path + "-log" {
      logIsDirty = true
      // Only the segment's header matters: the bytes after it may be an end that was never
      // acknowledged.
      if offset >= 4096, Int(offset - 4096) % segmentBytes < 96 {
        dirtySegments.insert(Int(offset - 4096) / segmentBytes)
      }
    }
    guard path == self.path, offset >= 8192, bytes.count > 0 else { return }
    let first = UInt32(offset / 4096)
    let last = UInt32((offset + UInt64(bytes.count) - 1) / 4096)
    for place in first...last where isReached(place) {
      complaints.append("1: place \(place) is written, which the durable superblock reaches")
    }
  }

  package func willResize(_ path: String, to size: UInt64) {
    if path == self.path + "-log" { willResizeLog(to: size) }
    guard path == self.path else { return }
    let end = UInt32(clamping: size / 4096)
    if let lost = ([durable] + coming.map(\.places)).joined().first(where: { $0 >= end }) {
      complaints.append("1: place \(lost) is cut off, which the durable superblock reaches")
    }
  }

  /// A log that becomes shorter needs no sync: the removed part holds nothing, whether a crash
  /// undoes the cut or not.
  private func willResizeLog(to size: UInt64) {
    guard let log = seen(path + "-log"), size < UInt64(log.size) else {
      logIsDirty = true
      return
    }
    guard size >= 4096, let file = seen(path)?.bytes() else { return }
    for head in Reach.heads(file) where head.namesLog && Int(head.logSegment) >= Int(size - 4096) / segmentBytes {
      var salt: UInt64 = 0
      _ = withUnsafeMutableBytes(of: &salt) { log.read(into: $0, at: 4096 + Int(head.logSegment) * segmentBytes + 32) }
      // With another salt the segment was reused, and that superblock's log is already gone.
      if salt == head.logSalt {
        complaints.append("9: the segment is cut off where the log of superblock \(head.sequence) begins")
      }
    }
  }

  private func seen(_ path: String) -> Content? { fileSystem.names[path].flatMap { fileSystem.inodes[$0]?.seen } }

  package func didSync(_ path: String) {
    if path == self.path + "-log" {
      logIsDirty = false
      dirtySegments = []
    }
    guard path == self.path, !coming.isEmpty else { return }
    // Each slot holds the last superblock that was written there.
    let last = [0, 4096].compactMap { slot in coming.last { $0.slot == slot } }
    durable = last.max { $0.sequence < $1.sequence }?.places ?? durable
    coming = []
  }

  private func isReached(_ place: UInt32) -> Bool {
    durable.contains(place) || coming.contains { $0.places.contains(place) }
  }

  // MARK: Without the lock, between two calls

  package func stepped(_ step: RecordedCall) {
    guard step.path == path else { return }
    if step.kind == .sync, step.errorNumber != 0, let bytes = fileSystem.contents(of: path) {
      // The kernel may have discarded superblocks.
      let newest = Reach.newest(bytes)?.sequence ?? 0
      coming.removeAll { $0.sequence > newest }
    }
    // A write that reports an error may still have taken effect: the content of the slot decides.
    guard step.kind == .write, step.offset < 8192 else { return }
    guard let seen = fileSystem.contents(of: path), var bytes = fileSystem.durableContents(of: path) else { return }
    let slot = Int(step.offset / 4096) * 4096
    guard seen.count >= slot + 4096, let head = Reach.Head(seen[slot..<slot + 4096]) else { return }
    if let old = Reach.newest(bytes), head.sequence < old.sequence { return }
    examined += 1
    bytes.replaceSubrange(slot..<slot + 4096, with: seen[slot..<slot + 4096])
    let reach = Reach(head, in: bytes)
    complaints += reach.complaints.map { "2: superblock \(head.sequence): " + $0 }
    if head.namesLog && dirtySegments.contains(Int(head.logSegment)) {
      complaints.append("2: superblock \(head.sequence) names a log that is not synced")
    }
    coming.append(Coming(slot: slot, sequence: head.sequence, places: reach.places))
  }

  package func acknowledged() {
    if logIsDirty { complaints.append("3: a full commit is acknowledged before the log is synced") }
  }

  /// Returns and clears the errors found so far.
  package func takeComplaints() -> [String] {
    defer { complaints = [] }
    return complaints
  }
}
