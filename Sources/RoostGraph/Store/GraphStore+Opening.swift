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
    if let cacheBytes {
      options.cacheBytes = cacheBytes
      // Whoever says how much memory pages may have means those that are changed, too.
      options.draftBytes = min(options.draftBytes, max(cacheBytes, leastDraftBytes))
    }
    return try GraphStore(path, models, options: options, fileSystem: fileSystem, room: room)
  }

  /// With less every transaction of some thousand rows would write its pages early.
  private static let leastDraftBytes = 4 << 20

  package static func inMemory(_ models: [ModelPlan]) throws -> GraphStore {
    try GraphStore(inMemory: StoreOptions(), models)
  }
}
