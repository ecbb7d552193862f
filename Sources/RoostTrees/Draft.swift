internal import RoostBytes
internal import RoostFile
internal import RoostPages

/// One node on the path from the root to a leaf.
struct PathNode {
  var memory: UnsafeMutableRawPointer
  var page: PageID
  /// The index of the child on the path; unused in a leaf.
  var index: Int

  var node: UnsafeRawPointer { UnsafeRawPointer(memory) }
}

/// A tree while a transaction changes it.
///
/// A change copies the pages from the root to its leaf, once in each step of the transaction. The
/// path is kept: the next change of the same leaf begins there, so that a run of neighbours needs
/// no search from the root. Counts are always exact.
///
/// After an error the step must be rolled back: the tree may be half changed.
///
/// ## Invariants
/// 1. A branch's entry i covers the keys from its own key to the key of entry i + 1. The child's
///    fences are the same.
/// 2. A branch's entry counts the entries below it, and the root counts all.
/// 3. Leaves are all at level 0; a child's level is one less than its parent's.
/// 4. While `fingerStamp` is the transaction's stamp, `path` is a path from the root to a leaf, and
///    all of it is editable.
final class Draft<F: Form> {
  // Unchecked exclusivity: one thread has the transaction, and no access to a field calls other
  // code.
  @exclusivity(unchecked) private(set) var transaction: WriteTransaction
  let tree: UInt32
  /// The most entries of a node.
  let limit: Int
  @exclusivity(unchecked) var root: Root
  /// The number of entries whose values are in extents.
  @exclusivity(unchecked) var extents: UInt64

  let path: UnsafeMutablePointer<PathNode>
  /// The step in which `path` was made, 0 if it is invalid.
  @exclusivity(unchecked) var fingerStamp: UInt64 = 0
  /// The index of the last insertion, and the number of successive insertions that were each
  /// directly after the one before.
  @exclusivity(unchecked) var lastIndex = -2
  @exclusivity(unchecked) var run = 0
  @exclusivity(unchecked) private var ownPack: Pack?

  init(_ root: Root, tree: UInt32, extents: UInt64, in transaction: WriteTransaction) {
    self.transaction = transaction
    self.tree = tree
    self.root = root
    self.extents = extents
    limit = max(3, min(transaction.fanoutLimit, Node.pageSize))
    path = .allocate(capacity: Int(Node.maximumLevel) + 1)
  }

  /// Continues in the next transaction, which must find the tree as this one left it.
  func begin(in next: WriteTransaction) {
    transaction = next
    (fingerStamp, lastIndex, run) = (0, -2, 0)
  }

  deinit {
    path.deallocate()
    ownPack?.discard()
  }

  /// Allocated at the first use.
  var pack: Pack {
    if let ownPack { return ownPack }
    let pack = Pack()
    ownPack = pack
    return pack
  }

  /// Takes over a tree that was built from its leaves up. Returns false if this tree is not empty.
  func adopt(_ built: Root, extents: UInt64) -> Bool {
    guard root.isEmpty else { return false }
    root = built
    self.extents = extents
    fingerStamp = 0
    return true
  }

  var isLimited: Bool { limit < Node.pageSize }
  /// The depth of the leaf on the path.
  var bottom: Int { Int(root.level) }

  // MARK: The path

  /// Moves `path` to the key's leaf and makes every page of it editable.
  func descend(_ key: F.Key) throws(StoreError) {
    guard fingerStamp == transaction.stamp else { return try descendFromRoot(key) }
    if F.covers(path[bottom].node, key) { return }
    // The leaf of an ascending key is usually below a branch of the present path.
    var depth = bottom &- 1
    while depth > 0, !F.covers(path[depth].node, key) { depth &-= 1 }
    guard depth > 0 else { return try descendFromRoot(key) }
    try descend(key, from: depth)
  }

  func descendFromRoot(_ key: F.Key) throws(StoreError) {
    fingerStamp = 0
    let edited = try transaction.edit(root.reference)
    if edited.moved { root.reference = PageReference(edited.page) }
    try expect(edited.memory, edited.page, level: root.level)
    path[0] = PathNode(memory: edited.memory, page: edited.page, index: 0)
    try descend(key, from: 0)
  }

  /// Moves `path` to the key's leaf from one of its nodes, which must be editable.
  private func descend(_ key: F.Key, from start: Int) throws(StoreError) {
    fingerStamp = 0
    var depth = start
    var level = UInt8(truncatingIfNeeded: bottom &- start)
    while level > 0 {
      let node = path[depth].memory
      guard F.admits(node, key) else { throw damage("a key does not fit its node", path[depth].page) }
      let index = F.child(node, key)
      path[depth].index = index
      level -= 1
      depth += 1
      path[depth] = try editChild(of: node, index, level)
    }
    guard F.covers(path[depth].node, key) else { throw damage("a leaf does not hold its range", path[depth].page) }
    fingerStamp = transaction.stamp
  }

  /// Makes a child editable and updates its place in the parent.
  func editChild(
    of parent: UnsafeMutableRawPointer, _ index: Int, _ level: UInt8
  ) throws(StoreError) -> PathNode {
    let cell = Branch.mutableCell(parent, index)
    let edited = try transaction.edit(Child.reference(cell))
    if edited.moved { Child.move(cell, to: edited.page) }
    try expect(edited.memory, edited.page, level: level)
    return PathNode(memory: edited.memory, page: edited.page, index: 0)
  }

  /// Throws unless the page is a node of this tree and level.
  func expect(_ memory: UnsafeRawPointer, _ page: PageID, level: UInt8) throws(StoreError) {
    let kind = level == 0 ? F.leafKind : F.branchKind
    guard Node.mark(memory) == Node.mark(kind, level: level, tree: tree),
      level == 0 || Node.count(memory) > 0
    else { throw damage("the page is not the node that its parent names", page) }
  }

  func damage(_ what: String, _ page: PageID) -> StoreError {
    StoreError(.damaged, what, page: UInt64(page.place))
  }

  /// Adds to the counts on the path before the leaf changes.
  func bump(_ difference: Int) {
    let change = UInt64(bitPattern: Int64(difference))
    root.count &+= change
    for depth in 0..<bottom {
      let cell = Branch.mutableCell(path[depth].memory, path[depth].index)
      cell.set64(Child.count, cell.u64(Child.count) &+ change)
    }
  }

  /// A new page in which only place and stamp are written.
  func allocate() throws(StoreError) -> PathNode {
    let (page, memory) = try transaction.allocate()
    memory.set32(Header.place, page.place)
    memory.set64(Header.stamp, transaction.stamp)
    return PathNode(memory: memory, page: page, index: 0)
  }

  func kill(_ step: PathNode) { transaction.kill(step.page, born: Node.stamp(step.node)) }
}
