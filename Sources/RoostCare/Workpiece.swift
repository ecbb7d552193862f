internal import RoostFile
package import RoostPages
package import RoostTrees

/// A store that is being made, beside the name that it gets when it is complete.
///
/// It has no log and no other process knows it, so it is written at the speed of the device. Until
/// `publish` returns, the name belongs to the previous file, or does not exist.
package final class Workpiece {
  private let path: String
  private let temporary: String
  private let fileSystem: any FileSystem
  private let replaced: (any StorageFile)?
  private let store: Store
  package private(set) var transaction: WriteTransaction
  package private(set) var forest: Forest
  /// The temporary name of a store while it is made.
  package static func pathWhileMade(_ path: String) -> String { path + "-making" }

  /// Whether no transaction is open, so that `publish` has nothing to commit.
  private var isBetween = false

  /// - Parameters:
  ///   - source: the file from which the new store is made. It may be a leftover of an earlier
  /// attempt.
  ///   - transaction: the number of the new store's only commit.
  ///   - floor: the module to which the new store belongs.
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

  /// A copy of another store in memory, without a name: see ``finish()``.
  init(copying source: Store, transaction number: UInt64) throws(StoreError) {
    // Empty names, so that nothing can be removed by them.
    (path, temporary, fileSystem, replaced) = ("", "", source.fileSystem, nil)
    store = try Store.makePrivate(copying: source, after: max(number, 1) - 1)
    transaction = try store.beginWrite()
    forest = Forest(in: transaction)
  }

  /// Commits, and returns the store.
  func finish() throws(StoreError) -> Store {
    try transaction.commit(forest.seal(), durability: .relaxed)
    return store
  }

  /// Checks that the name may be taken: it is free, or belongs to a file that no process has open,
  /// which is then locked. A name is not free if the log of a missing store exists, because giving
  /// the name removes that log.
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
  /// The file stays locked to the end. A process that opened it earlier could begin a log, which
  /// would lose its name below. A process that used the same temporary name would write into this
  /// file.
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
        // A log with bytes belongs to a missing store, and stays as it was.
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
    // The log of a replaced store is removed only after its file is gone for good.
    let log = Store.logPath(path)
    if try fileSystem.exists(log) {
      try fileSystem.remove(log)
      try fileSystem.syncDirectory(of: path)
    }
  }

  /// Keeps other processes from creating a store with that name. Throws if one exists by now.
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

  /// Removes everything.
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

  /// Rolls back the transaction, so that the next one gets its number.
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

  /// Copies a large value in its stored form from another store.
  func copy(_ value: StoredValue, _ view: PageView) throws(StoreError) -> ExtentList {
    let list = try TreeDamage.extents(value)
    return try transaction.copyExtents(list, from: view, isNamed: list.byteCount >= UInt64(ExtentList.namedFrom))
  }
}
