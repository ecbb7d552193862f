package import RoostFile
package import RoostPages

/// All trees of a store while a transaction changes them.
///
/// A tree is opened by its name once. Its root is then kept here until ``seal()`` writes the
/// changed ones into the catalog.
///
/// ## Invariants
/// 1. A tree's draft is newer than its entry in the catalog. `seal` makes them equal.
/// 2. A tree's id is never reused.
package final class Forest {
  /// An opened tree with its entry in the catalog.
  package struct Opened {
    package var name: [UInt8]
    package let id: UInt32
    package var known: TreeDescriptor
    package let trunk: Trunk

    /// The new entry for the catalog.
    fileprivate var now: TreeDescriptor {
      TreeDescriptor(id: id, kind: trunk.kind, root: trunk.root, extents: trunk.extents)
    }
  }

  /// The draft of a tree, of either kind.
  package enum Trunk {
    case integers(IntegerTreeDraft)
    case bytes(ByteTreeDraft)

    package var root: Root {
      switch self {
      case .integers(let draft): draft.root
      case .bytes(let draft): draft.root
      }
    }

    var extents: UInt64 {
      switch self {
      case .integers(let draft): draft.extents
      case .bytes(let draft): draft.extents
      }
    }

    /// Replaces an empty tree by one that was built. Returns false if it is not empty.
    package func adopt(_ root: Root, extents: UInt64) -> Bool {
      if root.isEmpty { return true }
      return switch self {
      case .bytes(let draft): draft.adopt(root, extents: extents)
      case .integers(let draft): draft.adopt(root, extents: extents)
      }
    }

    var kind: TreeDescriptor.Kind {
      switch self {
      case .integers: .integers
      case .bytes: .bytes
      }
    }

    fileprivate func begin(in next: WriteTransaction) {
      switch self {
      case .integers(let draft): draft.draft.begin(in: next)
      case .bytes(let draft): draft.draft.begin(in: next)
      }
    }
  }

  @exclusivity(unchecked) package private(set) var transaction: WriteTransaction
  var catalog: ByteTreeDraft
  private var opened: [UInt32: Opened] = [:]
  private var ids: [[UInt8]: UInt32] = [:]

  package init(in transaction: WriteTransaction) {
    self.transaction = transaction
    catalog = ByteTreeDraft(transaction.base.catalog, id: TreeCatalog.treeID, in: transaction)
  }

  /// Continues in the next transaction, which must begin with the commit of this one.
  package func begin(in next: WriteTransaction) {
    precondition(next.base.catalog == catalog.root, "another transaction came between")
    transaction = next
    catalog.draft.begin(in: next)
    for tree in opened.values { tree.trunk.begin(in: next) }
  }

  /// The number of open trees.
  package var openCount: Int { opened.count }

  // MARK: Finding

  /// The tree with this name, if there is one.
  package func find(_ name: [UInt8]) throws(StoreError) -> Opened? {
    try TreeCatalog.checkName(name)
    if let id = ids[name] { return opened[id] }
    let value = try ByteKey.borrowing(name) { (key) throws(StoreError) in try catalog.tree.value(of: key) }
    guard let value else { return nil }
    return open(name, try TreeCatalog.decode(value, name))
  }

  /// The tree with this id, which must be open or in the catalog.
  package func find(id: UInt32) throws(StoreError) -> Opened? {
    if let known = opened[id] { return known }
    for (name, descriptor) in try reading.all() where descriptor.id == id && ids[name] == nil {
      return open(name, descriptor)
    }
    return nil
  }

  /// The catalog as it was last sealed.
  package var reading: TreeCatalog { TreeCatalog(root: catalog.root, view: transaction.view) }

  /// The names of all trees, in order, including those made by this transaction.
  package func names() throws(StoreError) -> [[UInt8]] { try reading.all().map(\.name) }

  private func open(_ name: [UInt8], _ descriptor: TreeDescriptor) -> Opened {
    let trunk: Trunk =
      switch descriptor.kind {
      case .integers:
        .integers(
          IntegerTreeDraft(descriptor.root, id: descriptor.id, extents: descriptor.extents, in: transaction))
      case .bytes:
        .bytes(ByteTreeDraft(descriptor.root, id: descriptor.id, extents: descriptor.extents, in: transaction))
      }
    let tree = Opened(name: name, id: descriptor.id, known: descriptor, trunk: trunk)
    opened[descriptor.id] = tree
    ids[name] = descriptor.id
    return tree
  }

  // MARK: Making and removing

  /// Makes an empty tree. Replay gives its `id`; otherwise it gets the next one.
  ///
  /// - Parameter isRevived: whether the id may also be an older unused one, as salvage needs.
  package func create(
    _ name: [UInt8], _ kind: TreeDescriptor.Kind, id wanted: UInt32? = nil, isRevived: Bool = false
  ) throws(StoreError) -> Opened {
    try TreeCatalog.checkName(name)
    if try find(name) != nil {
      throw StoreError(.alreadyExists, "there already is a tree named \"\(String(decoding: name, as: UTF8.self))\"")
    }
    let next = try nextID()
    let id = wanted ?? next
    var isFree = id >= next
    if isRevived, !isFree, id >= TreeCatalog.firstFreeID { isFree = try find(id: id) == nil }
    guard isFree, id < .max else {
      throw StoreError(.invalidName, "the tree id \(id) was given before")
    }
    if id >= next { try putNextID(id + 1) }
    let descriptor = TreeDescriptor(id: id, kind: kind)
    try put(name, descriptor)
    return open(name, descriptor)
  }

  /// Removes a tree with all its entries. Returns false if there is none with that name.
  package func drop(_ name: [UInt8]) throws(StoreError) -> Bool {
    guard let tree = try find(name) else { return false }
    switch tree.trunk {
    case .integers(let draft): try draft.removeAll()
    case .bytes(let draft): try draft.removeAll()
    }
    _ = try ByteKey.borrowing(name) { (key) throws(StoreError) in try catalog.remove(key) }
    opened[tree.id] = nil
    ids[name] = nil
    return true
  }

  /// Gives a tree another name.
  package func rename(_ name: [UInt8], to new: [UInt8]) throws(StoreError) {
    try TreeCatalog.checkName(new)
    guard var tree = try find(name) else {
      throw StoreError(.notFound, "there is no tree named \"\(String(decoding: name, as: UTF8.self))\"")
    }
    if name == new { return }
    if try find(new) != nil {
      throw StoreError(.alreadyExists, "there already is a tree named \"\(String(decoding: new, as: UTF8.self))\"")
    }
    _ = try ByteKey.borrowing(name) { (key) throws(StoreError) in try catalog.remove(key) }
    try put(new, tree.known)
    ids[name] = nil
    tree.name = new
    opened[tree.id] = tree
    ids[new] = tree.id
  }

  private func put(_ name: [UInt8], _ descriptor: TreeDescriptor) throws(StoreError) {
    try descriptor.withBytes { (value) throws(StoreError) in
      _ = try ByteKey.borrowing(name) { (key) throws(StoreError) in try catalog.put(key, value) }
    }
  }

  private func nextID() throws(StoreError) -> UInt32 {
    guard let value = try catalog.tree.value(of: .empty) else { return TreeCatalog.firstFreeID }
    guard value.count == 4 else { throw StoreError(.damaged, "the catalog's next tree id is unreadable") }
    return value.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)) }
  }

  private func putNextID(_ id: UInt32) throws(StoreError) {
    var bytes = id.littleEndian
    let result = withUnsafeBytes(of: &bytes) { value -> Result<Void, StoreError> in
      do throws(StoreError) {
        _ = try catalog.put(.empty, value)
        return .success(())
      } catch { return .failure(error) }
    }
    try result.get()
  }

  // MARK: The end

  /// Writes the changed roots into the catalog, and returns the catalog's root.
  package func seal() throws(StoreError) -> Root {
    var changed: [UInt32] = []
    for (id, tree) in opened where tree.now != tree.known { changed.append(id) }
    // In the order of their numbers, so that equal changes make equal bytes.
    for id in changed.sorted() {
      guard var tree = opened[id] else { continue }
      let now = tree.now
      try put(tree.name, now)
      tree.known = now
      opened[id] = tree
    }
    return catalog.root
  }

  /// The trees that the transaction changed, made or removed, by name. Each has its former entry in
  /// the catalog; nil for a new tree.
  package func changedTrees() throws(StoreError) -> [(name: [UInt8], former: TreeDescriptor?)] {
    _ = try seal()
    var changed: [(name: [UInt8], former: TreeDescriptor?)] = []
    let former = ByteTree(transaction.base.catalog, id: TreeCatalog.treeID, view: transaction.view)
    try catalog.tree.difference(from: former) { (name, value) throws(StoreError) in
      if name.isEmpty { return }
      if let value { changed.append((name, try TreeCatalog.decode(value, name))) } else { changed.append((name, nil)) }
    }
    return changed
  }

  /// A state of all trees, for a rollback together with the transaction's own savepoint.
  package struct Savepoint {
    let point: WriteTransaction.Savepoint
    let catalog: Root
  }

  package func savepoint() throws(StoreError) -> Savepoint {
    let catalog = try seal()
    return Savepoint(point: try transaction.savepoint(), catalog: catalog)
  }

  /// Rolls back everything since the savepoint. Drafts that were handed out must be looked up again
  /// by name.
  package func rollback(to savepoint: Savepoint) {
    transaction.rollback(to: savepoint.point)
    catalog = ByteTreeDraft(savepoint.catalog, id: TreeCatalog.treeID, in: transaction)
    opened = [:]
    ids = [:]
  }

  package func release(_ savepoint: Savepoint) { transaction.release(savepoint.point) }
}
