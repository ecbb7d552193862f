internal import RoostGraph
internal import RoostQuery

extension ContextState {
  /// Runs a selection or an aggregate over the models of a store, and counts its memory.
  func countingMemory<Model: PersistentModel, Result>(
    _ model: Model.Type, _ body: () throws -> Result
  ) throws -> Result {
    let outer = queryMemory
    defer { queryMemory = outer }
    let store = try stores.known(model).store
    let given = stores.configurations[store].queryBytes
    queryMemory = QueryMemory(
      least: given ?? ModelConfiguration.sureQueryBytes, entity: model._$type.name,
      limit: { given ?? ModelConfiguration.usualQueryBytes })
    return try body()
  }
}

extension QueryMemory {
  /// The memory of one row of a join, besides its keys and values.
  static let joinedRow = 120
  static let joinedKey = 64
}
