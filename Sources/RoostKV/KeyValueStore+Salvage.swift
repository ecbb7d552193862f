public import RoostCare
package import RoostFile
package import RoostPages
internal import RoostTrees

/// Salvages damaged stores.
extension KeyValueStore {
  /// Reads everything readable from the store at `path`, and writes it into a new store. The
  /// damaged store is not changed.
  ///
  /// Damaged parts of trees are skipped. If that leaves a gap, valid unreferenced pages are
  /// searched for its entries. Then the valid part of the log is replayed. The store must not be
  /// open.
  ///
  /// - Parameters:
  ///   - path: the file of the damaged store.
  ///   - log: the store's log, if it has another name than the one beside the store.
  ///   - new: the file of the new store.
  ///   - replacing: whether a store of the new name may be replaced.
  ///   - progress: called from time to time.
  /// - Throws: `StoreError` with the code `alreadyExists` if there is a file of the new name, or if
  ///   both names are one file, `locked` if a process has one of the files open, `busy` if another
  ///   process wrote the damaged store meanwhile, `logMissing` or `logDamaged` if `log` is not a
  ///   log of this store, `notFound`, `futureVersion` or `permissionDenied` if the damaged store
  ///   cannot be opened, and `diskFull` or `ioError` if the new store cannot be written. Then no
  ///   new store is left, unless only the sync of its folder failed.
  public static func salvage(
    from path: String, log: String? = nil, to new: String, replacing: Bool = false,
    progress: ((SalvageProgress) -> Void)? = nil
  ) throws -> Salvage {
    try salvage(
      from: path, log: log, to: new, replacing: replacing, options: StoreOptions(), fileSystem: DiskFileSystem.shared,
      progress: progress)
  }

  package static func salvage(
    from path: String, log: String? = nil, to new: String, replacing: Bool = false, options: StoreOptions,
    fileSystem: any FileSystem, content: (any SalvagedContent)? = nil, progress: ((SalvageProgress) -> Void)? = nil
  ) throws(StoreError) -> Salvage {
    try Rescue.salvage(
      from: path, log: log, to: new, replacing: replacing, options: options, fileSystem: fileSystem,
      floor: Replay.floor,
      content: content, log: TreeLog(), report: progress)
  }
}
