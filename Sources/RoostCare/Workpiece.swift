internal import RoostFile
package import RoostPages
package import RoostTrees

/// A store in the making, beside the name that it gets once it is complete.
///
/// It has no log and nobody else knows it, so it is filled at the speed of the device. Until `publish` returns the
/// name leads to what was there before, or to nothing.
package final class Workpiece {
  private let path: String
  private let temporary: String
  private let fileSystem: any FileSystem
  private let replaced: (any StorageFile)?
  private let store: Store
  package private(set) var transaction: WriteTransaction
  package private(set) var forest: Forest
  /// The name of a store while it is made, before it gets its own.
  package static func pathWhileMade(_ path: String) -> String { path + "-making" }

  /// Whether the transaction is over, and `publish` has nothing to commit.
  private var isBetween = false

  /// - Parameters:
  ///   - source: the file that the new store is made of, which may be what an earlier making left.
  ///   - transaction: the number that the new store's one commit gets.
  ///   - floor: the module that the new store belongs to.
  init(
    _ path: String, of source: String, replacing: Bool, options: StoreOptions, fileSystem: any FileSystem,
    floor: Store.Floor, transaction number: UInt64
  ) throws(StoreError) {
    let path = try fileSystem.canonicalPath(path)
    let temporary = Self.pathWhileMade(path)
    guard temporary != source else {
      throw StoreError(
        .alreadyExists, "the source has the temporary name of the target: rename one of them",
        path: source)
    }
    self.path = path
    self.fileSystem = fileSystem
    self.temporary = temporary
    let replaced = try Self.claim(path, replacing, fileSystem: fileSystem)
    do throws(StoreError) {
      store = try Store.makePrivate(
        temporary, options: options, fileSystem: fileSystem, floor: floor, after: max(number, 1) - 1)
    } catch {
      replaced?.close()
      throw error
    }
    self.replaced = replaced
    do throws(StoreError) { transaction = try store.beginWrite() } catch {
      try? store.close()
      replaced?.close()
      throw error
    }
    forest = Forest(in: transaction)
  }

  /// A copy of another store in memory, which gets no name: see ``finish()``.
  init(copying source: Store, transaction number: UInt64) throws(StoreError) {
    // Without names, so that nothing can be removed by them.
    (path, temporary, fileSystem, replaced) = ("", "", source.fileSystem, nil)
    store = try Store.makePrivate(copying: source, after: max(number, 1) - 1)
    transaction = try store.beginWrite()
    forest = Forest(in: transaction)
  }

  /// Commits, and gives the store away.
  func finish() throws(StoreError) -> Store {
    try transaction.commit(forest.seal(), durability: .relaxed)
    return store
  }

  /// Makes sure that the name may be taken: it is free, or leads to a file that nobody has open, which stays locked.
  /// A name is not free where a lost store has left its log, since that goes when the name is given.
  private static func claim(
    _ path: String, _ replacing: Bool, fileSystem: any FileSystem
  ) throws(StoreError) -> (any StorageFile)? {
    guard try fileSystem.exists(path) else {
      if !replacing { try Store.refuseOrphan(path, fileSystem) }
      return nil
    }
    guard replacing else { throw taken(path) }
    let file = try fileSystem.open(path, .write)
    do throws(StoreError) {
      guard try file.lock() else { throw Store.lockedError(path, fileSystem) }
    } catch {
      file.close()
      throw error
    }
    return file
  }

  /// Commits, closes, and gives the file its name.
  ///
  /// The file stays locked to the end. Who opened it before could begin a log that loses its name below, and who made
  /// another one of the same temporary name would write into this one.
  func publish() throws(StoreError) {
    var gate: (any StorageFile)?
    defer { gate?.close() }
    do throws(StoreError) {
      if !isBetween { try transaction.commit(forest.seal(), durability: .relaxed) }
      isBetween = true
      try store.close(keepsFile: true)
      if replaced == nil { gate = try closeGate() }
      try Store.settleLog(
        of: path, replaced: replaced, by: StoreID(high: store.identity.high, low: store.identity.low), store.options,
        fileSystem)
      do throws(StoreError) { try fileSystem.rename(temporary, to: path) } catch {
        // A log that has bytes is a lost store's, which stays as it was.
        if let gate, (try? gate.size()) == 0 { try? fileSystem.remove(Store.logPath(path)) }
        throw error
      }
    } catch {
      discard()
      throw error
    }
    defer { store.releaseFile() }
    replaced?.close()
    try fileSystem.syncDirectory(of: path)
    // The log of a store that was replaced goes only when its file is gone for good.
    let log = Store.logPath(path)
    if try fileSystem.exists(log) {
      try fileSystem.remove(log)
      try fileSystem.syncDirectory(of: path)
    }
  }

  /// Keeps everybody from making a store of that name, as they keep each other; throws if there is one by now.
  private func closeGate() throws(StoreError) -> any StorageFile {
    if try fileSystem.exists(path) { throw Self.taken(path) }
    let gate = try fileSystem.open(Store.logPath(path), .writeOrCreate)
    do throws(StoreError) {
      guard try gate.lock() else {
        throw StoreError(.busy, "another process is creating a store of this name", path: path)
      }
      if try fileSystem.exists(path) { throw Self.taken(path) }
    } catch {
      gate.close()
      throw error
    }
    return gate
  }

  private static func taken(_ path: String) -> StoreError {
    StoreError(.alreadyExists, "there is a file of this name", path: path)
  }

  /// Leaves nothing behind.
  func discard() {
    if !isBetween { transaction.abandon() }
    isBetween = true
    try? store.close(keepsFile: true)
    try? fileSystem.remove(temporary)
    store.releaseFile()
    replaced?.close()
  }

  // MARK: Transactions

  /// Ends the transaction, so that the next one gets the next number.
  func commit(_ root: Root) throws(StoreError) {
    isBetween = true
    try transaction.commit(root, durability: .relaxed)
    try store.relievePrivate()
  }

  /// Undoes the transaction, so that the next one gets its number.
  func abandon() {
    isBetween = true
    transaction.abandon()
  }

  func begin() throws(StoreError) {
    transaction = try store.beginWrite()
    isBetween = false
    forest = Forest(in: transaction)
  }

  // MARK: Filling

  func put(_ key: ByteKey, _ value: StoredValue, in draft: ByteTreeDraft, from view: PageView) throws(StoreError) {
    if value.isExtents {
      try draft.put(key, extents: copy(value, view))
    } else {
      try draft.put(key, value.bytes)
    }
    try transaction.relieve()
  }

  func put(_ key: UInt64, _ value: StoredValue, in draft: IntegerTreeDraft, from view: PageView) throws(StoreError) {
    if value.isExtents {
      try draft.put(key, extents: copy(value, view))
    } else {
      try draft.put(key, value.bytes)
    }
    try transaction.relieve()
  }

  /// Stores a large value as it is stored in another store.
  func copy(_ value: StoredValue, _ view: PageView) throws(StoreError) -> ExtentList {
    let list = try TreeDamage.extents(value)
    return try transaction.copyExtents(list, from: view, isNamed: list.byteCount >= UInt64(ExtentList.namedFrom))
  }
}
