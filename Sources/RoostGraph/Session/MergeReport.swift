internal import RoostFile

/// Describes a context's move to a newer snapshot.
package struct MergeReport: Sendable {
  package var nanoseconds: UInt64
  /// The number of commits between the snapshots.
  package var commits: Int
  package var failure: (any Error)?
}

extension Session {
  /// Runs a move to a newer snapshot and reports it, unless the snapshot stayed the same.
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
