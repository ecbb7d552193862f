public import RoostCare
internal import RoostPages

/// Copies a store while it is used.
extension KeyValueStore {
  /// Writes the newest snapshot into a new store at `path`, while readers and a writer continue.
  /// The copy is compact.
  ///
  /// The file appears under its name when it is complete and synced. An existing file is an error
  /// unless `replacing` is set.
  ///
  /// A store that is open for reading can be backed up too. If another process writes it and reuses
  /// pages of the snapshot, the backup begins again on a newer snapshot. After ten attempts it
  /// throws `busy`.
  ///
  /// - Parameters:
  ///   - path: the file of the copy.
  ///   - replacing: whether a store with that name may be replaced.
  ///   - progress: called from time to time, and at the end. If it throws, the backup ends with that error.
  /// - Throws: the error of `progress`. `StoreError` with the code `alreadyExists` if there is a
  ///   file of that name, `locked` if a process has the file open that would be replaced,
  ///   `storeMissing` if the log of a missing store has that name, `busy` after ten attempts or if
  ///   another process is creating the file, `damaged`, `truncated` or `ioError` if the store
  ///   cannot be read, `diskFull`, `ioError`, `notFound` or `permissionDenied` if the copy cannot
  ///   be written, and `closed` if the store is closed. Then no copy is left, unless only the sync
  ///   of its folder failed.
  public func backup(
    to path: String, replacing: Bool = false, progress: ((BackupProgress) throws -> Void)? = nil
  ) throws {
    try read { reader in
      try Backup.copy(
        reader.snapshot, reader.view, of: reader.scope.store, floor: Replay.floor, to: path, replacing: replacing,
        report: progress)
    }
  }
}
