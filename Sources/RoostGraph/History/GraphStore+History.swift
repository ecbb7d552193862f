internal import RoostPages
package import RoostRecords

/// The operations on a store's history as a whole.
extension GraphStore {
  /// Changes what the history keeps, from the next commit on.
  package func setHistory(_ mode: HistoryMode) throws {
    if try records.read({ try $0.historyMode }) == mode { return }
    try records.write { try $0.setHistory(mode) }
  }

  /// The position after the newest commit; nil if the history is off.
  package var latestTokenIfOn: HistoryPlace? {
    get throws { try records.read { try $0.latestTokenIfOn } }
  }

  /// Removes entries older than a time in milliseconds since 1970, except those that a consumer
  /// needs. It writes nothing if there are none.
  package func pruneHistory(beforeMilliseconds time: UInt64) throws {
    let stamp = HybridTime(milliseconds: time)
    let isNeeded = try records.read { reader in
      try reader.token(before: stamp).transaction > reader.oldestToken.transaction
    }
    if isNeeded { try records.write(.relaxed) { _ = try $0.pruneHistory(before: stamp) } }
  }
}
