internal import RoostBytes
package import RoostFile
internal import RoostPages

extension ByteTree {
  /// Calls `body` for each key whose entry differs from a former state of this tree, in order, with
  /// the former value, or nil if the key was absent. Pages that both states share are not read.
  package func difference(
    from former: ByteTree, _ body: (_ key: [UInt8], _ value: [UInt8]?) throws(StoreError) -> Void
  ) throws(StoreError) {
    try Difference<ByteForm>(view, from: TreeState(former.root, former.id), to: TreeState(root, id)).visit(
      ByteNode.key, body)
  }
}

extension IntegerTree {
  /// Compares trees with integer keys: see ``ByteTree/difference(from:_:)``.
  package func difference(
    from former: IntegerTree, _ body: (_ key: UInt64, _ value: [UInt8]?) throws(StoreError) -> Void
  ) throws(StoreError) {
    try Difference<IntegerForm>(view, from: TreeState(former.root, former.id), to: TreeState(root, id)).visit(
      IntegerLeaf.key, body)
  }
}

/// One of two states of a tree.
private struct TreeState {
  let root: Root
  let id: UInt32

  init(_ root: Root, _ id: UInt32) { (self.root, self.id) = (root, id) }
}

/// Compares two states of a tree by the pages that they do not share.
///
/// A page is never changed after a state reaches it, so shared pages are equal in both. Such pages
/// are skipped level by level from the roots down. The entries of the remaining leaves are
/// compared.
private struct Difference<F: Form> {
  let view: PageView
  let former: TreeState
  let present: TreeState

  init(_ view: PageView, from former: TreeState, to present: TreeState) {
    (self.view, self.former, self.present) = (view, former, present)
  }

  func visit(
    _ key: (UnsafeRawPointer, Int) -> F.OwnKey, _ body: (F.OwnKey, [UInt8]?) throws(StoreError) -> Void
  ) throws(StoreError) {
    if former.root == present.root { return }
    let (left, right) = try leaves()
    var was = Leaves<F>(left, former.id, view: view)
    var now = Leaves<F>(right, present.id, view: view)
    var (old, new) = (try was.next(key), try now.next(key))
    while old != nil || new != nil {
      if let old, old == new {
        if !was.isSame(now) { try body(old, was.value()) }
      } else if let one = old, try isBelow(one, new) {
        try body(one, was.value())
        old = try was.next(key)
        continue
      } else if let one = new {
        try body(one, nil)
        new = try now.next(key)
        continue
      }
      (old, new) = (try was.next(key), try now.next(key))
    }
  }

  private func isBelow(_ one: F.OwnKey, _ other: F.OwnKey?) throws(StoreError) -> Bool {
    guard let other else { return true }
    var isBelow = false
    try F.withKey(one) { (one) throws(StoreError) in
      try F.withKey(other) { (other) throws(StoreError) in isBelow = F.isBelow(one, other) }
    }
    return isBelow
  }

  /// The leaves that only one of the two states has, in order.
  private func leaves() throws(StoreError) -> (former: [PageReference], present: [PageReference]) {
    var (left, right): ([PageReference], [PageReference]) = ([], [])
    var level = max(former.root.level, present.root.level)
    while true {
      if !former.root.isEmpty, former.root.level == level { left.append(former.root.reference) }
      if !present.root.isEmpty, present.root.level == level { right.append(present.root.reference) }
      let shared = try Self.places(left).intersection(try Self.places(right))
      left.removeAll { shared.contains($0.page) }
      right.removeAll { shared.contains($0.page) }
      if level == 0 { return (left, right) }
      (left, right) = (try children(left, level, tree: former.id), try children(right, level, tree: present.id))
      level -= 1
    }
  }

  private static func places(_ pages: [PageReference]) throws(StoreError) -> Set<PageID> {
    var places = Set<PageID>(minimumCapacity: pages.count)
    for page in pages where !places.insert(page.page).inserted {
      throw StoreError(.damaged, "the page is referenced twice", page: UInt64(page.page.place))
    }
    return places
  }

  private func children(
    _ branches: [PageReference], _ level: UInt8, tree: UInt32
  ) throws(StoreError) -> [PageReference] {
    var found: [PageReference] = []
    for reference in branches {
      view.slot.enter()
      defer { view.slot.leave() }
      let branch = try view.frames.page(reference)
      guard Node.mark(branch) == Node.mark(F.branchKind, level: level, tree: tree) else {
        throw TreeDamage.wrongNode(reference.page)
      }
      for index in 0..<Node.count(branch) { found.append(Branch.reference(branch, index)) }
    }
    return found
  }
}

/// Reads the entries of some leaves in sequence. It copies each leaf, so that the cache may evict
/// it.
private struct Leaves<F: Form>: ~Copyable {
  private let references: [PageReference]
  private let tree: UInt32
  private let view: PageView
  private let leaf = UnsafeMutableRawPointer.allocate(byteCount: Node.pageSize, alignment: 8)
  private var number = 0
  private var index = -1
  private var count = 0

  init(_ references: [PageReference], _ tree: UInt32, view: PageView) {
    (self.references, self.tree, self.view) = (references, tree, view)
  }

  deinit { leaf.deallocate() }

  /// The key of the next entry; nil after the last one.
  mutating func next(_ key: (UnsafeRawPointer, Int) -> F.OwnKey) throws(StoreError) -> F.OwnKey? {
    index += 1
    while index >= count {
      guard number < references.count else { return nil }
      try load(references[number])
      number += 1
      index = 0
    }
    return key(leaf, index)
  }

  private mutating func load(_ reference: PageReference) throws(StoreError) {
    view.slot.enter()
    defer { view.slot.leave() }
    let page = try view.frames.page(reference)
    guard Node.mark(page) == Node.mark(F.leafKind, level: 0, tree: tree) else {
      throw TreeDamage.wrongNode(reference.page)
    }
    leaf.copyMemory(from: page, byteCount: Node.pageSize)
    count = Node.count(leaf)
  }

  /// The value of the entry.
  func value() throws(StoreError) -> [UInt8] { try F.value(leaf, index).load(view) }

  func isSame(_ other: borrowing Leaves) -> Bool {
    let (one, other) = (F.value(leaf, index), F.value(other.leaf, other.index))
    return one.length == other.length && one.bytes.elementsEqual(other.bytes)
  }
}
