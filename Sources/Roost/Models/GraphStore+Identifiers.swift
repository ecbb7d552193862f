internal import RoostGraph

/// Identifiers of a store's rows: made here, and understood here, for everybody.
extension GraphStore {
  /// The identifier of a row.
  func identifier(_ entity: String, _ row: UInt64, isSaved: Bool = true) -> PersistentIdentifier {
    var key = IdentifierKey.row(row)
    if let backing, let map = map(named: entity) { key = backing.keys.key(map, row) }
    return PersistentIdentifier(store: identifier, entity: entity, key, isSaved: isSaved)
  }

  func identifier(_ name: ObjectName) -> PersistentIdentifier { identifier(name.entity, name.row) }

  /// The row that an identifier names, by whichever class of the map's entity. Nil for an identifier of another store. Whether there is
  /// such a row is not asked.
  func row(of identifier: PersistentIdentifier, _ map: EntityMap) -> UInt64? {
    guard identifier.store == self.identifier else { return nil }
    if let backing { return backing.keys.row(map, identifier.key) }
    guard case .row(let row) = identifier.key else { return nil }
    // The model may have become another one's.
    return self.row(map, behind: row)
  }
}
