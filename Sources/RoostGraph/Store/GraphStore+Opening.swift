package import RoostFile
internal import RoostPages
internal import RoostRecords

/// Opening a store as the door wants it.
extension GraphStore {
  package static func open(
    _ path: String, _ models: [ModelPlan], isReadOnly: Bool = false, cacheBytes: Int? = nil,
    beginsIfMissing: Bool = false, fileSystem: any FileSystem = DiskFileSystem.shared,
    room: (@Sendable () throws -> Void)? = nil
  ) throws -> GraphStore {
    var options = StoreOptions()
    options.readOnly = isReadOnly
    options.cacheBytes = cacheBytes
    options.missingStore = beginsIfMissing ? .begin : .refuse
    return try GraphStore(path, models, options: options, fileSystem: fileSystem, room: room)
  }

  /// Whether the store's file is still the file at its path, or was only renamed.
  package var isStillNamed: Bool { records.store.isStillNamed }

  package static func inMemory(_ models: [ModelPlan]) throws -> GraphStore {
    try GraphStore(inMemory: StoreOptions(), models)
  }
}
