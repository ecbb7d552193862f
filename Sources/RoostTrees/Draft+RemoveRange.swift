internal import RoostBytes
internal import RoostFile
internal import RoostPages

extension Draft {
  /// Removes all keys from `low` up to, but without, `high` (nil: to the end). Returns their
  /// number.
  ///
  /// Children that are completely inside the range are removed, and an empty leaf with branches
  /// above it gets their range. So the fences of neighbours do not change. Joining the small nodes
  /// at the ends of the range removes that leaf again.
  func removeRange(_ low: F.Key, _ high: F.Key?) throws(StoreError) -> UInt64 {
    try F.checkKey(low)
    if let high { try F.checkKey(high) }
    guard !root.isEmpty, high.map({ F.isBelow(low, $0) }) ?? true else { return 0 }
    fingerStamp = 0
    lastIndex = -2
    let before = root.count
    let edited = try transaction.edit(root.reference)
    if edited.moved { root.reference = PageReference(edited.page) }
    try expect(edited.memory, edited.page, level: root.level)
    var holes: [F.OwnKey] = [F.own(low)]
    if let high { holes.append(F.own(high)) }
    try cutRange(
      PathNode(memory: edited.memory, page: edited.page, index: 0), root.level, low: low, high: high, holes: &holes)
    root.count = Branch.total(edited.memory)
    if root.count == 0 {
      try killBelow(root.reference, root.level)
      root = .empty
      return before
    }
    for hole in holes { try F.withKey(hole) { key throws(StoreError) in try mend(key) } }
    try lower()
    guard root.count <= before else { throw damage("the counts above a leaf are wrong", root.reference.page) }
    return before - root.count
  }

  /// Removes everything.
  func removeAll() throws(StoreError) {
    fingerStamp = 0
    if !root.isEmpty { try killBelow(root.reference, root.level) }
    root = .empty
  }

  /// Removes a range below one node. The recursion depth is the depth of the tree.
  private func cutRange(
    _ node: PathNode, _ level: UInt8, low: F.Key, high: F.Key?, holes: inout [F.OwnKey]
  ) throws(StoreError) {
    guard level > 0 else { return try cutLeaf(node.memory, low: low, high: high) }
    var index = F.firstChild(node.node, low)
    while index < Node.count(node.node) {
      let side = F.side(node.node, index, low: low, high: high)
      if side == .above { return }
      if side == .inside {
        var end = index + 1
        while end < Node.count(node.node), F.side(node.node, end, low: low, high: high) == .inside { end += 1 }
        holes.append(F.branchKey(node.node, index))
        try replaceWithHole(node.memory, from: index, to: end, level: level)
      } else if side == .across {
        let child = try editChild(of: node.memory, index, level - 1)
        guard F.holds(node.node, child.node) else { throw damage("a child lies outside its parent", child.page) }
        try cutRange(child, level - 1, low: low, high: high, holes: &holes)
        Branch.mutableCell(node.memory, index).set64(Child.count, Branch.total(child.node))
      }
      index += 1
    }
  }

  private func cutLeaf(_ leaf: UnsafeMutableRawPointer, low: F.Key, high: F.Key?) throws(StoreError) {
    let from = F.firstAtLeast(leaf, low)
    let to = high.map { F.firstAtLeast(leaf, $0) } ?? Node.count(leaf)
    guard from < to else { return }
    if extents > 0 {
      for index in from..<to { try killValue(F.value(leaf, index)) }
    }
    F.remove(leaf, from: from, to: to)
  }

  /// Replaces some children by one without entries.
  private func replaceWithHole(
    _ parent: UnsafeMutableRawPointer, from: Int, to: Int, level: UInt8
  ) throws(StoreError) {
    for index in from..<to { try killBelow(Branch.reference(parent, index), level - 1) }
    var fresh: FreshNode?
    for below in 0..<level {
      let node = try allocate()
      F.begin(pack, parent, from: from, to: to)
      if let fresh { F.append(pack, fresh) }
      F.write(
        pack, from: 0, to: pack.count, low: pack.low, high: pack.high, level: below, tree: tree, into: node.memory)
      fresh = FreshNode(page: node.page, memory: node.memory, count: 0)
    }
    guard let fresh, F.exchange(parent, at: from, dropping: to - from, [fresh]) else {
      preconditionFailure("fewer children take less room")
    }
  }

  /// Joins small nodes on the path to a key until none with a neighbour is left.
  private func mend(_ key: F.Key) throws(StoreError) {
    // Each round removes a node or balances two. The limit only protects from errors in this code.
    var rounds = 4 * (bottom + 2)
    while rounds > 0, root.level > 0 {
      rounds -= 1
      try descendFromRoot(key)
      var depth = 1
      var hasJoined = false
      while depth <= bottom, !hasJoined {
        if isSmall(path[depth].node), Node.count(path[depth - 1].node) > 1 {
          hasJoined = try join(depth) != nil
        }
        depth += 1
      }
      if !hasJoined { return }
      try lower()
    }
  }

  /// Frees all pages of a subtree and the extents of its values.
  private func killBelow(_ reference: PageReference, _ level: UInt8) throws(StoreError) {
    let view = transaction.view
    var open: [(PageReference, UInt8)] = [(reference, level)]
    var outside: [ExtentList] = []
    while let (reference, level) = open.popLast() {
      do {
        view.slot.enter()
        defer { view.slot.leave() }
        let page = try view.frames.page(reference)
        try expect(page, reference.page, level: level)
        if level > 0 {
          for index in 0..<Node.count(page) { open.append((Branch.reference(page, index), level - 1)) }
        } else if extents > 0 {
          for index in 0..<Node.count(page) where F.value(page, index).isExtents {
            outside.append(try TreeDamage.extents(F.value(page, index)))
          }
        }
        transaction.kill(reference.page, born: Node.stamp(page))
      }
      // Extents may have to be read to be freed, so the slot is left first.
      for list in outside { try transaction.killExtents(list) }
      extents &-= UInt64(outside.count)
      outside.removeAll(keepingCapacity: true)
    }
  }
}
