package import RoostFile
internal import RoostPages
internal import RoostRecords

/// Opening a store as the door wants it.
extension GraphStore {
  /// How a store is opened, as its configuration says.
  package struct Opening {
    package var isReadOnly: Bool
    package var cacheBytes: Int?
    /// How long it is tried while another process has the store open.
    package var lockTimeoutNanoseconds: UInt64
    package var migration: MigrationCheck?
    /// Whether a store is begun where its file was removed and its log stayed.
    package var beginsIfMissing = false

    package init(isReadOnly: Bool = false, cacheBytes: Int? = nil, lockTimeoutNanoseconds: UInt64 = 0) {
      self.isReadOnly = isReadOnly
      self.cacheBytes = cacheBytes
      self.lockTimeoutNanoseconds = lockTimeoutNanoseconds
    }
  }

  package static func open(
    _ path: String, _ models: [ModelPlan], opening: Opening = Opening(),
    fileSystem: any FileSystem = DiskFileSystem.shared, room: (@Sendable () throws -> Void)? = nil
  ) throws -> GraphStore {
    var options = StoreOptions()
    options.readOnly = opening.isReadOnly
    options.cacheBytes = opening.cacheBytes
    options.lockTimeoutNanoseconds = opening.lockTimeoutNanoseconds
    options.missingStore = opening.beginsIfMissing ? .begin : .refuse
    return try GraphStore(
      path, models, options: options, fileSystem: fileSystem, room: room, migration: opening.migration)
  }

  /// Whether the store's file is still the file at its path, or was only renamed.
  package var isStillNamed: Bool { records.store.isStillNamed }

  package static func inMemory(_ models: [ModelPlan]) throws -> GraphStore {
    try GraphStore(inMemory: StoreOptions(), models)
  }
}
