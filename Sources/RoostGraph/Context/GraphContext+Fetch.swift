package import RoostQuery
internal import RoostRecords

/// Finding objects.
extension GraphContext {
  /// The objects of a query's rows, in its order, from the newest snapshot. Changes that were not saved are not looked at.
  package func fetchStored<Model: _ModelObject>(_ query: Query, as type: Model.Type) throws -> [Model] {
    try call(.fetching) { try fetchNow(query, as: type) }
  }

  private func fetchNow<Model: _ModelObject>(_ query: Query, as type: Model.Type) throws -> [Model] {
    try goOn()
    let map = try map(of: type)
    let origin = origin(map)
    let table = try table(map)
    let plan = try Planner(Ground(snapshot())).plan(query)
    var found: [Model] = []
    var rows: [UInt64] = []
    try plan.forEach { row in
      guard let own = self.origin(origin, of: row) else { return true }
      rows.append(row.id.number)
      let object = own.object(row.id.number)
      if object._$state.flags.contains(.fault) {
        take(row, table, into: object, own)
        statistics.objectsFilled += 1
      }
      found.append(unsafeDowncast(object, to: Model.self))
      return true
    }
    noteBatch(map, rows)
    return found
  }

  private func map(of model: any _ModelObject.Type) throws(GraphFault) -> EntityMap {
    if let map = store.map(of: model) { return map }
    throw GraphFault(
      .unknownModel, "the container was not made for this model: name it where the container is made",
      entity: model._$type.name)
  }
}
