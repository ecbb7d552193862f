internal import RoostFile
internal import RoostRecords

/// Rows of an entity that several classes share.
extension ObjectTable {
  /// The origin of a row's class, if it is the class of `origin` or a subclass; otherwise nil.
  @inline(__always)
  func origin(_ origin: RowOrigin, of row: Row) -> RowOrigin? {
    origin.map.family == nil ? origin : heir(origin, row)
  }

  /// The origin of the class of a row with this number; nil if it is of another class or does not
  /// exist.
  @inline(__always)
  func origin(_ origin: RowOrigin, of row: UInt64, _ table: TableReader) throws -> RowOrigin? {
    if origin.map.family == nil { return origin }
    return try table.withRow(RowID(row)) { (found) throws(StoreError) in self.origin(origin, of: found) } ?? nil
  }

  /// The origin of an object's own class, if only its entity is known.
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

  /// The map of a row's class; nil if the row does not exist or is of another class.
  func found(_ map: EntityMap, _ row: RowID) throws -> EntityMap? {
    let table = try session.table(map)
    guard let family = map.family else { return try table.contains(row) ? map : nil }
    guard let number = try table.withRow(row, { (row) throws(StoreError) in family.map(of: row) }) ?? nil else {
      return nil
    }
    return store.maps[number].isKind(of: map) ? store.maps[number] : nil
  }

  /// The map of a row's class, including unsaved objects, if only the entity is known; the entity's
  /// home map if the class is unknown.
  func map(of key: LinkKey) -> EntityMap {
    let home = store.maps[key.map]
    if home.family == nil { return home }
    return registered(home, RowID(key.row))?.entityMap ?? (try? found(home, RowID(key.row))) ?? home
  }
}
