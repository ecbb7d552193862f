package import RoostFile
import Synchronization

/// Numbers about a store at one moment.
package struct StoreStatistics: Sendable {
  package var transaction: UInt64
  /// Pages in the file, including superblocks.
  package var pageCount: Int
  package var freePages: Int
  /// Pages that left their trees and wait for a reader, a checkpoint or the log.
  package var waitingPages: Int
  package var draftPages: Int
  package var residentPages: Int
  package var cachePages: Int
  package var pagesRead: Int
  package var repairedPages: Int
  package var readers: Int
  /// The stamp of the oldest snapshot that a reader holds. `newestStamp` is that of the newest
  /// commit.
  package var oldestPin: UInt64?
  /// The number of commits after that snapshot; 0 without readers.
  package var commitsBehind: Int
  package var newestStamp: UInt64
  package var logBytes: Int
  package var logSegments: Int
  package var commits: Int
  package var checkpoints: Int
}

extension Store {
  /// The pages that were repaired in memory since the last call.
  package func takeRepairs() -> [PageRepairs.Repair] { frames.repairs?.takeUntold() ?? [] }

  /// Waits for the turn, so that all numbers are from one moment.
  package func statistics() throws(StoreError) -> StoreStatistics {
    try turn.refuseHolder()
    turn.takeAlways()
    defer { turn.give() }
    reclaim()
    let oldest = frames.slots.oldestPin()
    let behind = oldest.map { UInt32(truncatingIfNeeded: tip.transaction) &- $0.commit } ?? 0
    return StoreStatistics(
      transaction: tip.transaction, pageCount: Int(space.limit), freePages: space.free.count,
      waitingPages: space.waitingCount, draftPages: frames.drafts.load(ordering: .relaxed),
      residentPages: frames.resident.load(ordering: .relaxed), cachePages: frames.capacity,
      pagesRead: frames.fills.load(ordering: .relaxed), repairedPages: frames.repairs?.all.count ?? 0,
      readers: frames.slots.takenCount,
      oldestPin: oldest?.stamp, commitsBehind: Int(behind), newestStamp: tip.stamp, logBytes: log?.usedBytes ?? 0,
      logSegments: log?.segmentCount ?? 0, commits: commitsMade.load(ordering: .relaxed),
      checkpoints: checkpointsMade.load(ordering: .relaxed))
  }
}
