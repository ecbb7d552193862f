internal import RoostFile

/// One transaction in the history.
package struct HistoryCommit: Sendable {
  package let number: UInt64
  package let stamp: HybridTime
  package let entry: HistoryEntry
  /// The token after it.
  package let token: HistoryPlace

  /// The program that wrote it.
  package let writer: HistoryWriter

  package var author: String { entry.author }
}

/// A query of the history.
package struct HistoryRange: Sendable {
  /// Transactions after this number, up to `through`.
  package var after: UInt64
  package var through: UInt64
  /// Only those that changed rows of one of these; nil for all.
  package var entities: Set<EntityID>?
  /// Only those with this author.
  package var author: String?
  /// Only those that this program, or this process, wrote; empty for transactions whose writer is
  /// unknown.
  package var program: String?
  package var process: String?
  /// Whether a time in which the history was off is skipped; otherwise it is an error.
  package var crossesGaps: Bool
  /// Whether the newest transactions come first.
  package var isReversed: Bool

  package init(
    after: UInt64 = 0, through: UInt64 = .max, of entities: Set<EntityID>? = nil, by author: String? = nil,
    crossesGaps: Bool = false, isReversed: Bool = false
  ) {
    self.after = after
    self.through = through
    self.entities = entities
    self.author = author
    self.crossesGaps = crossesGaps
    self.isReversed = isReversed
  }
}

/// Reads the history in order, value by value of its tree. It is valid in the reader's closure.
package final class HistoryCursor {
  private let reading: HistoryReading
  private let range: HistoryRange
  private var writers: HistoryWriters
  private var content: HistoryContent?
  private var next = 0
  // Forward: the number after the last transaction. Backward: the number of the last one.
  private var place: UInt64
  private var lastStamp: HybridTime?

  init(_ reading: HistoryReading, _ wanted: HistoryRange, writers: HistoryWriters = HistoryWriters(nil)) throws {
    self.reading = reading
    self.writers = writers
    var range = wanted
    range.after = max(range.after, reading.state.floor)
    range.through = min(range.through, reading.latest)
    self.range = range
    if range.isReversed {
      place = range.through == .max ? .max : range.through + 1
      return
    }
    place = range.after
    lastStamp = try reading.stamp(atMost: place)
    guard let (key, head) = try reading.head(atMost: place), head.last > place else { return }
    // The number may lie inside a gap or a segment.
    if head.isGap {
      if !range.crossesGaps, place < range.through { throw HistoryReading.gap(key, head) }
    } else {
      let content = try reading.content(key)
      next = content.items.firstIndex { $0.number > place } ?? content.items.count
      self.content = content
    }
  }

  /// The next transaction that matches the range; nil after the last one.
  package func move() throws -> HistoryCommit? {
    while let item = try range.isReversed ? stepBack() : step() {
      guard let content else { return nil }
      let writer = try writers.writer(of: item.number)
      if let program = range.program, writer.program != program { continue }
      if let process = range.process, writer.processText != process { continue }
      let entry = try content.entry(item)
      if let author = range.author, entry.author != author { continue }
      if let entities = range.entities, !entry.entities.contains(where: entities.contains) { continue }
      return HistoryCommit(
        number: item.number, stamp: item.stamp, entry: entry,
        token: HistoryPlace(reading.store, item.number, stamp: item.stamp), writer: writer)
    }
    return nil
  }

  private func step() throws -> HistoryContent.Item? {
    while true {
      if let content, next < content.items.count {
        let item = content.items[next]
        guard item.number > place, item.number <= reading.latest, lastStamp.map({ item.stamp > $0 }) ?? true else {
          throw Self.outOfOrder(item.number)
        }
        if item.number > range.through { return nil }
        next += 1
        (place, lastStamp) = (item.number, item.stamp)
        return item
      }
      guard let key = try reading.key(after: place), key <= range.through else { return nil }
      let found = try reading.content(key)
      if found.head.isGap {
        // Nothing was committed since the history was switched off.
        if key > reading.latest { return nil }
        if !range.crossesGaps { throw HistoryReading.gap(key, found.head) }
        place = found.head.last
        continue
      }
      (content, next) = (found, 0)
    }
  }

  private func stepBack() throws -> HistoryContent.Item? {
    while true {
      if let content, next > 0 {
        let item = content.items[next - 1]
        guard item.number < place, lastStamp.map({ item.stamp < $0 }) ?? true else {
          throw Self.outOfOrder(item.number)
        }
        if item.number <= range.after { return nil }
        next -= 1
        (place, lastStamp) = (item.number, item.stamp)
        return item
      }
      guard place > range.after, place - 1 > range.after, let (key, head) = try reading.head(atMost: place - 1) else {
        return nil
      }
      if head.last <= range.after { return nil }
      if head.isGap {
        if key <= range.through, !range.crossesGaps { throw HistoryReading.gap(key, head) }
        place = key
        continue
      }
      let found = try reading.content(key)
      next = found.items.count
      // The first number may lie inside a segment.
      while next > 0, found.items[next - 1].number >= place { next -= 1 }
      content = found
      if next == 0 { place = key }
    }
  }

  private static func outOfOrder(_ number: UInt64) -> StoreError {
    StoreError(.damaged, "the history is out of order at transaction \(number)")
  }
}
