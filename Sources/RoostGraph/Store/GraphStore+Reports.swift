package import RoostFile
internal import RoostPages
internal import RoostRecords

/// What the file of a store has to say.
extension GraphStore {
  /// Calls a closure for each checkpoint until the number is given to ``forgetCheckpoints(_:)``.
  package func hearCheckpoints(
    _ hear: @escaping @Sendable (_ nanoseconds: UInt64, _ pages: Int, _ failure: StoreError?) -> Void
  ) -> Int {
    records.store.checkpointListeners.add { hear($0.nanoseconds, $0.pages, $0.failure) }
  }

  package func forgetCheckpoints(_ number: Int) { records.store.checkpointListeners.remove(number) }

  /// What was read from the log when the store was opened; nil after a clean close, and whenever it is asked again.
  package func takeRecovery() -> (nanoseconds: UInt64, commits: Int, bytes: Int)? {
    records.store.takeRecovery().map { ($0.nanoseconds, $0.commits, $0.bytes) }
  }

  /// A sentence about each page that was repaired in memory since the last call.
  package func takeRepairs() -> [String] { records.store.takeRepairs().map(\.description) }

  /// Makes a checkpoint now.
  package func checkpoint() throws(StoreError) { try records.store.checkpoint() }
}

extension GraphStore {
  /// Throws unless another store is an earlier state of this one, as a backup is: the newest entry of its history is in this one's too.
  ///
  /// Then a row that both have under one number was the same when the backup was made.
  package func checkDescent(from other: GraphStore) throws {
    let (own, theirs) = (records.store.identity, try other.records.read { try $0.latestToken })
    let token = HistoryPlace(
      storeHigh: own.high, storeLow: own.low, transaction: theirs.transaction, stamp: theirs.stamp)
    do { try records.read { try $0.check(token) } } catch let fault as RecordFault {
      throw RecordFault(
        .unknown,
        "the other store is no backup of this one, or was changed since it was made, or the history does not reach back to it: "
          + fault.detail)
    }
  }
}
