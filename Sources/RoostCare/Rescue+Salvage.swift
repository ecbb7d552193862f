package import RoostFile
package import RoostPages
internal import RoostTrees

/// How far a salvage has come.
public struct SalvageProgress: Sendable {
  /// The entries that are saved.
  public package(set) var entries: Int
  /// The entries that the store's catalog knows of, as far as it can be read. The log may hold more, or fewer.
  public package(set) var total: Int
}

extension Rescue {
  /// Reads everything that can be read from the store at `path`, which is not changed, and writes it into a new one.
  ///
  /// - Parameters:
  ///   - logPath: the store's log, where it has another name than the one beside the store.
  ///   - floor: the module that the new store belongs to.
  ///   - content: what knows more of the trees than their entries.
  ///   - log: the log of a store that `content` does not own.
  ///   - report: called from time to time. If it throws, nothing is left of the new store.
  package static func salvage(
    from path: String, log logPath: String?, to new: String, replacing: Bool, options: StoreOptions,
    fileSystem: any FileSystem, floor: Store.Floor, content: (any SalvagedContent)?, log: (any SalvagedLog)?,
    report: ((SalvageProgress) throws(StoreError) -> Void)?
  ) throws(StoreError) -> Salvage {
    let source = try fileSystem.canonicalPath(path)
    guard try fileSystem.canonicalPath(new) != source else {
      throw StoreError(.alreadyExists, "the source cannot be the target of a salvage", path: path)
    }
    // Beside an owner pages of several states would come together, and be told as losses.
    if try Store.owner(of: source, fileSystem: fileSystem) != nil { throw Store.lockedError(source, fileSystem) }
    let examination = try Store.examineRemains(source, fileSystem: fileSystem, floor: floor)
    if let logPath { try examination.useLog(logPath, fileSystem) }
    let target = try Workpiece(
      new, of: source, replacing: replacing, options: options, fileSystem: fileSystem, floor: floor,
      transaction: examination.snapshot.transaction)
    do throws(StoreError) {
      let rescue = Rescue(examination, into: target, content: content, log: log, report: report)
      try rescue.run(fileSystem)
      let salvage = rescue.result()
      try rescue.tell()
      try refuseChanged(source, examination.sequence, fileSystem: fileSystem, floor: floor)
      try target.publish()
      return salvage
    } catch {
      target.discard()
      throw error
    }
  }

  /// Throws if a program has opened the store meanwhile: what was read may be of two states.
  private static func refuseChanged(
    _ source: String, _ sequence: UInt64, fileSystem: any FileSystem, floor: Store.Floor
  ) throws(StoreError) {
    if try Store.owner(of: source, fileSystem: fileSystem) != nil { throw Store.lockedError(source, fileSystem) }
    let now = try Store.examineRemains(source, fileSystem: fileSystem, floor: floor).sequence
    if now != sequence { throw StoreError(.busy, "another process wrote the source during the salvage", path: source) }
  }
}
