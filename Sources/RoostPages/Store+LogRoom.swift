import RoostFile

/// Limits the length of the log's file.
///
/// The log is a ring of segments that grows if none is free. A transaction of a gigabyte makes it
/// that long. So after a checkpoint the log returns to the length that the options allow.
extension Store {
  /// The number of segments to keep: twice what starts a checkpoint, because records are also
  /// written during one, and the reserve.
  private var wantedSegments: Int {
    guard let log else { return 0 }
    return 2 * ((options.logBytes + log.segmentBytes - 1) / log.segmentBytes) + 2
  }

  /// Frees segments after a superblock with a new start of the log was synced. Segments that only
  /// the superblock before `older` needed become free, and those that `older` does not need may be
  /// cut off. The caller holds the turn.
  func retireLog(_ older: Superblock.LogStart?) {
    guard let log, let start = durable.log else { return }
    log.superblock = durable.sequence
    log.retire(before: start.position)
    if let older { log.cut(to: wantedSegments, reachedFrom: older.position) }
  }

  /// Moves the end of the log into the first free segment if nothing was committed since the
  /// checkpoint. After a burst the newest segment is at the end of a long file in which everything
  /// else is free. In a store that is then only read it would stay there. It moves twice, because
  /// each of the two superblocks keeps its own segment.
  ///
  /// The caller holds the turn and the gate of checkpoints.
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
