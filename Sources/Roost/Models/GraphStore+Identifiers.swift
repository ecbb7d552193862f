internal import RoostGraph

/// The only place where identifiers of a store's rows are made and resolved.
extension GraphStore {
  /// Returns the identifier of a row.
  func identifier(_ entity: String, _ row: UInt64, isSaved: Bool = true) -> PersistentIdentifier {
    var key = IdentifierKey.row(row)
    if let backing, let map = map(named: entity) { key = backing.keys.key(map, row) }
    return PersistentIdentifier(store: identifier, entity: entity, key, isSaved: isSaved)
  }

  func identifier(_ name: ObjectName) -> PersistentIdentifier { identifier(name.entity, name.row) }

  /// The entity and the key of an identifier. Identifiers of one model may name different classes, and
  /// models of two entities may have the same key.
  func entityKey(_ identifier: PersistentIdentifier) -> EntityKey? {
    map(named: identifier.entityName).map { EntityKey($0, identifier.key) }
  }

  /// Returns the row of an identifier of the map's entity, for any class of that entity. Nil for an
  /// identifier of another store. It does not check that the row exists.
  func row(of identifier: PersistentIdentifier, _ map: EntityMap) -> UInt64? {
    guard identifier.store == self.identifier else { return nil }
    let row: UInt64
    if let backing {
      guard let known = backing.keys.row(map, identifier.key) else { return nil }
      row = known
    } else {
      guard case .row(let number) = identifier.key else { return nil }
      row = number
    }
    // The model may have been merged into another one.
    return self.row(map, behind: row)
  }
}
