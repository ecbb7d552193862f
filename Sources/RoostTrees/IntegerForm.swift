internal import RoostBytes
internal import RoostFile
internal import RoostPages

/// Trees whose keys are 64-bit integers.
enum IntegerForm: Form {
  typealias Key = UInt64

  static var leafKind: UInt8 { Node.integerLeaf }
  static var branchKind: UInt8 { Node.integerBranch }
  static var seeksShortFences: Bool { false }
  static var slack: Int { 8 }

  static func checkKey(_ key: UInt64) throws(StoreError) {}
  static func keepsInline(_ key: UInt64, _ count: Int) -> Bool {
    count <= Limits.entryBytes - IntegerLeaf.slotSize
  }

  static func admits(_ page: UnsafeRawPointer, _ key: UInt64) -> Bool { true }

  static func covers(_ page: UnsafeRawPointer, _ key: UInt64) -> Bool {
    // A high fence of 0 means none: subtracting one gives the highest key.
    page.u64(IntegerBranch.low) <= key && key <= page.u64(IntegerBranch.high) &- 1
  }

  static func isLast(_ page: UnsafeRawPointer) -> Bool { page.u64(IntegerBranch.high) == 0 }
  static func child(_ branch: UnsafeRawPointer, _ key: UInt64) -> Int { IntegerBranch.child(branch, key) }
  static func search(_ leaf: UnsafeRawPointer, _ key: UInt64) -> Position { IntegerLeaf.search(leaf, key) }
  static func value(_ leaf: UnsafeRawPointer, _ index: Int) -> StoredValue { IntegerLeaf.value(leaf, index) }

  static func used(_ page: UnsafeRawPointer) -> Int {
    if Node.level(page) > 0 { return Node.count(page) * (8 + Child.size) }
    return Node.count(page) * IntegerLeaf.slotSize + Node.end - Int(page.u16(Header.heapStart))
      - Int(page.u16(Header.garbage))
  }
  static func room(_ page: UnsafeRawPointer) -> Int { Node.room }

  static func insert(_ leaf: UnsafeMutableRawPointer, at index: Int, key: UInt64, value: StoredValue) -> Bool {
    IntegerLeaf.insert(leaf, at: index, key: key, value: value)
  }
  static func replace(_ leaf: UnsafeMutableRawPointer, at index: Int, _ value: StoredValue) -> Bool {
    IntegerLeaf.replace(leaf, at: index, value)
  }
  static func remove(_ leaf: UnsafeMutableRawPointer, from: Int, to: Int) {
    IntegerLeaf.remove(leaf, from: from, to: to)
  }

  static func end(_ leaf: UnsafeMutableRawPointer, before key: UInt64, _ pack: Pack) -> Bool {
    begin(pack, first: leaf, last: leaf)
    pack.low = Fence(key: key, length: 8)
    leaf.set64(IntegerBranch.high, key)
    return true
  }

  static func exchange(
    _ branch: UnsafeMutableRawPointer, at index: Int, dropping: Int, _ fresh: [FreshNode]
  ) -> Bool {
    guard Node.count(branch) - dropping + fresh.count <= IntegerBranch.capacity else { return false }
    IntegerBranch.shift(branch, at: index, dropping: dropping, adding: fresh.count)
    for (offset, node) in fresh.enumerated() {
      branch.set64(IntegerBranch.keyOffset(index + offset), node.memory.u64(IntegerBranch.low))
      Child.write(branch + IntegerBranch.cellOffset(index + offset), node.page, count: node.count)
    }
    return true
  }

  static func meet(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    left.u64(IntegerBranch.high) == right.u64(IntegerBranch.low)
  }
  static func holds(_ parent: UnsafeRawPointer, _ child: UnsafeRawPointer) -> Bool {
    covers(parent, child.u64(IntegerBranch.low))
      && child.u64(IntegerBranch.high) &- 1 <= parent.u64(IntegerBranch.high) &- 1
  }
}

extension IntegerForm {
  static func begin(_ pack: Pack, first: UnsafeRawPointer, last: UnsafeRawPointer) {
    pack.clear()
    pack.low = Fence(key: first.u64(IntegerBranch.low), length: 8)
    let high = last.u64(IntegerBranch.high)
    pack.high = high == 0 ? .unbounded : Fence(key: high, length: 8)
  }

  static func beginUnbounded(_ pack: Pack) {
    pack.clear()
    pack.low = Fence(key: 0, length: 8)
    pack.high = .unbounded
  }

  static func gather(_ pack: Pack, _ page: UnsafeRawPointer, from: Int, to: Int) {
    let isLeaf = Node.level(page) == 0
    for index in from..<to {
      if isLeaf {
        append(pack, key: IntegerLeaf.key(page, index), value: IntegerLeaf.value(page, index))
      } else {
        let cell = page + IntegerBranch.cellOffset(index)
        append(pack, key: IntegerBranch.key(page, index), value: StoredValue(cell, UInt16(Child.size)))
      }
    }
  }

  static func append(_ pack: Pack, key: UInt64, value: StoredValue) {
    let payload = pack.store(value.start, value.count)
    pack.append(PackedEntry(key: key, keyLength: 8, length: value.length, payload: UInt32(payload)))
  }

  static func append(_ pack: Pack, _ fresh: FreshNode) {
    let payload = pack.take(Child.size)
    Child.write(pack.arena + payload, fresh.page, count: fresh.count)
    let key = fresh.memory.u64(IntegerBranch.low)
    pack.append(PackedEntry(key: key, keyLength: 8, length: UInt16(Child.size), payload: UInt32(payload)))
  }

  static func fence(_ pack: Pack, before index: Int, leaf: Bool) -> Fence {
    Fence(key: pack.entries[index].key, length: 8)
  }

  static func cost(_ pack: Pack, _ index: Int, leaf: Bool) -> Int {
    leaf ? IntegerLeaf.slotSize + pack.entries[index].byteCount : 8 + Child.size
  }

  static func size(_ pack: Pack, from: Int, to: Int, low: Fence, high: Fence, leaf: Bool) -> Int {
    if !leaf { return (to - from) * (8 + Child.size) }
    var sum = (to - from) * IntegerLeaf.slotSize
    for index in from..<to { sum += pack.entries[index].byteCount }
    return sum
  }

  static func shift(
    _ pack: Pack, _ left: PathNode, right: PathNode, toLeft: Bool, key: UInt64, value: StoredValue
  ) -> Bool { false }

  static func recut(
    _ pack: Pack, _ leaves: [PathNode], at place: Int, key: UInt64, value: StoredValue, into parts: Int
  ) -> Recut? { nil }

  static func transfer(_ from: Pack, _ index: Int, to pack: Pack) {
    let entry = from.entries[index]
    append(pack, key: entry.key, value: StoredValue(from.arena + Int(entry.payload), entry.length))
  }

  static func begin(_ pack: Pack, at fence: Fence, of other: Pack) {
    pack.clear()
    pack.low = fence
    pack.high = .unbounded
  }

  static func lastKey(_ pack: Pack, isBelow key: UInt64) -> Bool { pack.entries[pack.count - 1].key < key }

  static func write(
    _ pack: Pack, from: Int, to: Int, low: Fence, high: Fence, level: UInt8, tree: UInt32,
    into page: UnsafeMutableRawPointer
  ) {
    Node.begin(page, level == 0 ? leafKind : branchKind, level: level, tree: tree)
    page.set64(IntegerBranch.low, low.key)
    page.set64(IntegerBranch.high, high.isUnbounded ? 0 : high.key)
    page.set16(Header.count, UInt16(to - from))
    var heap = Node.end
    for index in from..<to {
      let entry = pack.entries[index]
      let payload = pack.arena + Int(entry.payload)
      if level > 0 {
        page.set64(IntegerBranch.keyOffset(index - from), entry.key)
        (page + IntegerBranch.cellOffset(index - from)).copyMemory(from: payload, byteCount: Child.size)
        continue
      }
      heap -= entry.byteCount
      (page + heap).copyMemory(from: payload, byteCount: entry.byteCount)
      let slot = page + IntegerLeaf.slot(index - from)
      slot.set64(0, entry.key)
      slot.set16(8, UInt16(heap))
      slot.set16(10, entry.length)
    }
    page.set16(Header.heapStart, UInt16(heap))
  }
}
