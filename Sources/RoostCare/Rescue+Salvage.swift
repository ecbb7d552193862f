package import RoostFile
package import RoostPages
internal import RoostTrees

/// The progress of a salvage.
public struct SalvageProgress: Sendable {
  /// The number of saved entries.
  public package(set) var entries: Int
  /// The number of entries in the store's catalog, as far as it can be read. The log may add or
  /// remove some.
  public package(set) var total: Int
}

extension Rescue {
  /// Reads everything readable from the store at `path`, and writes it into a new store. The
  /// damaged store is not changed.
  ///
  /// - Parameters:
  ///   - logPath: the store's log, if it has another name than the one beside the store.
  ///   - floor: the module to which the new store belongs.
  ///   - content: repairs trees whose entries have a meaning for a module above.
  ///   - log: replays the log of a store that `content` does not own.
  ///   - report: called from time to time. If it throws, nothing of the new store remains.
  package static func salvage(
    from path: String, log logPath: String?, to new: String, replacing: Bool, options: StoreOptions,
    fileSystem: any FileSystem, floor: Store.Floor, content: (any SalvagedContent)?, log: (any SalvagedLog)?,
    report: ((SalvageProgress) throws(StoreError) -> Void)?
  ) throws(StoreError) -> Salvage {
    let source = try fileSystem.canonicalPath(path)
    guard try fileSystem.canonicalPath(new) != source else {
      throw StoreError(.alreadyExists, "the source cannot be the target of a salvage", path: path)
    }
    // While another process has it open, pages of several states would be mixed, and reported as
    // losses.
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

  /// Throws if another process has opened the store meanwhile: the pages may be from two states.
  private static func refuseChanged(
    _ source: String, _ sequence: UInt64, fileSystem: any FileSystem, floor: Store.Floor
  ) throws(StoreError) {
    if try Store.owner(of: source, fileSystem: fileSystem) != nil { throw Store.lockedError(source, fileSystem) }
    let now = try Store.examineRemains(source, fileSystem: fileSystem, floor: floor).sequence
    if now != sequence { throw StoreError(.busy, "another process wrote the source during the salvage", path: source) }
  }
}
