internal import RoostFile
internal import RoostQuery
package import RoostRecords

/// The objects of rows that a query found, filled when the query reads the rows.
extension ObjectTable {
  /// The object of a row that an index names; nil if it is of another class.
  func fetchOne(_ row: RowID, _ map: EntityMap) throws -> AnyObject? {
    let (origin, table) = (origin(map), try session.table(map))
    let found = try table.withRow(row) { (found) throws(StoreError) -> (any _ModelObject)? in
      guard let own = self.origin(origin, of: found) else { return nil }
      let object = own.object(row.number)
      if object._$state.flags.contains(.fault) {
        session.statistics.objectsFilled += 1
        take(found, table, into: object, origin: own)
      }
      return object
    }
    try session.ground().rowsRead += 1
    if let found { return found }
    throw StoreError(.damaged, "row \(row.number) of \(map.type.name) is in an index, but does not exist")
  }

  func found(by plan: Plan, _ map: EntityMap) throws -> [AnyObject] {
    let (origin, table) = (origin(map), try session.table(map))
    var found: [AnyObject] = []
    var rows: [UInt64] = []
    found.reserveCapacity(plan.sureCount)
    rows.reserveCapacity(plan.sureCount)
    origin.objects.reserve(plan.sureCount)
    var filling = RowFilling(table, map, objects: self)
    let isFamily = map.family != nil
    try plan.forEach { row in
      if isFamily {
        guard let own = self.origin(origin, of: row) else { return true }
        found.append(filled(row, &filling, origin: own))
      } else {
        found.append(filled(row, &filling, origin: origin))
      }
      rows.append(row.id.number)
      return true
    }
    noteBatch(map, rows)
    return found
  }

  /// The object of one of many rows.
  private func filled(_ row: Row, _ filling: inout RowFilling, origin: RowOrigin) -> AnyObject {
    if let known = origin.objects.object(row.id.number) {
      let object = origin.model(known)
      if object._$state.flags.contains(.fault) { fill(object, row, filling: &filling, origin: origin) }
      return known
    }
    let object = origin.make(row.id.number)
    fill(object, row, filling: &filling, origin: origin)
    return object
  }

  private func fill(_ object: any _ModelObject, _ row: Row, filling: inout RowFilling, origin: RowOrigin) {
    session.statistics.objectsFilled += 1
    if let failure = filling.fill(object, row, map: origin.map) {
      fail(object, failure)
      fillEmpty(object, origin.map)
    }
  }

  /// The objects of rows, filled. Rows that do not exist are left out.
  package func read(_ rows: [RowID], _ map: EntityMap) throws -> [any _ModelObject] {
    let origin = origin(map)
    let table = try session.table(map)
    noteBatch(map, rows.map(\.number))
    return try rows.compactMap { id in
      if let known = origin.known(id.number), !known._$state.flags.contains(.fault) { return known }
      let found = try table.withRow(id) { (row) throws(StoreError) -> (any _ModelObject)? in
        guard let own = self.origin(origin, of: row) else { return nil }
        let object = own.object(id.number)
        take(row, table, into: object, origin: own)
        session.statistics.objectsFilled += 1
        return object
      }
      return found ?? nil
    }
  }
}
