internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Finds the trees of a damaged store, and the tree that tells which module owns them.
extension Rescue {
  struct NamedTree {
    var name: [UInt8]
    var descriptor: TreeDescriptor
    /// The stamp of the unreferenced leaf that names it; nil if the superblock's catalog names it.
    var looseStamp: UInt64?
    /// Whether its root is not the newest one, or that is unknown.
    var isOutdated = false
  }

  /// All known trees, in the order of their numbers.
  func catalog() throws(StoreError) -> [NamedTree] {
    var found: [[UInt8]: NamedTree] = [:]
    let tree = ByteTree(examination.snapshot.catalog, id: TreeCatalog.treeID, view: examination.view)
    lostNames = examination.sequence == 0
    try tree.survey(
      gap: {
        lostNames = true
        lose(Array("catalog".utf8), $0, bytes: { $0 })
      }, reach: { reached.insert($0.place) }
    ) { (name, value) in
      guard !name.isEmpty, let descriptor = TreeDescriptor(value.bytes) else { return }
      found[name] = NamedTree(name: name, descriptor: descriptor)
    }
    if lostNames { try searchLooseNames(&found) }
    return found.values.sorted { ($0.descriptor.id, $0.looseStamp ?? .max) < ($1.descriptor.id, $1.looseStamp ?? .max) }
  }

  /// Adds trees that only unreferenced leaves of the catalog name. The newest leaf counts for each
  /// tree.
  private func searchLooseNames(_ found: inout [[UInt8]: NamedTree]) throws(StoreError) {
    var loose: [UInt32: NamedTree] = [:]
    // The newest leaf of each tree that may be in use.
    var newest: [UInt32: UInt64] = [:]
    try examination.scan { (page, memory) throws(StoreError) in
      guard let leaf = LooseLeaf(page, memory) else { return }
      guard leaf.tree == TreeCatalog.treeID else {
        newest[leaf.tree] = max(newest[leaf.tree] ?? 0, leaf.stamp)
        return
      }
      if leaf.isInteger { return }
      try leaf.entries { (name, value) in
        guard !name.isEmpty, let descriptor = TreeDescriptor(value.bytes) else { return }
        let root = descriptor.root
        // A catalog leaf that no checkpoint wrote does not have its trees' checksums.
        guard root.isEmpty || root.reference.check != 0 else { return }
        if let known = loose[descriptor.id]?.looseStamp, known >= leaf.stamp { return }
        loose[descriptor.id] = NamedTree(name: name, descriptor: descriptor, looseStamp: leaf.stamp)
      }
    }
    let known = Set(found.values.map(\.descriptor.id))
    for (id, var tree) in loose where !known.contains(id) {
      tree.isOutdated = isOutdated(tree, newest[id] ?? 0)
      // Two trees have had this name: the newer one gets it.
      if let other = found[tree.name], (other.looseStamp ?? .max) >= (tree.looseStamp ?? .max) { continue }
      found[tree.name] = tree
    }
  }

  /// Whether an unreferenced leaf may name a root that is not the tree's newest one.
  private func isOutdated(_ tree: NamedTree, _ newestLeaf: UInt64) -> Bool {
    let root = tree.descriptor.root
    // If the root's page is not free, it is still the current root: every change of a root moves it to another page.
    if examination.knowsFree { return root.isEmpty || examination.free.contains(root.reference.page.place) }
    // The catalog's leaf is written with each change of a root, so no leaf of the tree is newer.
    return newestLeaf > tree.looseStamp ?? 0
  }

  /// Searches older leaves of the decisive tree, including those in free places, for a meaningful
  /// value of its key. Returns true if there is one; it is then in the new store.
  func findOlderKey(_ content: any SalvagedContent, _ id: UInt32) throws(StoreError) -> Bool {
    guard let tree = try target.forest.find(id: id), case .bytes(let draft) = tree.trunk else { return false }
    var found: [(stamp: UInt64, page: PageID)] = []
    try examination.scan { (page, memory) in
      if let leaf = LooseLeaf(page, memory), leaf.tree == id, !leaf.isInteger { found.append((leaf.stamp, page)) }
    }
    var owns = false
    for (_, page) in found.sorted(by: { $0.stamp > $1.stamp }) where !owns {
      try examination.read(page) { (memory) throws(StoreError) in
        try LooseLeaf(page, memory)?.entries { (key, value) throws(StoreError) in
          if owns || key != content.decisiveKey { return }
          guard let bytes = try? value.load(examination.view) else { return }
          try ByteKey.borrowing(key) { (key) throws(StoreError) in
            _ = try ByteKey.borrowing(bytes) { (bytes) throws(StoreError) in _ = try draft.put(key, bytes.bytes) }
          }
          owns = try content.owns(target.forest)
        }
      }
    }
    let name = String(decoding: content.decisiveKey, as: UTF8.self)
    lose(
      content.decisiveTree,
      StoreError(
        .damaged, owns ? "the \(name) cannot be read, and an older one is used" : "the \(name) cannot be read anywhere")
    )
    return owns
  }
}
