internal import RoostFile
internal import RoostRecords

/// What a store has found out about its history: the names of properties, and of which class rows were that are gone.
///
/// A row says its class; of one that is gone its deletion does, which comes later in the history. So the history is read ahead
/// until that is found, and what was read is kept, so that it is read once. What the history says does not change.
///
/// ## Invariants
/// 1. `gone` has what is told of deletions behind `low` and up to `high`, of rows that classes share.
///
/// Unchecked because the lock guards all of it.
final class HistoryShelf: @unchecked Sendable {
  private let lock = Lock()
  private var names: [Int: HistoryNames] = [:]
  private var gone: [EntityID: [UInt64: UInt32]] = [:]
  private var low: UInt64?
  private var high: UInt64 = 0
  private var count = 0

  /// More rows than this are forgotten when they are not needed any more.
  private static let most = 1 << 18

  func names(_ map: EntityMap, _ store: GraphStore) -> HistoryNames {
    lock.withLock {
      if let known = names[map.number] { return known }
      let made = HistoryNames(map, store)
      names[map.number] = made
      return made
    }
  }

  /// What a row said of its class that went behind a transaction; nil where the history does not tell of its deletion.
  func classNumber(
    of row: UInt64, _ home: EntityMap, behind number: UInt64, _ store: GraphStore, reader: RecordReader
  ) throws -> UInt32?? {
    lock.acquire()
    defer { lock.release() }
    // First, because one transaction may have deleted more rows than are kept, and all of them are asked for.
    if let low, number >= low, let known = gone[home.entity.id]?[row] { return .some(known == 0 ? nil : known) }
    if count > Self.most {
      (gone, low, count) = ([:], nil, 0)
    }
    if let low, number < low {
      let cursor = try reader.history(HistoryRange(after: number, through: low, crossesGaps: true))
      while let next = try cursor.move() { try add(next, store) }
      self.low = number
    } else if low == nil {
      (low, high) = (number, number)
    }
    if let known = gone[home.entity.id]?[row] { return .some(known == 0 ? nil : known) }
    let cursor = try reader.history(HistoryRange(after: high, crossesGaps: true))
    while let next = try cursor.move() {
      try add(next, store)
      high = next.number
      if let known = gone[home.entity.id]?[row] { return .some(known == 0 ? nil : known) }
    }
    return nil
  }

  private func add(_ transaction: HistoryCommit, _ store: GraphStore) throws {
    let entities = Set(transaction.entry.entities.filter { store.map(of: $0)?.family != nil })
    if entities.isEmpty { return }
    try transaction.entry.changes(of: entities) { change in
      guard change.kind == .delete, let family = store.map(of: change.entity)?.family else { return }
      if gone[change.entity, default: [:]].updateValue(change.classNumber(family) ?? 0, forKey: change.row.number)
        == nil
      {
        count += 1
      }
    }
  }
}

extension RowsChange {
  /// What the history kept of a row's class; nil where the row was older than classes, or nothing was kept.
  func classNumber(_ family: Family) -> UInt32? {
    for kept in values where kept.field == family.field {
      if case .value(.uint(let number)) = kept.content { return UInt32(exactly: number) }
    }
    return nil
  }
}
