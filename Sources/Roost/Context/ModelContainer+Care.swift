public import Foundation
public import RoostCare
internal import RoostFile
internal import RoostGraph
internal import RoostPages
internal import RoostRecords

/// Backups, verification, compaction and salvage.
extension ModelContainer {
  /// Copies a store of the container into a file of its own. Contexts read and save meanwhile.
  ///
  /// ```swift
  /// try container.backup(to: folder.appending(path: "music-2026-11-30.roost"), replacing: true)
  /// ```
  ///
  /// The copy has all models of the newest commit, their history and their identifiers. It is
  /// compact, and a container opens it like any store. The file gets its name after it is complete
  /// and synced. If the backup fails, no part of it remains, and an existing file of that name is
  /// unchanged. Unsaved changes are not in the copy.
  ///
  /// A container that does not allow saves can make a backup while another process writes the
  /// store. If that process reuses pages of the copied commit, the backup begins again, ten times
  /// at most. Then it throws `busy`.
  ///
  /// - Parameters:
  ///   - url: the file for the copy.
  ///   - configuration: the store to copy. A container with one store needs none.
  ///   - replacing: whether a store of that name may be replaced. No program may have it open.
  ///   - progress: called from time to time, and at the end. If it throws, the backup ends with
  ///     that error.
  /// - Throws: ``RoostError`` with the code `store`, whose ``RoostError/storeError`` says why:
  ///   `alreadyExists`, `busy`, `diskFull` or an error of the device.
  public func backup(
    to url: URL, of configuration: ModelConfiguration? = nil, replacing: Bool = false,
    progress: ((BackupProgress) throws -> Void)? = nil
  ) throws {
    let store = try store(of: configuration, for: "a backup").records.store
    try Doorway.pass {
      try Backup.copy(
        store, floor: RecordStore.floor, to: url.standardizedFileURL.path(percentEncoded: false),
        replacing: replacing, report: progress)
    }
  }

  /// Copies a store of the container on a thread of its own, as the synchronous form does.
  ///
  /// - Throws: what the synchronous form throws, and `CancellationError` if the task is cancelled.
  ///   Then no part of the copy remains.
  public func backup(
    to url: URL, of configuration: ModelConfiguration? = nil, replacing: Bool = false,
    progress: (@Sendable (BackupProgress) -> Void)? = nil
  ) async throws {
    try await OffThread.run { isCancelled in
      try self.backup(to: url, of: configuration, replacing: replacing) { (now: BackupProgress) throws in
        if isCancelled() { throw CancellationError() }
        progress?(now)
      }
    }
  }

  /// Reads a store of the container again from its file, and reports everything that is wrong: in
  /// pages, rows, indexes, links, large values and the history.
  ///
  /// It makes a checkpoint first. Contexts read and save meanwhile. Damage is a finding in the
  /// result.
  ///
  /// - Parameters:
  ///   - configuration: the store to verify. A container with one store needs none.
  ///   - progress: called at the beginning, from time to time, and at the end. If it throws, the
  ///     verification ends with that error.
  /// - Throws: ``RoostError`` with the code `store` if the store could not be examined at all.
  public func verify(
    _ configuration: ModelConfiguration? = nil, progress: ((VerificationProgress) throws -> Void)? = nil
  ) throws -> Verification {
    let records = try store(of: configuration, for: "a verification").records
    return try Doorway.pass {
      guard let progress else { return try records.verify().asVerification }
      let pace = Pace { try progress(VerificationProgress(pages: $0, total: $1)) }
      do { return try records.verify(pace).asVerification } catch { throw pace.failure ?? error }
    }
  }

  /// Verifies a store on a thread of its own, as the synchronous form does.
  ///
  /// - Throws: what the synchronous form throws, and `CancellationError` if the task is cancelled.
  public func verify(
    _ configuration: ModelConfiguration? = nil, progress: (@Sendable (VerificationProgress) -> Void)? = nil
  ) async throws -> Verification {
    try await OffThread.run { isCancelled in
      try self.verify(configuration) { (now: VerificationProgress) throws in
        if isCancelled() { throw CancellationError() }
        progress?(now)
      }
    }
  }

  /// Moves pages from the end of a store's file to free places, and shortens the file.
  ///
  /// It works in short transactions. Contexts read and save meanwhile. A stop at any moment leaves
  /// the store as sound as before. A context keeps the pages that it read last until it fetches or
  /// saves again; a later compaction releases them.
  ///
  /// - Parameters:
  ///   - configuration: the store to compact. A container with one store needs none.
  ///   - progress: called after each step. If it throws, the compaction ends with that error;
  ///     finished steps stay.
  /// - Returns: the sum of all steps.
  /// - Throws: ``RoostError`` with the code `store` if the file cannot be read or written.
  @discardableResult
  public func compact(
    _ configuration: ModelConfiguration? = nil, progress: ((Compaction) throws -> Void)? = nil
  ) throws -> Compaction {
    let store = try store(of: configuration, for: "a compaction").records.store
    return try Doorway.pass {
      var whole: Compaction?
      while true {
        let step = try store.compact(pages: 1024)
        var sum = step
        sum.pagesBefore = whole?.pagesBefore ?? step.pagesBefore
        sum.movedPages += whole?.movedPages ?? 0
        whole = sum
        try progress?(sum)
        if step.isDone { return sum }
      }
    }
  }

  /// Compacts a store on a thread of its own, as the synchronous form does.
  ///
  /// - Throws: what the synchronous form throws, and `CancellationError` after the current step if
  ///   the task is cancelled.
  @discardableResult
  public func compact(
    _ configuration: ModelConfiguration? = nil, progress: (@Sendable (Compaction) -> Void)? = nil
  ) async throws -> Compaction {
    try await OffThread.run { isCancelled in
      try self.compact(configuration) { (now: Compaction) throws in
        progress?(now)
        if isCancelled(), !now.isDone { throw CancellationError() }
      }
    }
  }

  /// Copies everything that can be read of a damaged store into a new store. The damaged file is
  /// not changed. No program may have it open.
  ///
  /// ```swift
  /// let found = try ModelContainer.salvage(damaged, to: rescued)
  /// for loss in found.losses { print(loss) }
  /// ```
  ///
  /// It skips what cannot be read, and searches unreferenced pages for missing rows. Then it
  /// replays the log up to the first damage, and builds all indexes again. The result lists each
  /// loss. Copy the file and its log before anything else.
  ///
  /// - Parameters:
  ///   - url: the file of the damaged store.
  ///   - new: the file of the new store.
  ///   - replacing: whether a store of the new name may be replaced.
  ///   - progress: called from time to time, and before the new store gets its name. If it throws,
  ///     the salvage ends with that error, and no part of the new store remains.
  /// - Throws: ``RoostError`` with the code `store`, whose ``RoostError/storeError`` says why:
  ///   `notAStore`, `alreadyExists`, `locked` or an error of the device.
  public static func salvage(
    _ url: URL, to new: URL, replacing: Bool = false, progress: ((SalvageProgress) throws -> Void)? = nil
  ) throws -> Salvage {
    try Doorway.pass {
      let rows = RowSalvage(writer: HistoryWriter.ofThisProgram)
      var stopped: (any Error)?
      do {
        var found = try Rescue.salvage(
          from: url.standardizedFileURL.path(percentEncoded: false), log: nil,
          to: new.standardizedFileURL.path(percentEncoded: false),
          replacing: replacing, options: StoreOptions(), fileSystem: DiskFileSystem.shared, floor: RecordStore.floor,
          content: rows,
          log: nil
        ) { (now) throws(StoreError) in
          do { try progress?(now) } catch {
            stopped = error
            throw StoreError(.busy, "the salvage was stopped")
          }
        }
        found.entities = rows.entities.map { Salvage.SavedEntity(name: $0.name, rows: $0.rows) }
        return found
      } catch { throw stopped ?? error }
    }
  }

  /// Salvages a store on a thread of its own, as the synchronous form does.
  ///
  /// - Throws: what the synchronous form throws, and `CancellationError` if the task is cancelled.
  ///   Then no part of the new store remains.
  public static func salvage(
    _ url: URL, to new: URL, replacing: Bool = false, progress: (@Sendable (SalvageProgress) -> Void)? = nil
  ) async throws -> Salvage {
    try await OffThread.run { isCancelled in
      try self.salvage(url, to: new, replacing: replacing) { (now: SalvageProgress) throws in
        if isCancelled() { throw CancellationError() }
        progress?(now)
      }
    }
  }

  // MARK: Before a migration

  /// The backups of the container's stores from before their last migration: see
  /// ``SchemaMigrationPlan/keepsBackup``. Each can be opened as a store, with the models of the old
  /// version.
  public var migrationBackups: [URL] {
    configurations.filter { !$0.isStoredInMemoryOnly }.map { configuration in
      URL(
        filePath: StagedMigration.backupPath(
          of: configuration.url.standardizedFileURL.resolvingSymlinksInPath().path(percentEncoded: false)))
    }.filter { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) }
  }

  /// Removes ``migrationBackups``.
  ///
  /// - Throws: Foundation's error if a file cannot be removed.
  public func discardMigrationBackups() throws {
    for backup in migrationBackups {
      try FileManager.default.removeItem(at: backup)
      try? FileManager.default.removeItem(atPath: backup.path(percentEncoded: false) + "-log")
    }
  }

  /// Finds the store of a configuration. Nil means the only store of the container.
  ///
  /// - Parameter for: the call that needs the store's file, as a noun.
  func store(of configuration: ModelConfiguration?, for call: String) throws -> GraphStore {
    let found = try store(of: configuration)
    let isChild = found.backing?.isContext == true
    try Doorway.pass {
      try found.refuseWorkingSet(
        call, instead: isChild ? "use the container of the parent context" : "use what that store has for it")
    }
    return found
  }

  private func store(of configuration: ModelConfiguration?) throws -> GraphStore {
    try stores.checkOpen()
    guard let configuration else {
      if stores.stores.count == 1 { return stores.stores[0] }
      let names = stores.configurations.map(\.name).joined(separator: ", ")
      throw RoostError(
        .store, "the container has \(stores.stores.count) stores: name the configuration of one (\(names))")
    }
    guard
      let place = stores.configurations.firstIndex(where: {
        $0.url == configuration.url && $0.name == configuration.name
      })
    else { throw RoostError(.store, "the container has no store of the configuration \(configuration.name)") }
    return stores.stores[place]
  }
}

extension RecordVerification {
  /// Combines the findings and the counts of pages and rows.
  fileprivate var asVerification: Verification {
    var whole = pages
    for finding in rowFindings { whole.add("\(finding)", page: finding.page, tree: finding.tree) }
    whole.hasMore = whole.hasMore || hasMore
    return whole
  }
}
