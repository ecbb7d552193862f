internal import RoostFile
internal import RoostTrees

/// Facts about a snapshot as a whole.
extension RecordReader {
  /// Facts about the stored history. Reads all of it.
  package var historyFacts: RecordVerification.HistoryFacts {
    get throws {
      let reading = try historyReading()
      var facts = RecordVerification.HistoryFacts()
      facts.mode = reading.state.mode
      facts.consumers = try consumers.count
      var place: UInt64 = 0
      while let key = try reading.key(after: place) {
        let content = try reading.content(key)
        if content.head.isGap { facts.gaps += 1 }
        facts.entries += content.items.count
        facts.first = facts.first ?? content.items.first?.number
        facts.last = content.items.last?.number ?? facts.last
        if content.head.last <= place || content.head.last == .max { break }
        place = content.head.last
      }
      return facts
    }
  }
}
