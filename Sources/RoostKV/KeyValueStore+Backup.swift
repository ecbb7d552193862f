public import RoostCare
internal import RoostPages

/// Copying a store while it is used.
extension KeyValueStore {
  /// Writes the newest snapshot into a store of its own at `path`, compact and complete, while readers and a writer go on.
  ///
  /// The file appears under its name when it is whole and on the device. A file that is there already is an error unless
  /// `replacing` is set.
  ///
  /// A store that is open for reading can be backed up too. Beside a process that writes it, the backup begins again, on a
  /// newer snapshot, where that process used the older one's pages again: ten times at the most, then it throws `busy`.
  ///
  /// - Parameters:
  ///   - path: the file of the copy.
  ///   - replacing: whether a store of that name may be replaced.
  ///   - progress: called from time to time, and at the end. If it throws, the backup ends with that error.
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
