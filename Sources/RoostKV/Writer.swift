public import RoostFile
import RoostPages
import RoostTrees

/// The write transaction of a store.
///
/// It is valid in the closure that gets it, on the thread that runs the closure. It reads its own
/// changes.
public final class Writer {
  let scope: Scope
  let transaction: WriteTransaction
  private(set) var forest: Forest
  /// The error of a change that failed half way; it makes the commit fail.
  private var failure: StoreError?

  init(_ store: Store, timeoutMilliseconds: UInt64?) throws(StoreError) {
    transaction = try store.beginWrite(timeoutMilliseconds: timeoutMilliseconds)
    scope = Scope(store, transaction.view.slot)
    forest = Forest(in: transaction)
  }

  func commit(_ durability: Durability) throws(StoreError) {
    if let failure {
      abandon()
      throw failure
    }
    do throws(StoreError) {
      let root = try forest.seal()
      end()
      try transaction.commit(root, durability: durability == .full ? .full : .relaxed)
    } catch {
      abandon()
      throw error
    }
  }

  func abandon() {
    end()
    transaction.abandon()
  }

  private func end() {
    if scope.isOpen { transaction.givesSlot = scope.end() }
  }

  // MARK: Trees

  /// The tree with this name, which is created if it does not exist.
  ///
  /// - Throws: `StoreError` with the code `invalidName` if the name is empty or too long,
  ///   `treeKindMismatch` if a table has this name, `closed` if the transaction has ended, and
  ///   `nestedWrite` if the tree does not exist while another one is being built. `diskFull`,
  ///   `ioError` or `damaged` if pages or the log cannot be read or written.
  public func tree(_ name: String) throws(StoreError) -> WritableTree {
    let found = try open(name, .bytes)
    guard case .bytes(let draft) = found.trunk else { throw scope.ended }
    return WritableTree(found, draft, of: self)
  }

  /// The table with this name, which is created if it does not exist.
  ///
  /// - Throws: `StoreError` with the code `invalidName` if the name is empty or too long,
  ///   `treeKindMismatch` if a tree has this name, `closed` if the transaction has ended, and
  ///   `nestedWrite` if the table does not exist while another one is being built. `diskFull`,
  ///   `ioError` or `damaged` if pages or the log cannot be read or written.
  public func table(_ name: String) throws(StoreError) -> WritableTable {
    let found = try open(name, .integers)
    guard case .integers(let draft) = found.trunk else { throw scope.ended }
    return WritableTable(found, draft, of: self)
  }

  /// The names of all trees and tables, in order.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, and `damaged`,
  ///   `truncated` or `ioError` if a page cannot be read.
  public func names() throws(StoreError) -> [String] {
    try scope.check()
    return try forest.names().map { String(decoding: $0, as: UTF8.self) }
  }

  /// Removes a tree or table with all its entries. Returns false if there is none with this name.
  ///
  /// - Throws: `StoreError` with the code `invalidName` if the name is empty or too long, `closed`
  ///   if the transaction has ended, and `nestedWrite` while a tree is being built; then nothing is
  ///   changed. `diskFull`, `ioError` or `damaged` if pages or the log cannot be read or written;
  ///   then the transaction cannot commit.
  @discardableResult
  public func drop(_ name: String) throws(StoreError) -> Bool {
    try change { () throws(StoreError) in
      guard try forest.drop(Array(name.utf8)) else { return false }
      age += 1
      try Replay.record(transaction, .drop, name: Array(name.utf8))
      return true
    }
  }

  /// Renames a tree or table.
  ///
  /// - Throws: `StoreError` with the code `notFound` if there is none with the old name,
  ///   `alreadyExists` if there is one with the new name, `invalidName` if a name is empty or too
  ///   long, `closed` if the transaction has ended, and `nestedWrite` while a tree is being built;
  ///   then nothing is changed. `diskFull`, `ioError` or `damaged` if pages or the log cannot be
  ///   read or written; then the transaction cannot commit.
  public func rename(_ name: String, to new: String) throws(StoreError) {
    try change { () throws(StoreError) in
      let id = try forest.find(Array(name.utf8))?.id
      try forest.rename(Array(name.utf8), to: Array(new.utf8))
      if let id { renamed[id] = Array(new.utf8) }
      try Replay.record(transaction, .rename, name: Array(name.utf8), other: Array(new.utf8))
    }
  }

  private func open(_ name: String, _ kind: TreeDescriptor.Kind) throws(StoreError) -> Forest.Opened {
    try scope.check()
    let bytes = Array(name.utf8)
    if let found = try forest.find(bytes) {
      try found.known.expect(kind, name)
      return found
    }
    return try change { () throws(StoreError) in
      let made = try forest.create(bytes, kind)
      try Replay.record(transaction, kind == .bytes ? .createTree : .createTable, name: bytes, id: made.id)
      return made
    }
  }

  // MARK: Changes

  /// Makes a change. A failure that may have left it half done makes the commit fail.
  func change<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    try scope.check()
    if isBuilding { throw Self.building }
    scope.generation &+= 1
    do throws(StoreError) { return try body() } catch {
      note(error)
      throw error
    }
  }

  /// Whether a tree is under construction: nothing else may be changed.
  private(set) var isBuilding = false

  func beginBuilding() throws(StoreError) {
    try scope.check()
    if isBuilding { throw Self.building }
    if let failure { throw failure }
    isBuilding = true
  }

  func endBuilding() { isBuilding = false }

  private static var building: StoreError {
    StoreError(.nestedWrite, "a tree is being built: change nothing else until it is complete")
  }

  @inline(never)
  func note(_ error: StoreError) {
    switch error.code {
    case .keyTooLong, .valueTooLarge, .invalidName, .alreadyExists, .notFound, .treeKindMismatch, .closed: break
    default: failure = failure ?? error
    }
  }

  /// The number of rollbacks to savepoints and of dropped trees. Each makes earlier drafts stale.
  private(set) var age = 0

  /// The draft of a tree that was opened earlier. Throws if the tree was dropped or rolled back,
  /// even if another tree has its name or number now.
  func trunk(_ id: UInt32, _ name: [UInt8]) throws(StoreError) -> Forest.Trunk {
    try scope.check()
    guard let found = try forest.find(renamed[id] ?? name), found.id == id else { throw Self.isGone }
    return found.trunk
  }

  /// The last name that this transaction gave to a tree, by the tree's number.
  private var renamed: [UInt32: [UInt8]] = [:]

  static var isGone: StoreError {
    StoreError(.notFound, "the tree was dropped or undone since it was opened: get it again by its name")
  }

  /// Runs changes that are rolled back if the closure throws. All changes before them stay.
  ///
  /// - Throws: the error of the closure, after the rollback. If a change in the closure failed for
  ///   another reason than its arguments, that error is thrown even if the closure caught it.
  ///   `StoreError` with the code `closed` if the transaction has ended, `nestedWrite` while a tree
  ///   is being built, and the error of a change before the closure that failed like that.
  public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    try scope.check()
    if isBuilding { throw Self.building }
    if let failure { throw failure }
    let point = try forest.savepoint()
    let names = renamed
    do {
      let result = try body()
      if let failure { throw failure }
      forest.release(point)
      return result
    } catch {
      scope.generation &+= 1
      age += 1
      forest.rollback(to: point)
      renamed = names
      failure = nil
      throw error
    }
  }
}
