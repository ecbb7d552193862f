internal import RoostFile
package import RoostQuery
package import RoostRecords

/// Queries of rows, as they are stored: changes that wait are not looked at.
extension GraphContext {
  /// Goes on to the newest snapshot, and plans over it.
  package func planner() throws -> Planner {
    try call(.fetching) {
      try goOn()
      return Planner(try ground(), routes)
    }
  }

  /// The objects of a query's rows, in its order, filled while their rows are at hand.
  package func objects<Model: _ModelObject>(_ query: Query, _ map: EntityMap, as type: Model.Type) throws -> [Model] {
    try check(map, type)
    return try call(.fetching) { Self.array(try found(by: planner().plan(query), map), of: type) }
  }

  /// The same of a question; nil where it cannot be asked with these constants.
  ///
  /// It says nothing of the objects' type: to look up what is made of a type takes longer than to find an object.
  package func objects(
    _ question: Question, _ values: [Value], offset: Int, limit: Int?, _ map: EntityMap
  ) throws -> [AnyObject]? {
    try call(.fetching) {
      let planner = try planner()
      if offset == 0, let rows = try planner.uniqueRows(question, values) {
        return try rows.compactMap { try fetchOne($0, map) }
      }
      guard let plan = try planner.plan(question, values, offset: offset, limit: limit) else { return nil }
      return try found(by: plan, map)
    }
  }

  /// The object of a row that an index names; nil where it is of another class.
  private func fetchOne(_ row: RowID, _ map: EntityMap) throws -> AnyObject? {
    let (origin, table) = (origin(map), try table(map))
    let found = try table.withRow(row) { (found) throws(StoreError) -> (any _ModelObject)? in
      guard let own = self.origin(origin, of: found) else { return nil }
      let object = own.object(row.number)
      if object._$state.flags.contains(.fault) {
        statistics.objectsFilled += 1
        take(found, table, into: object, own)
      }
      return object
    }
    try ground().rowsRead += 1
    if let found { return found }
    throw StoreError(.damaged, "row \(row.number) of \(map.type.name) is in an index, but does not exist")
  }

  private func check<Model: _ModelObject>(_ map: EntityMap, _ type: Model.Type) throws(GraphFault) {
    if map.type.model == Model.self || map.type.model is Model.Type { return }
    throw GraphFault(.wrongModel, "its objects are not of the class \(Model._$type.name)", entity: map.type.name)
  }

  /// An array of objects is the same in memory whatever their class, and here nobody would know that class without looking it up.
  private static func array<Model: _ModelObject>(_ found: [AnyObject], of type: Model.Type) -> [Model] {
    unsafeBitCast(found, to: [Model].self)
  }

  private func found(by plan: Plan, _ map: EntityMap) throws -> [AnyObject] {
    let (origin, table) = (origin(map), try table(map))
    var found: [AnyObject] = []
    var rows: [UInt64] = []
    found.reserveCapacity(plan.sureCount)
    rows.reserveCapacity(plan.sureCount)
    var filling = RowFilling(table, map)
    try plan.forEach { row in
      guard let own = self.origin(origin, of: row) else { return true }
      rows.append(row.id.number)
      found.append(filled(row, &filling, own))
      return true
    }
    noteBatch(map, rows)
    return found
  }

  /// The object of a row of which there are many to come.
  private func filled(_ row: Row, _ filling: inout RowFilling, _ origin: RowOrigin) -> AnyObject {
    if let known = origin.objects.object(row.id.number) {
      let object = origin.model(known)
      if object._$state.flags.contains(.fault) { fill(object, row, &filling, origin) }
      return known
    }
    let object = origin.make(row.id.number)
    fill(object, row, &filling, origin)
    return object
  }

  private func fill(_ object: any _ModelObject, _ row: Row, _ filling: inout RowFilling, _ origin: RowOrigin) {
    statistics.objectsFilled += 1
    if let failure = filling.fill(object, row, origin.map) {
      fail(object, failure)
      fillEmpty(object, origin.map)
    }
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

  /// Makes every object without changes a fault again, so that it is read anew. After changes were given up some may have new ones, by the
  /// `deinit` of others.
  func forgetUnchanged() {
    for object in allObjects
    where object._$state.flags.isDisjoint(with: [.fault, .gone, .lent, .changed, .inserted]) {
      releaseLater(object._$forget())
      object._$state.flags.insert(.fault)
      noteTold(object, nil)
    }
  }
}

extension GraphContext {
  /// Fills an object from its row, and throws where that cannot be done, or where the type of a property does not accept what is
  /// stored.
  package func load(_ object: any _ModelObject) throws {
    try call(.reading) {
      guard let origin = try origin(of: object) else { return }
      if object._$state.flags.contains(.invalid) { tryAgain(object) }
      guard object._$state.flags.contains(.fault) else { return }
      let before = failure
      fill(object, origin)
      guard object._$state.flags.contains(.invalid) else { return }
      if !object.isUnreadable {
        guard let (property, error) = object.refused.min(by: { $0.key < $1.key }) else { return }
        throw refusal(error, name(object), property, origin.map)
      }
      let error = object._$state.extras?.failure
      tryAgain(object)
      // Whoever asked knows it now, so no save need say it.
      failure = before
      throw error
        ?? GraphFault(.unreadable, "the value could not be read", entity: origin.map.type.name, row: object._$state.row)
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
