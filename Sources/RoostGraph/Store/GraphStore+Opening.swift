internal import RoostPages

/// Opening a store as the door wants it.
extension GraphStore {
  package static func open(_ path: String, _ models: [ModelPlan], isReadOnly: Bool = false) throws -> GraphStore {
    var options = StoreOptions()
    options.readOnly = isReadOnly
    return try GraphStore(path, models, options: options)
  }

  package static func inMemory(_ models: [ModelPlan]) throws -> GraphStore {
    try GraphStore(inMemory: StoreOptions(), models)
  }
}
