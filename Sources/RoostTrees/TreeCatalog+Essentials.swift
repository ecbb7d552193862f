import RoostFile
package import RoostPages

/// Which pages of a store get a second copy: see ``PageCopies``.
///
/// Without the tree of names no tree is found, and without the catalog of entities no row can be read.
extension TreeCatalog {
  /// The tree of a store of rows that holds the catalog of entities, and its key there.
  package static let entitiesTree = Array("meta".utf8)
  package static let entitiesKey = Array("catalog".utf8)
  /// The most pages of the tree of entities that are copied, and the largest catalog in pages. Both
  /// are larger than any that was seen.
  private static let mostPages = 64

  /// The pages of the tree of entities, its catalog if that is in extents, and the pages of the
  /// tree of names.
  ///
  /// Unreadable pages are left out.
  package static func essentials(_ snapshot: Snapshot, _ view: PageView) -> [Essential] {
    var walk = EssentialWalk(view: view)
    if let tree = try? TreeCatalog(snapshot, view: view).descriptor(entitiesTree), tree.kind == .bytes {
      let entities = ByteTree(tree.root, id: tree.id, view: view)
      // A user may have a tree with this name.
      if holdsEntities(entities) { walk.run(entities, atMost: mostPages, looksIntoLeaves: true) }
    }
    // No more copies can be listed. A crafted file may have branches that refer to more pages than
    // memory holds.
    walk.run(
      ByteTree(snapshot.catalog, id: treeID, view: view), atMost: PageCopies.most - walk.found.count,
      looksIntoLeaves: false)
    return walk.found
  }

  private static func holdsEntities(_ tree: ByteTree) -> Bool {
    tree.view.slot.enter()
    defer { tree.view.slot.leave() }
    let found = try? ByteKey.borrowing(entitiesKey) { (key) throws(StoreError) in try tree.find(key) != nil }
    return found == true
  }

  /// A walk through the pages of trees, level by level.
  private struct EssentialWalk {
    let view: PageView
    var found: [Essential] = []

    mutating func run(_ tree: ByteTree, atMost most: Int, looksIntoLeaves: Bool) {
      guard !tree.root.isEmpty else { return }
      var nodes = [tree.root.reference]
      var level = tree.root.level
      var left = most
      while true {
        var below: [PageReference] = []
        for reference in nodes {
          if left <= 0 { return }
          // A damaged file may contain any number; no page has this place.
          if reference.page.place == .max { continue }
          left -= 1
          found.append(.page(reference))
          if level > 0 || looksIntoLeaves { look(reference, level, tree: tree.id, below: &below) }
        }
        if level == 0 || below.isEmpty { return }
        nodes = below
        level -= 1
      }
    }

    /// Adds a branch's children to `below`. For a leaf, adds the extents of the catalog of entities
    /// to `found`.
    private mutating func look(
      _ reference: PageReference, _ level: UInt8, tree: UInt32, below: inout [PageReference]
    ) {
      view.slot.enter()
      defer { view.slot.leave() }
      let kind = level == 0 ? Node.byteLeaf : Node.byteBranch
      guard let memory = try? view.frames.page(reference),
        Node.mark(memory) == Node.mark(kind, level: level, tree: tree)
      else { return }
      for index in 0..<Node.count(memory) {
        if level > 0 {
          below.append(Branch.reference(memory, index))
        } else if ByteNode.key(memory, index) == TreeCatalog.entitiesKey {
          addExtents(ByteNode.value(memory, index))
        }
      }
    }

    private mutating func addExtents(_ value: StoredValue) {
      guard value.isExtents, let list = ExtentList(decoding: value.bytes), !list.isIndirect,
        list.extents.reduce(0, { $0 + Int($1.pages) }) <= TreeCatalog.mostPages
      else { return }
      found += list.extents.map { .extent($0) }
    }
  }
}
