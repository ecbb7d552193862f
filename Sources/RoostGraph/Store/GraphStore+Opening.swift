package import RoostFile
internal import RoostPages

/// Opening a store as the door wants it.
extension GraphStore {
  /// How a store is opened, as its configuration says.
  package struct Opening {
    package var isReadOnly: Bool
    package var cacheBytes: Int?
    /// How long it is tried while another process has the store open.
    package var lockTimeoutNanoseconds: UInt64
    package var migration: MigrationCheck?

    package init(isReadOnly: Bool = false, cacheBytes: Int? = nil, lockTimeoutNanoseconds: UInt64 = 0) {
      self.isReadOnly = isReadOnly
      self.cacheBytes = cacheBytes
      self.lockTimeoutNanoseconds = lockTimeoutNanoseconds
    }
  }

  package static func open(
    _ path: String, _ models: [ModelPlan], _ opening: Opening = Opening(),
    fileSystem: any FileSystem = DiskFileSystem.shared, room: (@Sendable () throws -> Void)? = nil
  ) throws -> GraphStore {
    var options = StoreOptions()
    options.readOnly = opening.isReadOnly
    options.cacheBytes = opening.cacheBytes
    options.lockTimeoutNanoseconds = opening.lockTimeoutNanoseconds
    return try GraphStore(
      path, models, options: options, fileSystem: fileSystem, room: room, migration: opening.migration)
  }

  package static func inMemory(_ models: [ModelPlan]) throws -> GraphStore {
    try GraphStore(inMemory: StoreOptions(), models)
  }
}
