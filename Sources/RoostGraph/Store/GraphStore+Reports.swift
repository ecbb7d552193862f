package import RoostFile
internal import RoostPages
internal import RoostRecords

/// Reports about the file of a store.
extension GraphStore {
  /// Calls a closure for each checkpoint until the number is given to ``forgetCheckpoints(_:)``.
  package func hearCheckpoints(
    _ hear: @escaping @Sendable (_ nanoseconds: UInt64, _ pages: Int, _ failure: StoreError?) -> Void
  ) -> Int {
    records.store.checkpointListeners.add { hear($0.nanoseconds, $0.pages, $0.failure) }
  }

  package func forgetCheckpoints(_ number: Int) { records.store.checkpointListeners.remove(number) }

  /// The commits that were read from the log when the store was opened; nil after a clean close,
  /// and in later calls.
  package func takeRecovery() -> (nanoseconds: UInt64, commits: Int, bytes: Int)? {
    records.store.takeRecovery().map { ($0.nanoseconds, $0.commits, $0.bytes) }
  }

  /// A sentence about each page that was repaired in memory since the last call.
  package func takeRepairs() -> [String] { records.store.takeRepairs().map(\.description) }

  /// Makes a checkpoint now.
  package func checkpoint() throws(StoreError) { try records.store.checkpoint() }
}
