import RoostFile

/// How long the log's file is, between checkpoints.
///
/// The log is a ring of segments that grows when none is free. A transaction of a gigabyte makes it as long as that, so
/// after a checkpoint what is more than the options ask for goes back to the device.
extension Store {
  /// How many segments stay: twice what starts a checkpoint, since records are written beside it too, and the reserve.
  private var wantedSegments: Int {
    guard let log else { return 0 }
    return 2 * ((options.logBytes + log.segmentBytes - 1) / log.segmentBytes) + 2
  }

  /// After a superblock was synced that names a new start of the log: what only the one before `older` needed is free,
  /// and what `older` does not lead to may be cut. Under the turn.
  func retireLog(_ older: Superblock.LogStart?) {
    guard let log, let start = durable.log else { return }
    log.superblock = durable.sequence
    log.retire(before: start.position)
    if let older { log.cut(to: wantedSegments, reachedFrom: older.position) }
  }

  /// After a burst the newest segment stands at the end of a long file in which everything else is free, and in a store
  /// that is then only read it would stay there. So if nothing was committed since the checkpoint, the log goes on in
  /// the first free segment. It does so twice, because each of the two superblocks keeps its own.
  ///
  /// Under the turn, and under the gate of checkpoints.
  func bringLogForward() throws(StoreError) {
    guard let log, log.hasBegun, log.segmentCount > wantedSegments, durable.log != nil else { return }
    for _ in 0..<2 where tip.stamp == durable.snapshot.stamp && log.segmentCount > wantedSegments {
      log.claim(commits.syncedPosition)
      var next = durable
      next.log = try log.beginSegment(leavingUnused: true)
      try poisoning { () throws(StoreError) in try log.file.sync() }
      let older = durable.log
      try writeSuperblock(next)
      retireLog(older)
    }
  }
}
