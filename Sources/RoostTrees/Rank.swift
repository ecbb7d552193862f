internal import RoostBytes
package import RoostFile
package import RoostPages

/// Makes the errors of look-ups, outside the fast path.
package enum TreeDamage {
  @inline(never)
  package static func wrongNode(_ page: PageID) -> StoreError {
    StoreError(.damaged, "the page is not the node that its parent names", page: UInt64(page.place))
  }

  /// The list of a value's extents.
  package static func extents(_ value: StoredValue) throws(StoreError) -> ExtentList {
    guard let list = ExtentList(decoding: value.bytes) else {
      throw StoreError(.damaged, "a list of extents cannot be read")
    }
    return list
  }
}

extension StoredValue {
  /// Loads the value, from the leaf or its extents. Call it outside `enter` and `leave`, for a leaf
  /// that is held.
  package func load(_ view: PageView) throws(StoreError) -> [UInt8] {
    guard isExtents else { return [UInt8](bytes) }
    return try view.readExtents(TreeDamage.extents(self))
  }
}

extension PageView {
  /// The number of keys of a tree below `key`: the sum of the counts left of the path.
  func rank<F: Form>(
    of key: F.Key, in root: Root, tree: UInt32, as form: F.Type
  ) throws(StoreError) -> UInt64 {
    if root.isEmpty { return 0 }
    slot.enter()
    defer { slot.leave() }
    return try rank(of: key, root.reference, root.level, total: root.count, tree: tree, form: form)
  }

  /// The number of keys below `key` under a node that has `total` keys.
  private func rank<F: Form>(
    of key: F.Key, _ start: PageReference, _ top: UInt8, total: UInt64, tree: UInt32, form: F.Type
  ) throws(StoreError) -> UInt64 {
    var rank: UInt64 = 0
    var (total, reference, level) = (total, start, top)
    while true {
      let page = try node(reference, level, tree: tree, key: key, form: form)
      if level == 0 { return rank &+ UInt64(F.search(page, key).index) }
      let index = F.child(page, key)
      let count = Node.count(page)
      // Sums the side with fewer children.
      rank &+=
        index <= count / 2 ? Branch.sum(page, from: 0, to: index) : total &- Branch.sum(page, from: index, to: count)
      let cell = Branch.cell(page, index)
      total = Child.count(cell)
      reference = Child.reference(cell)
      level -= 1
    }
  }

  @inline(__always)
  private func node<F: Form>(
    _ reference: PageReference, _ level: UInt8, tree: UInt32, key: F.Key, form: F.Type
  ) throws(StoreError) -> UnsafeRawPointer {
    let page = try frames.page(reference)
    let kind = level == 0 ? F.leafKind : F.branchKind
    guard Node.mark(page) == Node.mark(kind, level: level, tree: tree), F.admits(page, key) else {
      throw TreeDamage.wrongNode(reference.page)
    }
    return page
  }

  /// The number of keys from `low` up to, but without, `high`. The common part of both paths is
  /// searched once.
  func count<F: Form>(
    from low: F.Key, to high: F.Key, in root: Root, tree: UInt32, as form: F.Type
  ) throws(StoreError) -> UInt64 {
    if root.isEmpty { return 0 }
    slot.enter()
    defer { slot.leave() }
    var (reference, level) = (root.reference, root.level)
    while true {
      let page = try node(reference, level, tree: tree, key: low, form: form)
      guard F.admits(page, high) else { throw TreeDamage.wrongNode(reference.page) }
      if level == 0 {
        let (first, last) = (F.search(page, low).index, F.search(page, high).index)
        return last > first ? UInt64(last - first) : 0
      }
      let (first, last) = (F.child(page, low), F.child(page, high))
      if last < first { return 0 }
      level -= 1
      let cell = Branch.cell(page, first)
      reference = Child.reference(cell)
      if first == last { continue }
      // The keys before `high`, counted from the first child on, without the keys of that child
      // before `low`.
      let (end, between) = (Branch.cell(page, last), Branch.sum(page, from: first, to: last))
      let behind =
        try rank(of: high, Child.reference(end), level, total: Child.count(end), tree: tree, form: form) &+ between
      let before = try rank(of: low, reference, level, total: Child.count(cell), tree: tree, form: form)
      return behind > before ? behind - before : 0
    }
  }
}
