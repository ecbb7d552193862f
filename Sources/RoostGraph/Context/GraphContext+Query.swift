internal import RoostFile
package import RoostQuery
package import RoostRecords

/// Queries of rows, as they are stored: changes that wait are not looked at.
extension GraphContext {
  /// Goes on to the newest snapshot, and plans over it.
  package func planner() throws -> Planner {
    try call(.fetching) {
      try goOn()
      return Planner(Ground(try snapshot()))
    }
  }

  /// The objects of a query's rows, in its order, filled while their rows are at hand.
  package func objects<Model: _ModelObject>(_ query: Query, _ map: EntityMap, as type: Model.Type) throws -> [Model] {
    guard map.type.model == Model.self || map.type.model is Model.Type else {
      throw GraphFault(.wrongModel, "its objects are no \(Model._$type.name)", entity: map.type.name)
    }
    return try call(.fetching) { try objectsNow(query, map) }
  }

  private func objectsNow<Model: _ModelObject>(_ query: Query, _ map: EntityMap) throws -> [Model] {
    let plan = try planner().plan(query)
    let origin = origin(map)
    let table = try table(map)
    // An array of objects is the same in memory whatever their class, and here nobody would know that class without looking it up.
    var found: [AnyObject] = []
    var rows: [UInt64] = []
    try plan.forEach { row in
      guard let own = self.origin(origin, of: row) else { return true }
      rows.append(row.id.number)
      let object = own.object(row.id.number)
      if object._$state.flags.contains(.fault) {
        take(row, table, into: object, own)
        statistics.objectsFilled += 1
      }
      found.append(object)
      return true
    }
    noteBatch(map, rows)
    return unsafeBitCast(found, to: [Model].self)
  }

  /// The rows of a query, in its order, each with the map of its class.
  package func rows(_ query: Query, _ map: EntityMap) throws -> [(map: EntityMap, row: RowID)] {
    let plan = try planner().plan(query)
    guard map.family != nil else { return try plan.rows().map { (map, $0) } }
    let origin = origin(map)
    var found: [(map: EntityMap, row: RowID)] = []
    try plan.forEach { row in
      if let own = self.origin(origin, of: row) { found.append((own.map, row.id)) }
      return true
    }
    return found
  }

  /// Makes every object a fault again, so that it is read anew.
  func forgetUnchanged() {
    for object in allObjects where object._$state.flags.isDisjoint(with: [.fault, .gone, .lent]) {
      object._$forget()
      object._$state.flags.insert(.fault)
      noteTold(object, nil)
    }
  }
}

extension GraphContext {
  /// Fills an object from its row, and throws where that cannot be done.
  package func load(_ object: any _ModelObject) throws {
    try call(.reading) {
      guard let origin = try origin(of: object) else { return }
      if object._$state.flags.contains(.invalid) { tryAgain(object) }
      guard object._$state.flags.contains(.fault) else { return }
      let before = failure
      fill(object, origin)
      guard object._$state.flags.contains(.invalid) else { return }
      let error = object._$state.extras?.failure
      tryAgain(object)
      // Whoever asked knows it now, so no save need say it.
      failure = before
      throw error
        ?? GraphFault(.unreadable, "no value could be read", entity: origin.map.type.name, row: object._$state.row)
    }
  }
}

extension GraphContext {
  /// What the store's entities and fields are called, as the context sees them.
  package func catalog() throws -> Catalog { try snapshot().catalog }

  /// The objects of rows, filled while their rows are at hand. Rows that are not there are left out.
  package func objects(_ rows: [RowID], _ map: EntityMap) throws -> [any _ModelObject] {
    let origin = origin(map)
    let table = try table(map)
    noteBatch(map, rows.map(\.number))
    return try rows.compactMap { id in
      if let known = origin.known(id.number), !known._$state.flags.contains(.fault) { return known }
      let found = try table.withRow(id) { (row) throws(StoreError) -> (any _ModelObject)? in
        guard let own = self.origin(origin, of: row) else { return nil }
        let object = own.object(id.number)
        take(row, table, into: object, own)
        statistics.objectsFilled += 1
        return object
      }
      return found ?? nil
    }
  }
}
