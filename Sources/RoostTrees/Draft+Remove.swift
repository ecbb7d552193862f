internal import RoostBytes
internal import RoostFile
internal import RoostPages

extension Draft {
  /// Removes a key. Returns false if it is not there. Then nothing was copied, unless `isExpected`
  /// is true.
  func remove(_ key: F.Key, isExpected: Bool = false) throws(StoreError) -> Bool {
    try F.checkKey(key)
    guard !root.isEmpty else { return false }
    if isExpected {
      try descend(key)
    } else if fingerStamp != transaction.stamp || !F.covers(path[bottom].node, key) {
      guard try holds(key) else { return false }
      try descendFromRoot(key)
    }
    let leaf = path[bottom].memory
    let position = F.search(leaf, key)
    guard position.isFound else { return false }
    try killValue(F.value(leaf, position.index))
    bump(-1)
    F.remove(leaf, from: position.index, to: position.index + 1)
    lastIndex = -2
    try settle()
    return true
  }

  private func holds(_ key: F.Key) throws(StoreError) -> Bool {
    let view = transaction.view
    view.slot.enter()
    defer { view.slot.leave() }
    var reference = root.reference
    var level = root.level
    while true {
      let page = try view.frames.page(reference)
      try expect(page, reference.page, level: level)
      guard F.admits(page, key) else { throw damage("a key does not fit its node", reference.page) }
      if level == 0 { return F.search(page, key).isFound }
      reference = Branch.reference(page, F.child(page, key))
      level -= 1
    }
  }

  func isSmall(_ page: UnsafeRawPointer) -> Bool {
    if isLimited { return Node.count(page) * 3 < limit }
    return F.used(page) * 3 < Node.room
  }

  /// Joins the nodes on the path that have become small, from the leaf up, and removes roots with
  /// one child.
  func settle() throws(StoreError) {
    var depth = bottom
    // Only joining leaves a root that is too large for the nodes below it.
    var mayLower = depth == 0
    while depth > 0 {
      guard isSmall(path[depth].node) else { break }
      mayLower = true
      if let isGood = try join(depth), !isGood { break }
      depth -= 1
    }
    if mayLower { try lower() }
  }

  /// Removes superfluous roots.
  func lower() throws(StoreError) {
    while !root.isEmpty {
      let edited = try transaction.edit(root.reference)
      if edited.moved { root.reference = PageReference(edited.page) }
      let count = Node.count(edited.memory)
      guard root.level == 0 ? count == 0 : count == 1 else { return }
      fingerStamp = 0
      let next = root.level == 0 ? PageReference.none : Branch.reference(edited.memory, 0)
      let level = root.level == 0 ? 0 : root.level - 1
      kill(PathNode(memory: edited.memory, page: edited.page, index: 0))
      root = Root(reference: next, level: level, count: root.count)
    }
  }
}
