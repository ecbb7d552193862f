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

  static func gather(_ pack: Pack, _ page: UnsafeRawPointer, _ from: Int, _ to: Int) {
    let isLeaf = Node.level(page) == 0
    let extra = ByteNode.prefixLength(page) - pack.shared
    let low = ByteNode.low(page)
    for index in from..<to {
      if !isLeaf, index == 0 {
        let rest = low.dropping(pack.shared)
        let offset = pack.store(rest.start, rest.count)
        append(pack, offset, rest.count, StoredValue(Branch.cell(page, 0), UInt16(Child.size)))
        continue
      }
      let suffix = ByteNode.suffixLength(page, index)
      let offset = pack.take(extra + suffix)
      let target = pack.arena + offset
      if extra > 0 { target.copyMemory(from: low.start + pack.shared, byteCount: extra) }
      ByteNode.copySuffix(page, index, to: target + extra)
      let value =
        isLeaf ? ByteNode.value(page, index) : StoredValue(Branch.cell(page, index), UInt16(Child.size))
      append(pack, offset, extra + suffix, value)
    }
  }

  static func append(_ pack: Pack, _ key: ByteKey, _ value: StoredValue) {
    let rest = key.dropping(pack.shared)
    append(pack, pack.store(rest.start, rest.count), rest.count, value)
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
  private static func append(_ pack: Pack, _ offset: Int, _ length: Int, _ value: StoredValue) {
    let payload = pack.store(value.start, value.count)
    pack.append(
      PackedEntry(
        key: UInt64(offset), keyLength: UInt16(length), length: value.length, payload: UInt32(payload)))
  }

  /// The shortest key that separates, which begins the entry's own key; between branches, the key itself.
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

  /// The prefix of a node between two fences, behind the shared one.
  private static func prefix(_ pack: Pack, _ low: Fence, _ high: Fence) -> Int {
    high.isUnbounded ? 0 : pack.key(low).commonPrefix(with: pack.key(high))
  }

  static func size(_ pack: Pack, _ from: Int, _ to: Int, _ low: Fence, _ high: Fence, leaf: Bool) -> Int {
    let prefix = prefix(pack, low, high)
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

  static func transfer(_ from: Pack, _ index: Int, to pack: Pack) {
    let entry = from.entries[index]
    append(pack, from.key(entry), StoredValue(from.arena + Int(entry.payload), entry.length))
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
    _ pack: Pack, _ from: Int, _ to: Int, _ low: Fence, _ high: Fence, level: UInt8, tree: UInt32,
    into page: UnsafeMutableRawPointer
  ) {
    let isLeaf = level == 0
    Node.begin(page, isLeaf ? leafKind : branchKind, level: level, tree: tree)
    let prefix = prefix(pack, low, high)
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
    for index in from..<to {
      let entry = pack.entries[index]
      let isFirst = !isLeaf && index == from
      let suffix = isFirst ? ByteKey.empty : pack.key(entry).dropping(prefix)
      let rest = ByteNode.restLength(suffix.count)
      heap -= rest + (isLeaf ? 2 + entry.byteCount : Child.size)
      let slot = page + ByteNode.slot(index - from)
      slot.set32(0, suffix.head)
      slot.set16(4, UInt16(heap))
      slot.set16(6, UInt16(suffix.count))
      let payload = pack.arena + Int(entry.payload)
      if isLeaf {
        page.set16(heap, entry.length)
        if rest > 0 { (page + (heap + 2)).copyMemory(from: suffix.start + 4, byteCount: rest) }
        (page + (heap + 2 + rest)).copyMemory(from: payload, byteCount: entry.byteCount)
      } else {
        (page + heap).copyMemory(from: payload, byteCount: Child.size)
        if rest > 0 { (page + (heap + Child.size)).copyMemory(from: suffix.start + 4, byteCount: rest) }
      }
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
