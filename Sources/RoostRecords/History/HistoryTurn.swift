/// What one write transaction knows for its entry in the history.
struct HistoryTurn {
  /// What the store said of its history before the transaction.
  let base: HistoryState
  /// Whether that may have changed since.
  var isStateTouched = false
  private(set) var author = ""
  /// Tells the time and the program; nil while the log is replayed, which says them.
  private(set) var source: HistorySource?
  private(set) var stamp: HybridTime?
  /// Whether the transaction has an entry.
  var hasEntry = false
  private var replayedWriter: HistoryWriter?

  init(_ base: HistoryState) { self.base = base }

  static func check(_ author: String) throws(RecordFault) {
    if author.utf8.count <= HistoryEntry.mostAuthorBytes { return }
    throw RecordFault(.tooLarge, "an author has at most \(HistoryEntry.mostAuthorBytes) bytes of UTF-8")
  }

  mutating func begin(_ author: String, _ source: HistorySource) {
    self.author = author
    self.source = source
  }

  /// Takes over what a record says.
  mutating func replay(_ author: String, _ stamp: HybridTime) {
    self.author = author
    self.stamp = stamp
  }

  mutating func replay(_ writer: HistoryWriter) { replayedWriter = writer }

  var hasReplayedWriter: Bool { replayedWriter != nil }

  mutating func takeReplayedWriter() -> HistoryWriter? {
    defer { replayedWriter = nil }
    return replayedWriter
  }
}
