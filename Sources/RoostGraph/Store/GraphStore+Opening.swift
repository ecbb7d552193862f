package import RoostFile
package import RoostPages
package import RoostRecords

/// Opening a store as the door wants it.
extension GraphStore {
  /// How a store is opened, as its configuration says.
  package struct Opening {
    package var isReadOnly: Bool
    package var cacheBytes: Int?
    /// How long it is tried while another process has the store open.
    package var lockTimeoutNanoseconds: UInt64
    /// The version of the models; nil where the store need not know it.
    package var version: OpeningVersion?
    /// Whether code of a migration plan fills later what the store has no values for.
    package var isStaged = false
    /// Asked before a store is brought to the models; see ``Migration``.
    package var migration: Migration?
    /// Throws if a store cannot be brought to the models, as far as that is known before code runs. True if code has to run.
    package var check: Migration?
    /// Whether a store is begun where its file was removed and its log stayed.
    package var beginsIfMissing = false
    /// Which program the history names.
    package var writer: @Sendable () -> HistoryWriter = { .unknown }

    package init(isReadOnly: Bool = false, cacheBytes: Int? = nil, lockTimeoutNanoseconds: UInt64 = 0) {
      self.isReadOnly = isReadOnly
      self.cacheBytes = cacheBytes
      self.lockTimeoutNanoseconds = lockTimeoutNanoseconds
    }
  }

  /// Carries out the stages of a plan that run code over a store that was just opened.
  ///
  /// True means that the store was closed, and its file replaced.
  package typealias Migration = (_ records: RecordStore) throws -> Bool

  /// Throws if this store cannot be opened with other models, as far as that is known before anything is changed.
  package func checkOpening(_ models: [ModelPlan], _ opening: Opening) throws {
    if let check = opening.check, try check(records) { return }
    try SchemaKeeper(models, opening.version).check(records)
  }

  /// - Parameter settings: the options that an opening does not set. Tests have small logs.
  package static func open(
    _ path: String, _ models: [ModelPlan], opening: Opening = Opening(), settings: StoreOptions = StoreOptions(),
    fileSystem: any FileSystem = DiskFileSystem.shared, room: (@Sendable () throws -> Void)? = nil
  ) throws -> GraphStore {
    var options = settings
    options.readOnly = opening.isReadOnly
    options.cacheBytes = opening.cacheBytes
    options.lockTimeoutNanoseconds = opening.lockTimeoutNanoseconds
    options.missingStore = opening.beginsIfMissing ? .begin : .refuse
    func open() throws(StoreError) -> RecordStore {
      try RecordStore(path, options: options, reservesRows: true, fileSystem: fileSystem, writer: opening.writer)
    }
    var records = try open()
    if let migration = opening.migration, try migration(records) {
      records = try open()
    }
    return try GraphStore(records, models, room: room, version: opening.version, isStaged: opening.isStaged)
  }

  /// Whether the store's file is still the file at its path, or was only renamed.
  package var isStillNamed: Bool { records.store.isStillNamed }

  package static func inMemory(_ models: [ModelPlan], opening: Opening = Opening()) throws -> GraphStore {
    try GraphStore(RecordStore(inMemory: StoreOptions(), reservesRows: true, writer: opening.writer), models)
  }

  /// A store in memory that holds what is fetched from another one.
  package static func workingSet(_ models: [ModelPlan], of backing: any BackingStore) throws -> GraphStore {
    try GraphStore(
      RecordStore(inMemory: StoreOptions(), reservesRows: true), models.map(\.ofWorkingSet), backing: backing)
  }
}
