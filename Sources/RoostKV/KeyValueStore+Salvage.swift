package import RoostFile
package import RoostPages
import RoostTrees

/// Saving what a damaged store still holds.
extension KeyValueStore {
  /// Reads everything that can be read from the store at `path`, which is not changed, and writes it into a new one.
  ///
  /// Trees are walked around what is damaged, and where that left a gap, sound pages that nothing leads to are
  /// searched for its entries. Then the log is carried out as far as it is whole. The store must not be open.
  public static func salvage(from path: String, to new: String, replacing: Bool = false) throws -> Salvage {
    try salvage(from: path, to: new, replacing: replacing, options: StoreOptions(), fileSystem: DiskFileSystem.shared)
  }

  package static func salvage(
    from path: String, to new: String, replacing: Bool = false, options: StoreOptions, fileSystem: any FileSystem
  ) throws(StoreError) -> Salvage {
    let source = try fileSystem.canonicalPath(path)
    guard try fileSystem.canonicalPath(new) != source else {
      throw StoreError(.alreadyExists, "the store to be saved cannot be written over", path: path)
    }
    let examination = try Store.examineRemains(source, fileSystem: fileSystem, floor: Replay.floor)
    let target = try Workpiece(
      new, replacing: replacing, options: options, fileSystem: fileSystem,
      transaction: examination.snapshot.transaction)
    do throws(StoreError) {
      let rescue = Rescue(examination, target)
      try rescue.run(fileSystem)
      let salvage = rescue.result()
      try target.publish()
      return salvage
    } catch {
      target.discard()
      throw error
    }
  }
}
