internal import RoostBytes
internal import RoostFile
internal import RoostPages

/// What a node that is full does not take.
enum Change<Key> {
  case entry(Key, StoredValue)
  case nodes([FreshNode])
}

extension Draft {
  /// Carries out a change for which a node has no room, with the help of a neighbour.
  ///
  /// The entries of both are cut anew: into two nodes if that leaves some room, else into three. Where keys come
  /// in ascending order, what lies before them is left full and they go on in a new node.
  func spread(_ depth: Int, at index: Int, dropping: Int, _ change: Change<F.Key>) throws(StoreError) {
    fingerStamp = 0
    let node = path[depth]
    let isLeaf = depth == bottom
    let isRun = isLeaf && dropping == 0 && run >= 8
    let growsAtEnd = isRun || index + dropping == Node.count(node.node) && F.isLast(node.node)
    if depth > 0, !F.holds(path[depth - 1].node, node.node) {
      throw damage("a node lies outside its parent", node.page)
    }
    var group = [node]
    var first = depth > 0 ? path[depth - 1].index : 0
    if !growsAtEnd, let (sibling, isLeft) = try sibling(depth) {
      if isLeft { first -= 1 }
      group.insert(sibling, at: isLeft ? 0 : 1)
    }
    F.begin(pack, first: group[0].node, last: group[group.count - 1].node)
    for member in group {
      let count = Node.count(member.node)
      guard member.page == node.page else {
        F.gather(pack, member.node, 0, count)
        continue
      }
      F.gather(pack, member.node, 0, index)
      switch change {
      case .entry(let key, let value): F.append(pack, key, value)
      case .nodes(let fresh): for node in fresh { F.append(pack, node) }
      }
      F.gather(pack, member.node, index + dropping, count)
    }
    if !(growsAtEnd && cutRun(at: index, leaf: isLeaf)) {
      let roomy = group.count == 2 && hasRoom(group)
      try divide(into: group.count == 1 || roomy ? 2 : 3, leaf: isLeaf, node.page)
    }
    _ = try rebuild(group, depth, at: first)
  }

  /// Joins a node that has become small with a neighbour, or evens the two out.
  ///
  /// Returns whether the path above is still good; nil where there is no neighbour.
  func join(_ depth: Int) throws(StoreError) -> Bool? {
    guard let (sibling, isLeft) = try sibling(depth) else { return nil }
    fingerStamp = 0
    let node = path[depth]
    let group = isLeft ? [sibling, node] : [node, sibling]
    let isLeaf = depth == bottom
    F.begin(pack, first: group[0].node, last: group[1].node)
    for member in group { F.gather(pack, member.node, 0, Node.count(member.node)) }
    pack.cuts = [pack.count]
    let used = F.used(group[0].node) + F.used(group[1].node)
    let isSmall = isLimited ? pack.count <= limit : used * 8 <= Node.room * 7
    if !(isSmall && cutsFit(leaf: isLeaf)) { try divide(into: 2, leaf: isLeaf, node.page) }
    return try rebuild(group, depth, at: path[depth - 1].index - (isLeft ? 1 : 0))
  }

  /// The neighbour with fewer entries, under the same parent and ready to be changed.
  private func sibling(_ depth: Int) throws(StoreError) -> (Step, isLeft: Bool)? {
    guard depth > 0 else { return nil }
    let parent = path[depth - 1]
    let index = parent.index
    let last = Node.count(parent.node) - 1
    guard last > 0 else { return nil }
    let isLeft: Bool
    if index == 0 || index == last {
      isLeft = index == last
    } else {
      isLeft =
        Child.count(Branch.cell(parent.node, index - 1)) < Child.count(Branch.cell(parent.node, index + 1))
    }
    let level = UInt8(bottom - depth)
    let sibling = try editChild(of: parent.memory, isLeft ? index - 1 : index + 1, level)
    let node = path[depth].node
    let left = isLeft ? sibling.node : node
    let right = isLeft ? node : sibling.node
    guard F.meet(left, right), F.holds(parent.node, left), F.holds(parent.node, right) else {
      throw damage("the fences of two neighbours do not meet", sibling.page)
    }
    return (sibling, isLeft)
  }

  /// Whether two nodes have an eighth of their room left.
  private func hasRoom(_ group: [Step]) -> Bool {
    if isLimited { return pack.count < limit * 2 }
    var used = 0
    var room = 0
    for member in group {
      used += F.used(member.node)
      room += F.room(member.node)
    }
    return used * 8 <= room * 7
  }

  /// Writes the pack into the group's pages and new ones, and tells the parent.
  ///
  /// Returns whether the parent took it without being rebuilt itself.
  private func rebuild(_ group: [Step], _ depth: Int, at first: Int) throws(StoreError) -> Bool {
    let fresh = try write(group, level: UInt8(bottom - depth))
    if depth == 0 {
      if fresh.count > 1 { try raise(fresh) }
      return false
    }
    let parent = path[depth - 1].memory
    if Node.count(parent) - group.count + fresh.count <= limit,
      F.exchange(parent, at: first, dropping: group.count, fresh)
    {
      return true
    }
    try spread(depth - 1, at: first, dropping: group.count, .nodes(fresh))
    return false
  }

  /// Writes the parts of the pack, into these pages as far as they go.
  private func write(_ pages: [Step], level: UInt8) throws(StoreError) -> [FreshNode] {
    let cuts = pack.cuts
    var targets = pages
    while targets.count < cuts.count { targets.append(try allocate()) }
    for spare in targets[cuts.count...] { kill(spare) }
    var fresh: [FreshNode] = []
    var from = 0
    for (part, cut) in cuts.enumerated() {
      let target = targets[part]
      let (low, high) = fences(part, leaf: level == 0)
      F.write(pack, from, cut, low, high, level: level, tree: tree, into: target.memory)
      fresh.append(FreshNode(page: target.page, memory: target.memory, count: Branch.total(target.memory)))
      from = cut
    }
    return fresh
  }

  /// Puts a new root above the parts of the old one.
  ///
  /// The keys between many parts may be too long for one node: then the tree gains more than one level.
  private func raise(_ parts: [FreshNode]) throws(StoreError) {
    var fresh = parts
    repeat {
      guard root.level < Node.maximumLevel else { throw damage("the tree is too high", root.reference.page) }
      F.beginUnbounded(pack)
      for node in fresh { F.append(pack, node) }
      pack.cuts = [pack.count]
      if !cutsFit(leaf: false) { try divide(into: 2, leaf: false, root.reference.page) }
      root.level += 1
      fresh = try write([], level: root.level)
    } while fresh.count > 1
    root.reference = PageReference(fresh[0].page)
  }
}
