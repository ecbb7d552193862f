internal import RoostFile
package import RoostQuery
package import RoostRecords

/// Queries of rows, as they are stored: changes that wait are not looked at.
extension GraphContext {
  /// Goes on to the newest snapshot, and plans over it.
  package func planner() throws -> Planner {
    try checkOpen()
    try advance()
    return Planner(Ground(try snapshot()))
  }

  /// The objects of a query's rows, in its order, filled while their rows are at hand.
  package func objects<Model: _ModelObject>(_ query: Query, _ map: EntityMap, as type: Model.Type) throws -> [Model] {
    guard map.type.model == Model.self || map.type.model is Model.Type else {
      throw GraphFault(.wrongModel, "its objects are no \(Model._$type.name)", entity: map.type.name)
    }
    let plan = try planner().plan(query)
    let origin = origin(map)
    let table = try table(map)
    // An array of objects is the same in memory whatever their class, and here nobody would know that class without looking it up.
    var found: [AnyObject] = []
    try plan.forEach { row in
      let object = origin.object(row.id.number)
      if object._$state.flags.contains(.fault) {
        take(row, table, into: object, origin)
        statistics.objectsFilled += 1
      }
      found.append(object)
      return true
    }
    return unsafeBitCast(found, to: [Model].self)
  }

  /// Makes every object a fault again, so that it is read anew.
  func forgetUnchanged() {
    for object in allObjects where object._$state.flags.isDisjoint(with: [.fault, .gone, .lent]) {
      object._$forget()
      object._$state.flags.insert(.fault)
    }
  }
}

extension GraphContext {
  /// Fills an object from its row, and throws where that cannot be done.
  package func load(_ object: any _ModelObject) throws {
    try checkOpen()
    guard let origin = try origin(of: object), object._$state.flags.contains(.fault) else { return }
    let before = failure
    fill(object, origin)
    guard object._$state.flags.contains(.invalid) else { return }
    // Whoever asked knows it now, so no save need say it.
    failure = before
    throw object._$state.extras?.failure
      ?? GraphFault(.unreadable, "no value could be read", entity: origin.map.type.name, row: object._$state.row)
  }
}

extension GraphContext {
  /// What the store's entities and fields are called, as the context sees them.
  package func catalog() throws -> Catalog { try snapshot().catalog }

  /// The objects of rows, filled while their rows are at hand. Rows that are not there are left out.
  package func objects(_ rows: [RowID], _ map: EntityMap) throws -> [any _ModelObject] {
    let origin = origin(map)
    let table = try table(map)
    return try rows.compactMap { id in
      let object = origin.object(id.number)
      if !object._$state.flags.contains(.fault) { return object }
      return try table.withRow(id) { (row) throws(StoreError) in
        take(row, table, into: object, origin)
        statistics.objectsFilled += 1
        return object
      }
    }
  }
}
