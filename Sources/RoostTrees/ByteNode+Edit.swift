internal import RoostBytes
internal import RoostPages

extension ByteNode {
  /// Inserts an entry before the one at `index`. Returns false if there is no room.
  ///
  /// `write` below fills the cell: a leaf's value after the rest, or a branch's child before it.
  static func insert(_ page: UnsafeMutableRawPointer, at index: Int, key: ByteKey, value: StoredValue) -> Bool {
    let suffix = key.dropping(prefixLength(page))
    let rest = restLength(suffix.count)
    guard let cell = open(page, at: index, suffix, size: 2 &+ rest &+ value.count) else { return false }
    cell.set16(0, value.length)
    if rest > 0 { (cell + 2).copyMemory(from: suffix.start + 4, byteCount: rest) }
    (cell + (2 &+ rest)).copyMemory(from: value.start, byteCount: value.count)
    return true
  }

  /// Inserts a child before the one at `index`. Its key is its own low fence.
  static func insert(_ page: UnsafeMutableRawPointer, at index: Int, _ child: FreshNode) -> Bool {
    let suffix = index == 0 ? ByteKey.empty : low(child.memory).dropping(prefixLength(page))
    let rest = restLength(suffix.count)
    guard let cell = open(page, at: index, suffix, size: Child.size &+ rest) else { return false }
    Child.write(cell, child.page, count: child.count)
    if rest > 0 { (cell + Child.size).copyMemory(from: suffix.start + 4, byteCount: rest) }
    return true
  }

  /// Replaces the value of a leaf's entry. Returns false and changes nothing if there is no room.
  static func replace(_ page: UnsafeMutableRawPointer, at index: Int, _ value: StoredValue) -> Bool {
    let cell = page + cellOffset(page, index)
    let rest = restLength(suffixLength(page, index))
    let old = Int(cell.u16(0) & ~Node.extentFlag)
    let garbage = Int(page.u16(Header.garbage))
    if value.count <= old {
      cell.set16(0, value.length)
      (cell + (2 &+ rest)).copyMemory(from: value.start, byteCount: value.count)
      page.set16(Header.garbage, UInt16(truncatingIfNeeded: garbage &+ old &- value.count))
      return true
    }
    let size = 2 &+ rest &+ value.count
    let free = Int(page.u16(Header.heapStart)) &- slot(Node.count(page))
    guard size <= free &+ garbage &+ 2 &+ rest &+ old else { return false }
    withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { kept in
      kept.baseAddress!.copyMemory(from: cell + 2, byteCount: rest)
      page.set16(Header.garbage, UInt16(truncatingIfNeeded: garbage &+ 2 &+ rest &+ old))
      if size > free { compact(page, leavingOut: index) }
      let target = take(page, size)
      page.set16(slot(index) &+ 4, UInt16(truncatingIfNeeded: target - UnsafeMutableRawPointer(page)))
      target.set16(0, value.length)
      (target + 2).copyMemory(from: kept.baseAddress!, byteCount: rest)
      (target + (2 &+ rest)).copyMemory(from: value.start, byteCount: value.count)
    }
    return true
  }

  static func remove(_ page: UnsafeMutableRawPointer, from: Int, to: Int) {
    var dead = 0
    for index in from..<to { dead &+= cellSize(page, index) }
    let count = Node.count(page)
    (page + slot(from)).copyMemory(from: page + slot(to), byteCount: (count &- to) &* slotSize)
    page.set16(Header.count, UInt16(truncatingIfNeeded: count &- (to &- from)))
    page.set16(Header.garbage, page.u16(Header.garbage) &+ UInt16(truncatingIfNeeded: dead))
  }

  /// The bytes of slots and cells in use.
  static func used(_ page: UnsafeRawPointer) -> Int {
    slot(Node.count(page)) &- Node.slots &+ heapEnd(page) &- Int(page.u16(Header.heapStart))
      &- Int(page.u16(Header.garbage))
  }

  /// Opens a slot and takes the cell to which it points.
  private static func open(
    _ page: UnsafeMutableRawPointer, at index: Int, _ suffix: ByteKey, size: Int
  ) -> UnsafeMutableRawPointer? {
    let count = Node.count(page)
    let free = Int(page.u16(Header.heapStart)) &- slot(count &+ 1)
    if size > free {
      guard size <= free &+ Int(page.u16(Header.garbage)) else { return nil }
      compact(page, leavingOut: -1)
    }
    let slot = page + slot(index)
    if index < count { (slot + slotSize).copyMemory(from: slot, byteCount: (count &- index) &* slotSize) }
    let cell = take(page, size)
    slot.set32(0, suffix.head)
    slot.set16(4, UInt16(truncatingIfNeeded: cell - page))
    slot.set16(6, UInt16(truncatingIfNeeded: suffix.count))
    page.set16(Header.count, UInt16(truncatingIfNeeded: count &+ 1))
    return cell
  }

  /// Takes `size` bytes from the heap, which must be free.
  static func take(_ page: UnsafeMutableRawPointer, _ size: Int) -> UnsafeMutableRawPointer {
    let offset = Int(page.u16(Header.heapStart)) &- size
    page.set16(Header.heapStart, UInt16(truncatingIfNeeded: offset))
    return page + offset
  }

  /// Compacts the cells, without the one of the entry `dropped`.
  static func compact(_ page: UnsafeMutableRawPointer, leavingOut dropped: Int) {
    withUnsafeTemporaryAllocation(byteCount: Node.pageSize, alignment: 8) { copy in
      let old = copy.baseAddress!
      old.copyMemory(from: page, byteCount: Node.pageSize)
      var heap = heapEnd(page)
      for index in 0..<Node.count(page) where index != dropped {
        let size = cellSize(old, index)
        heap &-= size
        (page + heap).copyMemory(from: old + cellOffset(old, index), byteCount: size)
        page.set16(slot(index) &+ 4, UInt16(truncatingIfNeeded: heap))
      }
      page.set16(Header.heapStart, UInt16(truncatingIfNeeded: heap))
      page.set16(Header.garbage, 0)
    }
  }
}
