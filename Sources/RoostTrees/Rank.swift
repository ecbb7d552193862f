internal import RoostBytes
package import RoostFile
package import RoostPages

/// Errors of look-ups, kept out of the way of those that succeed.
package enum TreeDamage {
  @inline(never)
  package static func wrongNode(_ page: PageID) -> StoreError {
    StoreError(.damaged, "the page is not the node that its parent names", page: UInt64(page.place))
  }

  /// The list that stands for a value.
  package static func extents(_ value: StoredValue) throws(StoreError) -> ExtentList {
    guard let list = ExtentList(decoding: value.bytes) else {
      throw StoreError(.damaged, "a list of extents cannot be read")
    }
    return list
  }
}

extension StoredValue {
  /// The value itself, wherever it lies. To be called outside `enter` and `leave`, on a leaf that is held.
  package func load(_ view: PageView) throws(StoreError) -> [UInt8] {
    guard isExtents else { return [UInt8](bytes) }
    return try view.readExtents(TreeDamage.extents(self))
  }
}

extension PageView {
  /// How many keys of a tree are below `key`: the counts left of the way down.
  func rank<F: Form>(
    of key: F.Key, in root: Root, tree: UInt32, as form: F.Type
  ) throws(StoreError) -> UInt64 {
    if root.isEmpty { return 0 }
    slot.enter()
    defer { slot.leave() }
    var rank: UInt64 = 0
    var total = root.count
    var reference = root.reference
    var level = root.level
    while true {
      let page = try frames.page(reference)
      let kind = level == 0 ? F.leafKind : F.branchKind
      guard Node.mark(page) == Node.mark(kind, level: level, tree: tree), F.admits(page, key) else {
        throw TreeDamage.wrongNode(reference.page)
      }
      if level == 0 { return rank &+ UInt64(F.search(page, key).index) }
      let index = F.child(page, key)
      let count = Node.count(page)
      // The nearer side is summed.
      rank &+= index <= count / 2 ? Branch.sum(page, 0, index) : total &- Branch.sum(page, index, count)
      let cell = Branch.cell(page, index)
      total = Child.count(cell)
      reference = Child.reference(cell)
      level -= 1
    }
  }
}
