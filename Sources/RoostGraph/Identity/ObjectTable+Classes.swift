internal import RoostFile
internal import RoostRecords

/// Rows of an entity that classes share.
extension ObjectTable {
  /// Whose objects a row's is, of an origin's class or of its subclasses; nil where it is of another class.
  @inline(__always)
  func origin(_ origin: RowOrigin, of row: Row) -> RowOrigin? {
    origin.map.family == nil ? origin : heir(origin, row)
  }

  /// The same of a row that is not at hand.
  @inline(__always)
  func origin(_ origin: RowOrigin, of row: UInt64, _ table: TableReader) throws -> RowOrigin? {
    if origin.map.family == nil { return origin }
    return try table.withRow(RowID(row)) { (found) throws(StoreError) in self.origin(origin, of: found) } ?? nil
  }

  /// Whose object one is of which only the entity is known.
  @inline(__always)
  func own(_ origin: RowOrigin, _ object: any _ModelObject) -> RowOrigin {
    origin.map.family == nil ? origin : object._$state.origin as? RowOrigin ?? origin
  }

  private func heir(_ origin: RowOrigin, _ row: Row) -> RowOrigin? {
    guard let number = origin.map.family?.map(of: row) else { return nil }
    if number == origin.map.number { return origin }
    let map = store.maps[number]
    return map.isKind(of: origin.map) ? self.origin(map) : nil
  }

  /// The map of a row's class; nil where there is no such row, or it is of no class of the map's.
  func found(_ map: EntityMap, _ row: RowID) throws -> EntityMap? {
    let table = try session.table(map)
    guard let family = map.family else { return try table.contains(row) ? map : nil }
    guard let number = try table.withRow(row, { (row) throws(StoreError) in family.map(of: row) }) ?? nil else {
      return nil
    }
    return store.maps[number].isKind(of: map) ? store.maps[number] : nil
  }

  /// The same for a row of which only the entity is known, which the context may have changed; the class of which it is
  /// said to be where nothing better is known.
  func map(of key: LinkKey) -> EntityMap {
    let home = store.maps[key.map]
    if home.family == nil { return home }
    return registered(home, RowID(key.row))?.entityMap ?? (try? found(home, RowID(key.row))) ?? home
  }
}
