internal import RoostFile
package import RoostQuery
package import RoostRecords

/// Queries over stored rows: unsaved changes are ignored.
extension GraphContext {
  /// Moves to the newest snapshot and returns a planner for it.
  package func planner() throws -> Planner {
    try call(.fetching) {
      try follower.catchUp()
      return Planner(try session.ground(), session.routes)
    }
  }

  /// Moves to the newest snapshot and keeps it until the call ends.
  package func keepSnapshot() throws {
    try follower.catchUp()
    session.keepSnapshot()
  }

  /// Moves to the newest snapshot and keeps it while a closure runs.
  package func holdingSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try follower.catchUp()
    let merges = session.mergesChanges
    session.mergesChanges = false
    defer { session.mergesChanges = merges }
    return try body()
  }

  /// The objects of a query's rows, in its order, from the newest snapshot. Unsaved changes are
  /// ignored.
  package func fetchStored<Model: _ModelObject>(_ query: Query, as type: Model.Type) throws -> [Model] {
    try fetch(query, objects.map(of: type), as: type)
  }

  /// The objects of a query's rows, in its order. They are filled when the query reads their rows.
  package func fetch<Model: _ModelObject>(_ query: Query, _ map: EntityMap, as type: Model.Type) throws -> [Model] {
    try check(map, type)
    return try call(.fetching) { Self.array(try objects.found(by: planner().plan(query), map), of: type) }
  }

  /// The objects of a question's rows; nil if the question does not fit this store or these
  /// constants.
  ///
  /// It does not take the type as a parameter: the look-up of generic metadata takes longer than
  /// finding an object.
  package func fetch(
    _ question: Question, _ values: [Value], offset: Int, limit: Int?, map: EntityMap
  ) throws -> [AnyObject]? {
    try call(.fetching) {
      let planner = try planner()
      if offset == 0, let rows = try planner.uniqueRows(question, values) {
        return try rows.compactMap { try objects.fetchOne($0, map) }
      }
      guard let plan = try planner.plan(question, values, offset: offset, limit: limit) else { return nil }
      return try objects.found(by: plan, map)
    }
  }

  /// The object of the row with a value of a unique property, or none; nil if the property is not
  /// unique. Unsaved changes are ignored.
  package func fetch(unique property: Int, _ value: Value, map: EntityMap) throws -> [AnyObject]? {
    guard let field = map.field(property), Kind(field).whole.holds(value) else { return nil }
    return try call(.fetching) {
      let rows = try planner().uniqueRows(of: map.entity.id, field.id, key: [value])
      return try rows?.compactMap { try objects.fetchOne($0, map) }
    }
  }

  private func check<Model: _ModelObject>(_ map: EntityMap, _ type: Model.Type) throws(GraphFault) {
    if map.type.model == Model.self || map.type.model is Model.Type { return }
    throw GraphFault(.wrongModel, "its objects are not of the class \(Model._$type.name)", entity: map.type.name)
  }

  /// Casts without a check. Arrays of objects have one layout in memory for all classes, and a
  /// checked cast looks up the class of each.
  private static func array<Model: _ModelObject>(_ found: [AnyObject], of type: Model.Type) -> [Model] {
    unsafeBitCast(found, to: [Model].self)
  }

  /// The rows of a query, in its order, each with the map of its class.
  package func rows(_ query: Query, _ map: EntityMap) throws -> [(map: EntityMap, row: RowID)] {
    let plan = try planner().plan(query)
    guard map.family != nil else { return try plan.rows().map { (map, $0) } }
    let origin = objects.origin(map)
    var found: [(map: EntityMap, row: RowID)] = []
    try plan.forEach { row in
      if let own = self.objects.origin(origin, of: row) { found.append((own.map, row.id)) }
      return true
    }
    return found
  }

  /// Fills an object from its row. It throws if that is impossible, or if the type of a property
  /// rejects its stored value.
  package func load(_ object: any _ModelObject) throws {
    if let map = object.entityMap { try load(unloaded: [(map, object._$state.row)]) }
    try call(.reading) { try objects.load(object) }
  }

  /// The filled objects of rows that a cursor found before, in their order. The context does not
  /// move to a newer snapshot.
  ///
  /// Objects of rows that were deleted meanwhile are marked as deleted and have the values of the
  /// pinned snapshot.
  package func page(_ rows: [RowID], _ map: EntityMap, pin: SnapshotPin) -> [any _ModelObject] {
    let taking = session.lock.take(.fetching)
    if taking == .denied { return rows.map { _ in objects.lost(map) } }
    defer { if taking == .taken { leave() } }
    return objects.page(rows, map, pin: pin)
  }
}
