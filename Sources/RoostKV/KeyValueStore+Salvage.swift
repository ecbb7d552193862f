public import RoostCare
package import RoostFile
package import RoostPages
internal import RoostTrees

/// Saving what a damaged store still holds.
extension KeyValueStore {
  /// Reads everything that can be read from the store at `path`, which is not changed, and writes it into a new one.
  ///
  /// Trees are walked around what is damaged, and where that left a gap, sound pages that nothing leads to are
  /// searched for its entries. Then the log is carried out as far as it is whole. The store must not be open.
  ///
  /// - Parameters:
  ///   - path: the file of the damaged store.
  ///   - log: the store's log, if it has another name than the one beside the store.
  ///   - new: the file of the new store.
  ///   - replacing: whether a store of the new name may be replaced.
  ///   - progress: called from time to time.
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
