/// What one write transaction knows for its entry in the history.
struct HistoryTurn {
  /// What the store said of its history before the transaction.
  let base: HistoryState
  /// Whether that may have changed since.
  var isStateTouched = false
  private(set) var author = ""
  /// Tells the time; nil while the log is replayed, which says it.
  private(set) var clock: (@Sendable () -> UInt64)?
  private(set) var stamp: HybridTime?

  init(_ base: HistoryState) { self.base = base }

  static func check(_ author: String) throws(RecordFault) {
    if author.utf8.count <= HistoryEntry.mostAuthorBytes { return }
    throw RecordFault(.tooLarge, "an author has at most \(HistoryEntry.mostAuthorBytes) bytes of UTF-8")
  }

  mutating func begin(_ author: String, _ clock: @escaping @Sendable () -> UInt64) {
    self.author = author
    self.clock = clock
  }

  /// Takes over what a record says.
  mutating func replay(_ author: String, _ stamp: HybridTime) {
    self.author = author
    self.stamp = stamp
  }
}
