public import RoostFile
package import RoostPages
package import RoostTrees

/// Whether a transaction is still open. Its trees and cursors check this before they read a page.
///
/// It is used by the one thread that runs the transaction's closure.
final class Scope {
  // Unchecked because only the transaction's thread accesses them, never within a yield.
  @exclusivity(unchecked) var isOpen = true
  /// Incremented whenever trees and cursors of this transaction become stale.
  @exclusivity(unchecked) var generation = 0
  let store: Store
  private let slot: ReaderSlot
  fileprivate(set) var isSlotOurs = false
  var cursors = 0

  init(_ store: Store, _ slot: ReaderSlot) {
    self.store = store
    self.slot = slot
  }

  /// Invalidates all trees and cursors. Returns whether the reader slot can be released now.
  func end() -> Bool {
    isOpen = false
    isSlotOurs = cursors > 0
    return !isSlotOurs
  }

  func cursorEnded() {
    cursors -= 1
    if isSlotOurs && cursors == 0 { store.frames.slots.give(slot) }
  }

  @inline(__always)
  func check() throws(StoreError) { if !isOpen { throw ended } }

  @inline(never)
  var ended: StoreError { StoreError(.closed, "the transaction has ended") }

  @inline(never)
  var stale: StoreError { StoreError(.closed, "the tree was changed since this cursor began") }

  @inline(never)
  var nowhere: StoreError { StoreError(.notFound, "the cursor is at no entry") }
}

/// One snapshot of a store, for reading.
///
/// It is valid in the closure that gets it, on the thread that runs the closure.
public final class Reader {
  let scope: Scope
  private let transaction: ReadTransaction

  init(_ store: Store) throws(StoreError) {
    transaction = try store.beginRead()
    scope = Scope(store, transaction.view.slot)
  }

  func end() {
    guard scope.isOpen else { return }
    if scope.end() { scope.store.endRead(transaction) }
  }

  /// The number of the commit that this snapshot shows.
  public var commit: UInt64 { transaction.snapshot.transaction }

  /// The tree with this name. A tree that does not exist is empty.
  ///
  /// - Throws: `StoreError` with the code `treeKindMismatch` if it is a table, `invalidName` if the
  ///   name is empty or too long, `closed` if the transaction has ended, and `damaged`, `truncated`
  ///   or `ioError` if a page cannot be read.
  public func tree(_ name: String) throws(StoreError) -> Tree {
    let found = try descriptor(name, .bytes)
    return Tree(tree: ByteTree(found.root, id: found.id, view: transaction.view), scope: scope)
  }

  /// The table with this name. A table that does not exist is empty.
  ///
  /// - Throws: `StoreError` with the code `treeKindMismatch` if it is a tree, `invalidName` if the
  ///   name is empty or too long, `closed` if the transaction has ended, and `damaged`, `truncated`
  ///   or `ioError` if a page cannot be read.
  public func table(_ name: String) throws(StoreError) -> Table {
    let found = try descriptor(name, .integers)
    return Table(tree: IntegerTree(found.root, id: found.id, view: transaction.view), scope: scope)
  }

  /// The names of all trees and tables, in order.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, and `damaged`,
  ///   `truncated` or `ioError` if a page cannot be read.
  public func names() throws(StoreError) -> [String] {
    try scope.check()
    return try catalog.all().map { String(decoding: $0.name, as: UTF8.self) }
  }

  package var catalog: TreeCatalog { TreeCatalog(transaction.snapshot, view: transaction.view) }
  package var view: PageView { transaction.view }
  var snapshot: Snapshot { transaction.snapshot }

  private func descriptor(_ name: String, _ kind: TreeDescriptor.Kind) throws(StoreError) -> TreeDescriptor {
    try scope.check()
    guard let found = try catalog.descriptor(Array(name.utf8)) else {
      return TreeDescriptor(id: .max, kind: kind)
    }
    try found.expect(kind, name)
    return found
  }
}

extension TreeDescriptor {
  func expect(_ wanted: Kind, _ name: String) throws(StoreError) {
    if kind == wanted { return }
    throw StoreError(
      .treeKindMismatch,
      "\"\(name)\" is a \(kind == .bytes ? "tree with keys of bytes" : "table with number keys")")
  }
}
