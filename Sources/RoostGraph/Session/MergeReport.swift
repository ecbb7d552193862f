internal import RoostFile

/// A context went on to a newer snapshot.
package struct MergeReport: Sendable {
  package var nanoseconds: UInt64
  /// How many commits lie between.
  package var commits: Int
  package var failure: (any Error)?
}

extension Session {
  /// Runs what moves to a newer snapshot, and reports how that went; nothing where the snapshot stayed.
  func reporting(_ body: () throws -> Void) throws {
    guard let before = seenCommit else { return try body() }
    let start = Clock.monotonicNanoseconds()
    var failure: (any Error)?
    do { try body() } catch { failure = error }
    let commits = (seenCommit ?? before) &- before
    if failure != nil || commits != 0 {
      report(
        .merge(
          MergeReport(
            nanoseconds: Clock.monotonicNanoseconds() - start, commits: Int(clamping: commits), failure: failure)))
    }
    if let failure { throw failure }
  }
}
