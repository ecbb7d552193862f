internal import RoostFile
package import RoostRecords

/// Reading objects of rows that were found before.
extension GraphContext {
  /// The objects of rows, in their order, filled. It is an accessor: the context does not go on.
  ///
  /// Rows that are deleted by now have objects that say so, with the values that they had in the pinned snapshot.
  package func page(_ rows: [RowID], _ map: EntityMap, _ pin: SnapshotPin) -> [any _ModelObject] {
    let taking = session.lock.take(.fetching)
    if taking == .denied { return rows.map { _ in lost(map) } }
    defer { if taking == .taken { leave() } }
    let origin = objects.origin(map)
    if !session.isClosed { objects.noteBatch(map, rows.map(\.number)) }
    return rows.map { row in
      if let known = origin.known(row.number), !known._$state.flags.contains(.fault) { return known }
      do {
        if !session.isClosed, let found = try objects.readOne(row.number, origin, isAlone: false) { return found }
      } catch {
        objects.fail(error)
      }
      return origin.known(row.number) ?? buried(row, map, pin)
    }
  }

  /// An object for a row that is there no more, with the values that it had.
  private func buried(_ row: RowID, _ map: EntityMap, _ pin: SnapshotPin) -> any _ModelObject {
    let home = objects.origin(map)
    let table = try? pin.reader.table(map.entity.id)
    let found = try? table?.withRow(row) { (found) throws(StoreError) -> (any _ModelObject)? in
      guard let table, let own = self.objects.origin(home, of: found) else { return nil }
      let object = objects.deadObject(own.map, row, isEmpty: false)
      objects.take(found, table, into: object, own)
      objects.fillEmpty(object, own.map)
      return object
    }
    return (found ?? nil) ?? objects.deadObject(map, row)
  }

  /// An object that stands for nothing, where another thread does not let go of the context.
  private func lost(_ map: EntityMap) -> any _ModelObject {
    let made = map.type.model.init(_$state: _ModelState())
    made.markGone()
    for (number, property) in map.type.properties.enumerated() {
      if case .value = property.storage { made._$fill(number, orEmpty: true) }
    }
    return made
  }
}
