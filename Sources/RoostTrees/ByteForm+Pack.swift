internal import RoostBytes
internal import RoostPages

extension ByteForm {
  static func begin(_ pack: Pack, first: UnsafeRawPointer, last: UnsafeRawPointer) {
    pack.clear()
    let low = ByteNode.low(first)
    let high = ByteNode.high(last)
    pack.shared = high.map { $0.commonPrefix(with: low) } ?? 0
    pack.store(low.start, low.count)
    pack.low = Fence(key: UInt64(pack.shared), length: low.count - pack.shared)
    pack.high = .unbounded
    if let rest = high?.dropping(pack.shared) {
      pack.high = Fence(key: UInt64(pack.store(rest.start, rest.count)), length: rest.count)
    }
  }

  static func beginUnbounded(_ pack: Pack) {
    pack.clear()
    pack.low = Fence(key: 0, length: 0)
    pack.high = .unbounded
  }

  static func gather(_ pack: Pack, _ page: UnsafeRawPointer, from: Int, to: Int) {
    if from >= to { return }
    let extra = ByteNode.prefixLength(page) - pack.shared
    let low = ByteNode.low(page)
    let isLeaf = Node.level(page) == 0
    // Values stay at their offsets in a copy of the page. Keys are assembled, because their heads
    // are stored separately.
    let copy = pack.take(Node.pageSize)
    (pack.arena + copy).copyMemory(from: page, byteCount: Node.pageSize)
    pack.reserve(bytes: (to - from) * (extra + 8) + Node.pageSize + low.count, entries: to - from)
    var next = from
    if !isLeaf, from == 0 {
      let rest = low.dropping(pack.shared)
      append(
        pack, offset: pack.store(rest.start, rest.count), length: rest.count,
        payload: copy + ByteNode.cellOffset(page, 0), size: Child.size)
      next = 1
    }
    let prefix = low.start + pack.shared
    let cellHead = isLeaf ? 2 : Child.size
    let arena = pack.arena
    var offset = pack.used
    while next < to {
      let length = ByteNode.suffixLength(page, next)
      let cell = ByteNode.cellOffset(page, next)
      let target = arena + offset
      if extra > 0 { target.copyShort(from: prefix, byteCount: extra) }
      // Writes four bytes at once. If the suffix is shorter, later bytes overwrite the others.
      (target + extra).storeBytes(of: ByteNode.head(page, next).bigEndian, as: UInt32.self)
      let rest = ByteNode.restLength(length)
      if rest > 0 { (target + (extra &+ 4)).copyShort(from: page + (cell &+ cellHead), byteCount: rest) }
      pack.appendReserved(
        PackedEntry(
          key: UInt64(truncatingIfNeeded: offset), keyLength: UInt16(truncatingIfNeeded: extra &+ length),
          length: isLeaf ? page.u16(cell) : UInt16(Child.size),
          payload: UInt32(truncatingIfNeeded: copy &+ cell &+ (isLeaf ? 2 &+ rest : 0))))
      offset &+= extra &+ length
      next &+= 1
    }
    pack.used = offset
  }

  static func append(_ pack: Pack, key: ByteKey, value: StoredValue) {
    let rest = key.dropping(pack.shared)
    append(pack, offset: pack.store(rest.start, rest.count), length: rest.count, value: value)
  }

  static func append(_ pack: Pack, _ fresh: FreshNode) {
    let rest = ByteNode.low(fresh.memory).dropping(pack.shared)
    let offset = pack.store(rest.start, rest.count)
    let payload = pack.take(Child.size)
    Child.write(pack.arena + payload, fresh.page, count: fresh.count)
    pack.append(
      PackedEntry(
        key: UInt64(offset), keyLength: UInt16(rest.count), length: UInt16(Child.size), payload: UInt32(payload)))
  }

  @inline(__always)
  private static func append(_ pack: Pack, offset: Int, length: Int, value: StoredValue) {
    let payload = pack.store(value.start, value.count)
    pack.append(
      PackedEntry(
        key: UInt64(offset), keyLength: UInt16(length), length: value.length, payload: UInt32(payload)))
  }

  private static func append(_ pack: Pack, offset: Int, length: Int, payload: Int, size: Int) {
    pack.append(
      PackedEntry(
        key: UInt64(offset), keyLength: UInt16(length), length: UInt16(size), payload: UInt32(payload)))
  }

  /// The shortest key that separates entries: a prefix of the entry's own key. Between branches it
  /// is the key itself.
  static func fence(_ pack: Pack, before index: Int, leaf: Bool) -> Fence {
    let entry = pack.entries[index]
    guard leaf else { return Fence(key: entry.key, length: Int(entry.keyLength)) }
    let common = pack.key(entry).commonPrefix(with: pack.key(pack.entries[index - 1]))
    return Fence(key: entry.key, length: common + 1)
  }

  static func cost(_ pack: Pack, _ index: Int, leaf: Bool) -> Int {
    let entry = pack.entries[index]
    let rest = ByteNode.restLength(Int(entry.keyLength))
    return ByteNode.slotSize + rest + (leaf ? 2 + entry.byteCount : Child.size)
  }

  /// The prefix of a node between two fences, after the shared one.
  private static func prefix(_ pack: Pack, low: Fence, high: Fence) -> Int {
    high.isUnbounded ? 0 : pack.key(low).commonPrefix(with: pack.key(high))
  }

  static func size(_ pack: Pack, from: Int, to: Int, low: Fence, high: Fence, leaf: Bool) -> Int {
    let prefix = prefix(pack, low: low, high: high)
    var sum = pack.shared + low.length + (high.isUnbounded ? 0 : pack.shared + high.length)
    sum += (to - from) * (ByteNode.slotSize + (leaf ? 2 : Child.size))
    for index in from..<to {
      let entry = pack.entries[index]
      if leaf {
        sum += ByteNode.restLength(Int(entry.keyLength) - prefix) + entry.byteCount
      } else if index > from {
        sum += ByteNode.restLength(Int(entry.keyLength) - prefix)
      }
    }
    return sum
  }

  static func shift(
    _ pack: Pack, _ left: PathNode, right: PathNode, toLeft: Bool, key: ByteKey, value: StoredValue
  ) -> Bool {
    pack.clear()
    pack.reserve(bytes: ByteNode.shiftBytes, entries: 0)
    return ByteNode.shift(left.memory, right.memory, toLeft: toLeft, key: key, value: value, by: pack.arena)
  }

  static func recut(
    _ pack: Pack, _ leaves: [PathNode], at place: Int, key: ByteKey, value: StoredValue, into parts: Int
  ) -> Recut? { Recut(pack, leaves, at: place, key: key, value: value, into: parts) }

  static func transfer(_ from: Pack, _ index: Int, to pack: Pack) {
    let entry = from.entries[index]
    append(pack, key: from.key(entry), value: StoredValue(from.arena + Int(entry.payload), entry.length))
  }

  static func begin(_ pack: Pack, at fence: Fence, of other: Pack) {
    pack.clear()
    let key = other.key(fence)
    pack.low = Fence(key: UInt64(pack.store(key.start, key.count)), length: key.count)
    pack.high = .unbounded
  }

  static func lastKey(_ pack: Pack, isBelow key: ByteKey) -> Bool {
    pack.key(pack.entries[pack.count - 1]).compare(key) < 0
  }

  static func write(
    _ pack: Pack, from: Int, to: Int, low: Fence, high: Fence, level: UInt8, tree: UInt32,
    into page: UnsafeMutableRawPointer
  ) {
    let isLeaf = level == 0
    Node.begin(page, isLeaf ? leafKind : branchKind, level: level, tree: tree)
    let prefix = prefix(pack, low: low, high: high)
    page.set16(ByteNode.prefixField, UInt16(high.isUnbounded ? 0 : pack.shared + prefix))
    var heap = Node.end - putFence(pack, low, before: page + Node.end)
    page.set16(ByteNode.lowField, UInt16(Node.end - heap))
    if high.isUnbounded {
      page.set16(ByteNode.highField, ByteNode.unbounded)
    } else {
      let length = putFence(pack, high, before: page + heap)
      heap -= length
      page.set16(ByteNode.highField, UInt16(length))
    }
    page.set16(Header.count, UInt16(to - from))
    let arena = pack.arena
    let entries = pack.entries
    let cellHead = isLeaf ? 2 : Child.size
    var index = from
    while index < to {
      let entry = entries[index]
      // A branch's first entry has no key: its key is the low fence.
      let isFirst = !isLeaf && index == from
      let length = isFirst ? 0 : Int(entry.keyLength) &- prefix
      let key = arena + (Int(truncatingIfNeeded: entry.key) &+ prefix)
      let rest = ByteNode.restLength(length)
      let payload = UnsafeRawPointer(arena + Int(entry.payload))
      heap &-= cellHead &+ rest &+ (isLeaf ? entry.byteCount : 0)
      let slot = page + ByteNode.slot(index &- from)
      slot.set32(0, ByteKey(key, length).head)
      slot.set16(4, UInt16(truncatingIfNeeded: heap))
      slot.set16(6, UInt16(truncatingIfNeeded: length))
      let cell = page + heap
      if isLeaf {
        cell.set16(0, entry.length)
        (cell + (2 &+ rest)).copyShort(from: payload, byteCount: entry.byteCount)
      } else {
        cell.copyMemory(from: payload, byteCount: Child.size)
      }
      if rest > 0 { (cell + cellHead).copyShort(from: key + 4, byteCount: rest) }
      index &+= 1
    }
    page.set16(Header.heapStart, UInt16(heap))
  }

  private static func putFence(_ pack: Pack, _ fence: Fence, before end: UnsafeMutableRawPointer) -> Int {
    let length = pack.shared + fence.length
    let start = end - length
    start.copyMemory(from: pack.arena, byteCount: pack.shared)
    (start + pack.shared).copyMemory(from: pack.arena + Int(fence.key), byteCount: fence.length)
    return length
  }
}
