package import RoostFile
package import RoostPages
package import RoostRecords

/// Opens a store for the public module.
extension GraphStore {
  /// The options of an opening, from the configuration.
  package struct Opening {
    package var isReadOnly: Bool
    package var cacheBytes: Int?
    /// How long to try while another process has the store open.
    package var lockTimeoutNanoseconds: UInt64
    /// The version of the models; nil if the store need not know it.
    package var version: OpeningVersion?
    /// Whether the code of a migration plan will set values that the store lacks.
    package var isStaged = false
    /// Called before a store is changed to fit the models; see ``Migration``.
    package var migration: Migration?
    /// Throws if a store cannot be changed to fit the models, as far as that is known before code
    /// runs. Returns true if code must run.
    package var check: Migration?
    /// Whether to begin a new store if its file was removed and its log was not.
    package var beginsIfMissing = false
    /// The program that the history names.
    package var writer: @Sendable () -> HistoryWriter = { .unknown }

    package init(isReadOnly: Bool = false, cacheBytes: Int? = nil, lockTimeoutNanoseconds: UInt64 = 0) {
      self.isReadOnly = isReadOnly
      self.cacheBytes = cacheBytes
      self.lockTimeoutNanoseconds = lockTimeoutNanoseconds
    }
  }

  /// Runs the stages of a plan that run code over a store that was just opened.
  ///
  /// It returns true if the store was closed and its file replaced.
  package typealias Migration = (_ records: RecordStore) throws -> Bool

  /// Throws if this store cannot be opened with other models, as far as that is known before
  /// anything is changed.
  package func checkOpening(_ models: [ModelPlan], _ opening: Opening) throws {
    if let check = opening.check, try check(records) { return }
    try SchemaKeeper(models, opening.version).check(records)
  }

  /// - Parameters:
  ///   - path: the path of the store's file.
  ///   - models: the models.
  ///   - opening: the options of the opening.
  ///   - settings: other options of the store. Tests use small logs.
  ///   - fileSystem: the file system.
  ///   - room: see ``GraphStore/room``.
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

  /// A store in memory for rows that are fetched from a backing store.
  package static func workingSet(_ models: [ModelPlan], of backing: any BackingStore) throws -> GraphStore {
    try GraphStore(
      RecordStore(inMemory: StoreOptions(), reservesRows: true), models.map(\.ofWorkingSet), backing: backing)
  }
}
