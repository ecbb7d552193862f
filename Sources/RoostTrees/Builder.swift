internal import RoostBytes
internal import RoostFile
internal import RoostPages

/// Builds a tree from its leaves up, from ascending keys.
///
/// Every level has one open node. When it is full it is written and becomes an entry of the level
/// above. A written page is not changed again, so it can be written to the file at once.
final class Builder<F: Form> {
  private let transaction: WriteTransaction
  private let tree: UInt32
  private let limit: Int
  /// The number of bytes that a node may use.
  private let room: Int
  // Unchecked exclusivity: one thread builds, and no access to a field calls other code.
  @exclusivity(unchecked) private var levels: [OpenLevel] = []
  @exclusivity(unchecked) private var spare = Pack()
  @exclusivity(unchecked) private var count: UInt64 = 0
  private(set) var extents: UInt64 = 0

  /// A level's entries that are not in a node yet.
  private struct OpenLevel {
    var pack: Pack
    /// An upper bound of the entries' size, and the size at which it must be computed exactly.
    var cost = 0
    var bound: Int
    var nodes = 0
  }

  init(tree: UInt32, fill: Int, in transaction: WriteTransaction) {
    self.transaction = transaction
    self.tree = tree
    limit = max(3, min(transaction.fanoutLimit, Node.pageSize))
    room = Node.room * max(50, min(fill, 100)) / 100
  }

  deinit {
    for level in levels { level.pack.discard() }
    spare.discard()
  }

  /// Whether the key is greater than all before.
  private func ascends(to key: F.Key) -> Bool {
    guard let pack = levels.first?.pack, pack.count > 0 else { return true }
    return F.lastKey(pack, isBelow: key)
  }

  func append(_ key: F.Key, _ value: UnsafeRawBufferPointer) throws(StoreError) {
    let pack = try begin(key)
    if F.keepsInline(key, value.count) {
      let start = value.baseAddress ?? UnsafeRawPointer(pack.arena)
      F.append(pack, key: key, value: StoredValue(start, UInt16(value.count)))
    } else {
      guard value.count <= Limits.valueBytes else { throw Draft<F>.valueTooLarge(value.count) }
      append(pack, key, list: try transaction.writeExtents(value))
    }
    try added()
  }

  /// Adds an entry whose value is already stored in extents.
  func append(_ key: F.Key, _ list: ExtentList) throws(StoreError) {
    append(try begin(key), key, list: list)
    try added()
  }

  private func begin(_ key: F.Key) throws(StoreError) -> Pack {
    try F.checkKey(key)
    if levels.isEmpty { open() }
    guard ascends(to: key) else {
      throw StoreError(.unsortedKeys, "entry \(count) does not have a greater key than the one before")
    }
    return levels[0].pack
  }

  private func append(_ pack: Pack, _ key: F.Key, list: ExtentList) {
    extents += 1
    list.encoded.withUnsafeBytes {
      F.append(pack, key: key, value: StoredValue($0.baseAddress!, UInt16($0.count) | Node.extentFlag))
    }
  }

  private func added() throws(StoreError) {
    count += 1
    try added(to: 0)
  }

  /// Writes the open nodes. The builder cannot be used after that.
  func finish() throws(StoreError) -> Root {
    var level = 0
    while level < levels.count {
      while let rest = restThatFits(level) { try close(level, rest) }
      if levels[level].nodes == 0, level == levels.count - 1 {
        let page = try write(level, levels[level].pack.count, high: .unbounded).page
        return Root(reference: PageReference(page), level: UInt8(level), count: count)
      }
      try close(level, levels[level].pack.count)
      level += 1
    }
    return .empty
  }

  private func open() {
    let pack = Pack()
    F.beginUnbounded(pack)
    levels.append(OpenLevel(pack: pack, bound: room))
  }

  /// Adds the last entry's cost to a level, and writes a node if there is enough.
  private func added(to level: Int) throws(StoreError) {
    let pack = levels[level].pack
    levels[level].cost += F.cost(pack, pack.count - 1, leaf: level == 0)
    guard levels[level].cost > levels[level].bound || pack.count > limit else { return }
    var entries = pack.count - 1
    let size = size(level, entries)
    if size <= room, entries < limit {
      // The common prefix of the keys left some room.
      levels[level].bound = levels[level].cost + room - size
      return
    }
    while entries > 1, entries > limit || self.size(level, entries) > room { entries -= 1 }
    try close(level, entries)
  }

  /// The size of a node with the first entries.
  private func size(_ level: Int, _ entries: Int) -> Int {
    let pack = levels[level].pack
    let high = entries == pack.count ? Fence.unbounded : F.fence(pack, before: entries, leaf: level == 0)
    return F.size(pack, from: 0, to: entries, low: pack.low, high: high, leaf: level == 0)
  }

  /// The number of entries for a node before the last one of a level; nil if all fit into the last
  /// one.
  private func restThatFits(_ level: Int) -> Int? {
    let count = levels[level].pack.count
    if count <= limit, size(level, count) <= Node.room { return nil }
    var entries = count / 2
    while entries > 1, entries > limit || size(level, entries) > Node.room { entries -= 1 }
    return entries
  }

  /// Writes a node with the first entries and adds it to the level above.
  private func close(_ level: Int, _ entries: Int) throws(StoreError) {
    let pack = levels[level].pack
    let isLast = entries == pack.count
    let high = isLast ? Fence.unbounded : F.fence(pack, before: entries, leaf: level == 0)
    let fresh = try write(level, entries, high: high)
    if !isLast {
      F.begin(spare, at: high, of: pack)
      levels[level].cost = 0
      levels[level].bound = room
      for index in entries..<pack.count {
        F.transfer(pack, index, to: spare)
        levels[level].cost += F.cost(spare, spare.count - 1, leaf: level == 0)
      }
      levels[level].pack = spare
      spare = pack
    }
    levels[level].nodes += 1
    if level + 1 == levels.count {
      guard level < Int(Node.maximumLevel) else { throw StoreError(.damaged, "the tree is too high") }
      open()
    }
    F.append(levels[level + 1].pack, fresh)
    try added(to: level + 1)
  }

  private func write(_ level: Int, _ entries: Int, high: Fence) throws(StoreError) -> FreshNode {
    let pack = levels[level].pack
    let (page, memory) = try transaction.allocateThrough()
    memory.set32(Header.place, page.place)
    memory.set64(Header.stamp, transaction.stamp)
    F.write(pack, from: 0, to: entries, low: pack.low, high: high, level: UInt8(level), tree: tree, into: memory)
    return FreshNode(page: page, memory: memory, count: Branch.total(memory))
  }
}
