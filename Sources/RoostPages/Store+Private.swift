package import RoostFile
import RoostBytes
import Synchronization

/// Private stores, which no other code uses yet: backups, and salvaged stores.
///
/// Such a store has no log, because it is worthless until it is complete. Its owner fills it,
/// closes it and only then gives the file its name.
extension Store {
  /// Makes an empty store at a path that belongs to the caller. An existing file is overwritten.
  ///
  /// - Parameter transaction: the number after which the store's commits are counted.
  package static func makePrivate(
    _ path: String, options given: StoreOptions, fileSystem: any FileSystem, floor: Floor, after transaction: UInt64 = 0
  ) throws(StoreError) -> Store {
    var options = given
    options.readOnly = false
    options.checkpointing = .manual
    let path = try fileSystem.canonicalPath(path)
    let file = try fileSystem.open(path, .writeOrCreate)
    var isOurs = false
    do throws(StoreError) {
      isOurs = try file.lock()
      guard isOurs else { throw StoreError(.busy, "another process or thread is writing this file", path: path) }
      do throws(StoreError) { try checkNames(file, path, fileSystem: fileSystem) } catch {
        // Another process may have finished this file and given it its name: then it is not ours.
        isOurs = error.code != .notFound && error.code != .busy
        throw isOurs ? error : StoreError(.busy, "another process or thread has just written this file", path: path)
      }
      try file.truncate(to: 0)
      var superblock = firstSuperblock(options)
      superblock.snapshot.transaction = transaction
      return try begin(superblock, path, options: options, fileSystem: fileSystem, floor: floor, file: file)
    } catch {
      if isOurs { try? fileSystem.remove(path) }
      file.close()
      throw error
    }
  }

  /// Makes an empty store in memory that will become a copy of another store. It has the same
  /// identity.
  package static func makePrivate(copying other: Store, after transaction: UInt64) throws(StoreError) -> Store {
    var options = other.options
    options.readOnly = false
    options.checkpointing = .manual
    var superblock = firstSuperblock(options)
    (superblock.identityHigh, superblock.identityLow) = other.identity
    superblock.snapshot.transaction = transaction
    return try begin(
      superblock, other.path, options: options, fileSystem: other.fileSystem, floor: other.floor, file: LayeredFile())
  }

  private static func begin(
    _ first: Superblock, _ path: String, options: StoreOptions, fileSystem: any FileSystem, floor: Floor,
    file: any StorageFile
  ) throws(StoreError) -> Store {
    var superblock = first
    for slot in 0..<2 {
      superblock.sequence = UInt64(slot + 1)
      try file.write(superblock.encoded(), at: slot * Page.size)
    }
    return try prepare(
      path, options, fileSystem: fileSystem, floor: floor, file: file, pair: SuperblockPair.read(from: file),
      isPrivate: true)
  }

  /// Makes a checkpoint if committed pages take much memory. Call it between transactions.
  package func relievePrivate() throws(StoreError) {
    if isPrivate, frames.drafts.load(ordering: .relaxed) > draftLimit { try checkpoint() }
  }

  /// Writes the newest commit to both superblocks and syncs everything. The caller holds the turn.
  func completePrivate() throws(StoreError) {
    do throws(StoreError) { try commits.check() } catch { return }
    try checkpointUnderTurn(beside: false)
    try writeSuperblock(durable)
    try writeSuperblock(durable)
  }
}
