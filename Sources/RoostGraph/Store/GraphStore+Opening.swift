package import RoostFile
internal import RoostPages

/// Opening a store as the door wants it.
extension GraphStore {
  package static func open(
    _ path: String, _ models: [ModelPlan], isReadOnly: Bool = false, cacheBytes: Int? = nil,
    fileSystem: any FileSystem = DiskFileSystem.shared, room: (@Sendable () throws -> Void)? = nil
  ) throws -> GraphStore {
    var options = StoreOptions()
    options.readOnly = isReadOnly
    options.cacheBytes = cacheBytes
    return try GraphStore(path, models, options: options, fileSystem: fileSystem, room: room)
  }

  package static func inMemory(_ models: [ModelPlan]) throws -> GraphStore {
    try GraphStore(inMemory: StoreOptions(), models)
  }
}
