#if Postgres
  internal import Roost
  internal import RoostRecords

  /// The row numbers in a file of the objects in a database. They identify an object on both sides.
  final class MoveNumbers {
    private let tables: TableMap
    /// For a push, by table: the keys that are made from the row numbers.
    let keys: [MoveKeys]
    /// For a pull, by table: the row number of each key.
    private var rows: [[RowKey: UInt64]]

    init(_ tables: TableMap, keys: [MoveKeys] = []) {
      (self.tables, self.keys) = (tables, keys)
      rows = tables.tables.map { _ in [:] }
    }

    func number(_ identifier: PersistentIdentifier) -> UInt64? {
      if case .row(let row) = identifier.key { return row }
      guard let table = tables.places[identifier.entityName]?.table, let key = RowKey(identifier) else { return nil }
      return keys.isEmpty ? rows[table][key] : keys[table].row(key.key)
    }

    func note(_ identifier: PersistentIdentifier, row: UInt64) {
      guard let table = tables.places[identifier.entityName]?.table, let key = RowKey(identifier) else { return }
      rows[table][key] = row
    }
  }
#endif
