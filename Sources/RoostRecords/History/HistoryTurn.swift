/// The state of one write transaction for its history entry.
struct HistoryTurn {
  /// The history's state before the transaction.
  let base: HistoryState
  /// Whether the transaction may have changed that state.
  var isStateTouched = false
  private(set) var author = ""
  /// Provides the time and the program; nil during a replay, which reads both from the log.
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

  /// Takes the author and the time from a record of the log.
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
