internal import RoostPages
package import RoostRecords

/// What the door asks of a store's history as a whole.
extension GraphStore {
  /// Brings what the history keeps to what is asked for, from the next commit on.
  package func setHistory(_ mode: HistoryMode) throws {
    if try records.read({ try $0.historyMode }) == mode { return }
    try records.write { try $0.setHistory(mode) }
  }

  /// The place behind the newest commit; nil where the history is off.
  package var latestTokenIfOn: HistoryPlace? {
    get throws { try records.read { try $0.latestTokenIfOn } }
  }

  /// Removes what is older than a time in milliseconds since 1970, but for what a consumer needs. Nothing is written where nothing is
  /// that old.
  package func pruneHistory(beforeMilliseconds time: UInt64) throws {
    let stamp = HybridTime(milliseconds: time)
    let isNeeded = try records.read { reader in
      try reader.token(before: stamp).transaction > reader.oldestToken.transaction
    }
    if isNeeded { try records.write(.relaxed) { _ = try $0.pruneHistory(before: stamp) } }
  }
}
