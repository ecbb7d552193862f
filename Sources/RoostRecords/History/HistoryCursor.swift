internal import RoostFile

/// One transaction in the history.
package struct HistoryTransaction: Sendable {
  package let number: UInt64
  package let stamp: HybridTime
  package let entry: HistoryEntry
  /// The place behind it.
  package let token: HistoryToken

  package var author: String { entry.author }
}

/// Reads the history in order, one piece of the tree after the other. It belongs to the reader's closure.
package final class HistoryCursor {
  private let reading: HistoryReading
  private let entities: Set<EntityID>?
  private let author: String?
  private let crossesGaps: Bool
  private var after: UInt64
  private var content: HistoryContent?
  private var next = 0
  private var lastStamp: HybridTime

  init(
    _ reading: HistoryReading, after token: HistoryToken?, of entities: Set<EntityID>?, by author: String?,
    crossesGaps: Bool
  ) throws {
    self.reading = reading
    self.entities = entities
    self.author = author
    self.crossesGaps = crossesGaps
    after = token?.transaction ?? reading.state.floor
    lastStamp = token?.stamp ?? reading.state.floorStamp
    if let token { try reading.check(token) }
    // The place may lie inside a segment.
    if let (key, head) = try reading.head(atMost: after), !head.isGap, head.last > after {
      let content = try reading.content(key)
      next = content.items.firstIndex { $0.number > after } ?? content.items.count
      self.content = content
    }
  }

  /// The next transaction that changed something of what was asked for; nil behind the newest one.
  package func move() throws -> HistoryTransaction? {
    while let item = try step() {
      guard let content else { return nil }
      let entry = try content.entry(item)
      if let author, entry.author != author { continue }
      if let entities, !entry.entities.contains(where: entities.contains) { continue }
      return HistoryTransaction(
        number: item.number, stamp: item.stamp, entry: entry,
        token: HistoryToken(reading.store, item.number, item.stamp))
    }
    return nil
  }

  private func step() throws -> HistoryContent.Item? {
    while true {
      if let content, next < content.items.count {
        let item = content.items[next]
        guard item.number > after, item.number <= reading.latest, item.stamp > lastStamp else {
          throw StoreError(.damaged, "the history is out of order at transaction \(item.number)")
        }
        next += 1
        (after, lastStamp) = (item.number, item.stamp)
        return item
      }
      guard let key = try reading.key(after: after) else { return nil }
      let found = try reading.content(key)
      if found.head.isGap {
        // Nothing was committed yet since the history was switched off.
        if key > reading.latest { return nil }
        if !crossesGaps { throw HistoryReading.gap(key, found.head) }
        after = found.head.last
        continue
      }
      (content, next) = (found, 0)
    }
  }
}
