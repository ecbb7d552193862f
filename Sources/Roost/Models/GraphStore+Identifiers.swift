internal import RoostGraph

/// Identifiers of a store's rows: made here, and understood here, for everybody.
extension GraphStore {
  /// The identifier of a row.
  func identifier(_ entity: String, _ row: UInt64, isSaved: Bool = true) -> PersistentIdentifier {
    PersistentIdentifier(store: identifier, entity: entity, .row(row), isSaved: isSaved)
  }

  func identifier(_ name: ObjectName) -> PersistentIdentifier { identifier(name.entity, name.row) }

  /// The row that an identifier names, by whichever class of the map's entity. Nil for an identifier of another store. Whether there is
  /// such a row is not asked.
  func row(of identifier: PersistentIdentifier, _ map: EntityMap) -> UInt64? {
    guard case .row(let row) = identifier.key, identifier.store == self.identifier else { return nil }
    // The model may have become another one's.
    return self.row(map, behind: row)
  }
}
