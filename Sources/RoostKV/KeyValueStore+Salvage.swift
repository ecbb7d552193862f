package import RoostFile
package import RoostPages
package import RoostTrees

/// How far a salvage has come.
public struct SalvageProgress: Sendable {
  /// Entries that are saved.
  public var entries: Int
  /// Entries that the store's catalog knows of, as far as it can be read. The log may hold more, or fewer.
  public var total: Int
}

/// Saving what a damaged store still holds.
extension KeyValueStore {
  /// Reads everything that can be read from the store at `path`, which is not changed, and writes it into a new one.
  ///
  /// Trees are walked around what is damaged, and where that left a gap, sound pages that nothing leads to are
  /// searched for its entries. Then the log is carried out as far as it is whole. The store must not be open.
  ///
  /// - Parameter log: the store's log, where it has another name than the one beside the store.
  /// - Parameter progress: called from time to time.
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
    let source = try fileSystem.canonicalPath(path)
    guard try fileSystem.canonicalPath(new) != source else {
      throw StoreError(.alreadyExists, "the source cannot be the target of a salvage", path: path)
    }
    // Beside an owner pages of several states would come together, and be told as losses.
    if try Store.owner(of: source, fileSystem: fileSystem) != nil { throw Store.lockedError(source, fileSystem) }
    let examination = try Store.examineRemains(source, fileSystem: fileSystem, floor: Replay.floor)
    if let log { try examination.useLog(log, fileSystem) }
    let target = try Workpiece(
      new, of: source, replacing: replacing, options: options, fileSystem: fileSystem,
      transaction: examination.snapshot.transaction)
    do throws(StoreError) {
      let rescue = Rescue(examination, target, content, progress)
      try rescue.run(fileSystem)
      let salvage = rescue.result()
      try refuseChanged(source, examination.sequence, fileSystem)
      try target.publish()
      return salvage
    } catch {
      target.discard()
      throw error
    }
  }

  /// Throws if somebody has opened the store meanwhile: what was read may be of two states.
  private static func refuseChanged(
    _ source: String, _ sequence: UInt64, _ fileSystem: any FileSystem
  ) throws(StoreError) {
    if try Store.owner(of: source, fileSystem: fileSystem) != nil { throw Store.lockedError(source, fileSystem) }
    let now = try Store.examineRemains(source, fileSystem: fileSystem, floor: Replay.floor).sequence
    if now != sequence { throw StoreError(.busy, "another process wrote the source during the salvage", path: source) }
  }
}
