internal import RoostFile
internal import RoostRecords

/// The objects of rows that a cursor found before, in a snapshot that it pinned.
extension ObjectTable {
  /// The filled objects of rows, in their order. Objects of rows that were deleted meanwhile are
  /// marked as deleted and have the values of the pinned snapshot.
  func page(_ rows: [RowID], _ map: EntityMap, pin: SnapshotPin) -> [any _ModelObject] {
    let origin = origin(map)
    if !session.isClosed { noteBatch(map, rows.map(\.number)) }
    return rows.map { row in
      if let known = origin.known(row.number), !known._$state.flags.contains(.fault) { return known }
      do {
        if !session.isClosed, let found = try readOne(row.number, origin, isAlone: false) { return found }
      } catch {
        fail(error)
      }
      return origin.known(row.number) ?? buried(row, map, pin: pin)
    }
  }

  /// An object of a deleted row, with its last values.
  private func buried(_ row: RowID, _ map: EntityMap, pin: SnapshotPin) -> any _ModelObject {
    let home = origin(map)
    let table = try? pin.reader.table(map.entity.id)
    let found = try? table?.withRow(row) { (found) throws(StoreError) -> (any _ModelObject)? in
      guard let table, let own = self.origin(home, of: found) else { return nil }
      let object = deadObject(own.map, row, isEmpty: false)
      take(found, table, into: object, origin: own)
      makeValues(object, in: table)
      fillEmpty(object, own.map)
      return object
    }
    return (found ?? nil) ?? deadObject(map, row)
  }

  /// An object without a row, for calls in which another thread does not give the lock back.
  func lost(_ map: EntityMap) -> any _ModelObject {
    let made = map.type.model.init(_$state: _ModelState())
    made.markGone()
    for (number, property) in map.type.properties.enumerated() {
      if case .value = property.storage { made._$fill(number, orEmpty: true) }
    }
    return made
  }
}
