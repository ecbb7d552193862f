internal import RoostBytes
internal import RoostFile
internal import RoostPages

/// The change for which a full node has no room.
enum Overflow<Key> {
  case entry(Key, StoredValue)
  case nodes([FreshNode])

  var count: Int {
    switch self {
    case .entry: 1
    case .nodes(let fresh): fresh.count
    }
  }
}

extension Draft {
  /// Makes a change for which a node has no room, with the help of its neighbours.
  ///
  /// The entries of the node and one neighbour are divided again if that leaves some room.
  /// Otherwise those of both neighbours are divided too, into one node more, which leaves each node
  /// seven tenths full. If keys come in ascending order, the nodes before them stay full, and the
  /// run continues in a new node.
  func spread(_ depth: Int, at index: Int, dropping: Int, _ change: Overflow<F.Key>) throws(StoreError) {
    fingerStamp = 0
    let node = path[depth]
    let isLeaf = depth == bottom
    let isRun = isLeaf && dropping == 0 && run >= 8
    let growsAtEnd = isRun || index + dropping == Node.count(node.node) && F.isLast(node.node)
    if depth > 0, !F.holds(path[depth - 1].node, node.node) {
      throw damage("a node lies outside its parent", node.page)
    }
    var first = depth > 0 ? path[depth - 1].index : 0
    if growsAtEnd, isLeaf, index == Node.count(node.node), case .entry(let key, let value) = change,
      let fresh = try goOn(behind: node, key, value)
    {
      _ = try replace(1, by: fresh, depth, at: first)
      return
    }
    if growsAtEnd, isLeaf, first > 0, index == Node.count(node.node), case .entry(let key, let value) = change,
      let fresh = try refill(before: node, depth, key: key, value: value)
    {
      _ = try replace(2, by: fresh, depth, at: first - 1)
      return
    }
    var group = [node]
    var isRoomy = false
    if !growsAtEnd, let (sibling, isLeft) = try sibling(depth) {
      group.insert(sibling, at: isLeft ? 0 : 1)
      isRoomy = hasRoom(group, change.count - dropping)
      if !isRoomy, let other = try neighbour(depth, isLeft: !isLeft) { group.insert(other, at: isLeft ? 2 : 0) }
      if group[0].page != node.page { first -= 1 }
    }
    if isLeaf, isRoomy, dropping == 0, !isLimited, case .entry(let key, let value) = change,
      F.shift(pack, group[0], right: group[1], toLeft: group[1].page == node.page, key: key, value: value)
    {
      _ = try replace(2, by: group.map(fresh), depth, at: first)
      return
    }
    let parts = isRoomy ? group.count : group.count + 1
    if isLeaf, dropping == 0, case .entry(let key, let value) = change,
      let fresh = try recut(group, at: index, of: node, growsAtEnd, key: key, value: value, into: parts)
    {
      _ = try replace(group.count, by: fresh, depth, at: first)
      return
    }
    F.begin(pack, first: group[0].node, last: group[group.count - 1].node)
    for member in group {
      let count = Node.count(member.node)
      guard member.page == node.page else {
        F.gather(pack, member.node, from: 0, to: count)
        continue
      }
      F.gather(pack, member.node, from: 0, to: index)
      switch change {
      case .entry(let key, let value): F.append(pack, key: key, value: value)
      case .nodes(let fresh): for node in fresh { F.append(pack, node) }
      }
      F.gather(pack, member.node, from: index + dropping, to: count)
    }
    if !(growsAtEnd && cutRun(at: index, leaf: isLeaf)) {
      try divide(into: parts, leaf: isLeaf, node.page)
    }
    _ = try rebuild(group, depth, at: first)
  }

  /// Divides leaves again if moving entries is enough. Returns nil and changes nothing if it is
  /// not.
  private func recut(
    _ group: [PathNode], at index: Int, of node: PathNode, _ growsAtEnd: Bool, key: F.Key, value: StoredValue,
    into parts: Int
  ) throws(StoreError) -> [FreshNode]? {
    guard growsAtEnd || group.count > 1 else { return nil }
    let place = group[0].page == node.page ? index : Node.count(group[0].node) + index
    guard let recut = F.recut(pack, group, at: place, key: key, value: value, into: parts),
      growsAtEnd
        ? recut.cutRun(limit: limit, isLimited: isLimited) : recut.balance(limit: limit, isLimited: isLimited)
    else { return nil }
    return try write(recut, into: group)
  }

  /// Fills the leaf before one in which an ascending run continues, if it has much room, and
  /// appends the new entry to the rest. Returns the two new leaves. Returns nil and changes nothing
  /// if that does not help.
  private func refill(
    before node: PathNode, _ depth: Int, key: F.Key, value: StoredValue
  ) throws(StoreError) -> [FreshNode]? {
    let parent = path[depth - 1]
    guard !isLimited else { return nil }
    let left = try editChild(of: parent.memory, parent.index - 1, 0)
    guard F.meet(left.node, node.node), F.holds(parent.node, left.node) else {
      throw damage("the fences of two neighbours do not meet", left.page)
    }
    guard F.used(left.node) * 8 <= F.room(left.node) * 7 else { return nil }
    let place = Node.count(left.node) + Node.count(node.node)
    guard let recut = F.recut(pack, [left, node], at: place, key: key, value: value, into: 2),
      recut.fillFirst(limit: limit)
    else { return nil }
    return try write(recut, into: [left, node])
  }

  /// Writes the parts of divided leaves into these pages, and into new ones if there are more
  /// parts.
  private func write(_ recut: Recut, into pages: [PathNode]) throws(StoreError) -> [FreshNode] {
    var targets = pages
    while targets.count < recut.parts { targets.append(try allocate()) }
    for (part, target) in targets.enumerated() { recut.write(part, tree: tree, into: target.memory) }
    return targets.map(fresh)
  }

  /// Leaves a full leaf as it is and begins a new one after it with this entry. Returns nil if the
  /// leaf would have to be written again, because its bound determines the prefix of its keys.
  private func goOn(behind leaf: PathNode, _ key: F.Key, _ value: StoredValue) throws(StoreError) -> [FreshNode]? {
    guard F.end(leaf.memory, before: key, pack) else { return nil }
    let next = try allocate()
    F.append(pack, key: key, value: value)
    F.write(pack, from: 0, to: 1, low: pack.low, high: pack.high, level: 0, tree: tree, into: next.memory)
    return [leaf, next].map(fresh)
  }

  private func fresh(_ leaf: PathNode) -> FreshNode {
    FreshNode(page: leaf.page, memory: leaf.memory, count: UInt64(Node.count(leaf.node)))
  }

  /// Joins a node that has become small with a neighbour, or balances the two.
  ///
  /// Returns whether the path above is still valid; nil if there is no neighbour.
  func join(_ depth: Int) throws(StoreError) -> Bool? {
    guard let (sibling, isLeft) = try sibling(depth) else { return nil }
    fingerStamp = 0
    let node = path[depth]
    let group = isLeft ? [sibling, node] : [node, sibling]
    let isLeaf = depth == bottom
    F.begin(pack, first: group[0].node, last: group[1].node)
    for member in group { F.gather(pack, member.node, from: 0, to: Node.count(member.node)) }
    pack.cuts = [pack.count]
    let used = F.used(group[0].node) + F.used(group[1].node)
    let isSmall = isLimited ? pack.count <= limit : used * 8 <= Node.room * 7
    if !(isSmall && cutsFit(leaf: isLeaf)) { try divide(into: 2, leaf: isLeaf, node.page) }
    return try rebuild(group, depth, at: path[depth - 1].index - (isLeft ? 1 : 0))
  }

  /// The neighbour with fewer entries under the same parent, editable.
  private func sibling(_ depth: Int) throws(StoreError) -> (PathNode, isLeft: Bool)? {
    guard depth > 0 else { return nil }
    let parent = path[depth - 1]
    let index = parent.index
    let last = Node.count(parent.node) - 1
    let isLeft: Bool
    if index == 0 || index == last {
      isLeft = index == last
    } else {
      isLeft =
        Child.count(Branch.cell(parent.node, index - 1)) < Child.count(Branch.cell(parent.node, index + 1))
    }
    return try neighbour(depth, isLeft: isLeft).map { ($0, isLeft) }
  }

  /// The neighbour on one side under the same parent, editable; nil if there is none.
  private func neighbour(_ depth: Int, isLeft: Bool) throws(StoreError) -> PathNode? {
    let parent = path[depth - 1]
    let index = parent.index + (isLeft ? -1 : 1)
    guard index >= 0, index < Node.count(parent.node) else { return nil }
    let sibling = try editChild(of: parent.memory, index, UInt8(bottom - depth))
    let node = path[depth].node
    let left = isLeft ? sibling.node : node
    let right = isLeft ? node : sibling.node
    guard F.meet(left, right), F.holds(parent.node, left), F.holds(parent.node, right) else {
      throw damage("the fences of two neighbours do not meet", sibling.page)
    }
    return sibling
  }

  /// Whether two nodes have enough room after a change. If entries are counted, room for one more.
  private func hasRoom(_ group: [PathNode], _ added: Int) -> Bool {
    if isLimited { return group.reduce(added) { $0 + Node.count($1.node) } < limit * 2 }
    var used = 0
    var room = 0
    for member in group {
      used += F.used(member.node)
      room += F.room(member.node)
    }
    return used * F.slack <= room * (F.slack - 1)
  }

  /// Writes the pack into the group's pages and new ones, and updates the parent.
  ///
  /// Returns whether the parent had room, so that it was not rebuilt.
  private func rebuild(_ group: [PathNode], _ depth: Int, at first: Int) throws(StoreError) -> Bool {
    try replace(group.count, by: write(group, level: UInt8(bottom - depth)), depth, at: first)
  }

  /// Updates the parent, or makes a new root, after nodes were replaced by fresh ones.
  ///
  /// Returns whether the parent had room, so that it was not rebuilt.
  private func replace(_ old: Int, by fresh: [FreshNode], _ depth: Int, at first: Int) throws(StoreError) -> Bool {
    if depth == 0 {
      if fresh.count > 1 { try raise(fresh) }
      return false
    }
    let parent = path[depth - 1].memory
    if Node.count(parent) - old + fresh.count <= limit, F.exchange(parent, at: first, dropping: old, fresh) {
      return true
    }
    try spread(depth - 1, at: first, dropping: old, .nodes(fresh))
    return false
  }

  /// Writes the parts of the pack into these pages, and into new ones if there are more parts.
  private func write(_ pages: [PathNode], level: UInt8) throws(StoreError) -> [FreshNode] {
    let cuts = pack.cuts
    var targets = pages
    while targets.count < cuts.count { targets.append(try allocate()) }
    for spare in targets[cuts.count...] { kill(spare) }
    var fresh: [FreshNode] = []
    var from = 0
    for (part, cut) in cuts.enumerated() {
      let target = targets[part]
      let (low, high) = fences(part, leaf: level == 0)
      F.write(pack, from: from, to: cut, low: low, high: high, level: level, tree: tree, into: target.memory)
      fresh.append(FreshNode(page: target.page, memory: target.memory, count: Branch.total(target.memory)))
      from = cut
    }
    return fresh
  }

  /// Makes a new root above the parts of the old one.
  ///
  /// The keys between many parts may be too long for one node: then the tree gets more than one new
  /// level.
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
