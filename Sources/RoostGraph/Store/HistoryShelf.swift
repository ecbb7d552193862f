internal import RoostFile
internal import RoostRecords

/// A cache for a store's history: the names of properties, and the classes of deleted rows.
///
/// A row stores its class. The class of a deleted row is in its delete entry, which comes later in
/// the history. So the shelf reads the history ahead until it finds the entry, and keeps all
/// entries that it read. The history does not change.
///
/// ## Invariants
/// 1. `gone` has the classes from all delete entries after `low` up to `high`, for rows of shared
///    entities.
///
/// Unchecked because the lock guards all of it.
final class HistoryShelf: @unchecked Sendable {
  private let lock = Lock()
  private var names: [Int: HistoryNames] = [:]
  private var gone: [EntityID: [UInt64: UInt32]] = [:]
  private var low: UInt64?
  private var high: UInt64 = 0
  private var count = 0

  /// At more rows, the cache is emptied when it is next used.
  private static let most = 1 << 18

  func names(_ map: EntityMap, _ store: GraphStore) -> HistoryNames {
    lock.withLock {
      if let known = names[map.number] { return known }
      let made = HistoryNames(map, store)
      names[map.number] = made
      return made
    }
  }

  /// The class number of a row that was deleted after a transaction; nil if the history has no
  /// entry of its deletion.
  func classNumber(
    of row: UInt64, _ home: EntityMap, behind number: UInt64, _ store: GraphStore, reader: RecordReader
  ) throws -> UInt32?? {
    lock.acquire()
    defer { lock.release() }
    // First, because one transaction may have deleted more rows than the limit, and all of them are
    // looked up.
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
  /// The class number that the history kept; nil if the row was older than the class field, or
  /// nothing was kept.
  func classNumber(_ family: Family) -> UInt32? {
    for kept in values where kept.field == family.field {
      if case .value(.uint(let number)) = kept.content { return UInt32(exactly: number) }
    }
    return nil
  }
}
