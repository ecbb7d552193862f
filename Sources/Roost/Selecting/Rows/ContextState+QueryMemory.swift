internal import RoostGraph
internal import RoostQuery

extension ContextState {
  /// Runs a selection or an aggregate of models of a store, and counts the memory that it takes.
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
  /// What one row of a join takes, beside its keys and values.
  static let joinedRow = 120
  static let joinedKey = 64
}
