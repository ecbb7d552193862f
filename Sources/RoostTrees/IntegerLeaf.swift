internal import RoostBytes
internal import RoostPages

/// A leaf whose keys are 64-bit integers.
///
/// ## Layout
/// ```
/// 24  u64  low     the lowest key that belongs here
/// 32  u64  high    the first that does not; 0 if the node has no upper bound
/// 40  slots {u64 key, u16 offset, u16 length}, keys ascending
///     free
///     heap: the values, from heapStart to 4080
/// ```
/// The highest bit of a length says that the value is an encoded list of extents.
package enum IntegerLeaf {
  package static let slotSize = 12

  @inlinable @inline(__always)
  package static func slot(_ index: Int) -> Int { Node.slots &+ index &* slotSize }

  @inlinable @inline(__always)
  package static func key(_ page: UnsafeRawPointer, _ index: Int) -> UInt64 { page.u64(slot(index)) }

  @inlinable @inline(__always)
  package static func value(_ page: UnsafeRawPointer, _ index: Int) -> StoredValue {
    let slot = slot(index)
    return StoredValue(page + Int(page.u16(slot &+ 8)), page.u16(slot &+ 10))
  }

  static func length(_ page: UnsafeRawPointer, _ index: Int) -> Int {
    Int(page.u16(slot(index) &+ 10) & ~Node.extentFlag)
  }

  /// The first entry whose key is not below `key`.
  @inlinable @inline(__always)
  package static func search(_ page: UnsafeRawPointer, _ key: UInt64) -> Position {
    let count = Node.count(page)
    if count == 0 { return Position(0, false) }
    // Row numbers are usually dense: then the key itself gives the slot.
    let first = page.u64(Node.slots)
    let guess = Int(truncatingIfNeeded: min(key &- first, UInt64(truncatingIfNeeded: count &- 1)))
    let guessed = Self.key(page, guess)
    if guessed == key { return Position(guess, true) }
    if guess == count &- 1, guessed < key { return Position(count, false) }
    var index = 0
    var rest = count
    while rest > 1 {
      let half = rest &>> 1
      index &+= half & Node.mask(Self.key(page, index &+ half), notAbove: key)
      rest &-= half
    }
    let found = Self.key(page, index)
    return Position(found < key ? index &+ 1 : index, found == key)
  }

  /// Inserts an entry before the one at `index`. Returns false if there is no room.
  static func insert(_ page: UnsafeMutableRawPointer, at index: Int, key: UInt64, value: StoredValue) -> Bool {
    let count = Node.count(page)
    guard makeRoom(page, slot(count &+ 1), bytes: value.count) else { return false }
    let slot = page + slot(index)
    if index < count { (slot + slotSize).copyMemory(from: slot, byteCount: (count &- index) &* slotSize) }
    slot.set64(0, key)
    write(page, slot, value: value)
    page.set16(Header.count, UInt16(truncatingIfNeeded: count &+ 1))
    return true
  }

  /// Replaces the value of an entry. Returns false and changes nothing if there is no room.
  static func replace(_ page: UnsafeMutableRawPointer, at index: Int, _ value: StoredValue) -> Bool {
    let slot = page + slot(index)
    let old = length(page, index)
    let garbage = Int(page.u16(Header.garbage))
    if value.count <= old {
      (page + Int(slot.u16(8))).copyMemory(from: value.start, byteCount: value.count)
      slot.set16(10, value.length)
      page.set16(Header.garbage, UInt16(truncatingIfNeeded: garbage &+ old &- value.count))
      return true
    }
    let free = Int(page.u16(Header.heapStart)) &- Self.slot(Node.count(page))
    guard value.count <= free &+ garbage &+ old else { return false }
    page.set16(Header.garbage, UInt16(truncatingIfNeeded: garbage &+ old))
    slot.set16(10, 0)
    if value.count > free { compact(page) }
    write(page, slot, value: value)
    return true
  }

  static func remove(_ page: UnsafeMutableRawPointer, from: Int, to: Int) {
    var dead = 0
    for index in from..<to { dead &+= length(page, index) }
    let count = Node.count(page)
    (page + slot(from)).copyMemory(from: page + slot(to), byteCount: (count &- to) &* slotSize)
    page.set16(Header.count, UInt16(truncatingIfNeeded: count &- (to &- from)))
    page.set16(Header.garbage, page.u16(Header.garbage) &+ UInt16(truncatingIfNeeded: dead))
  }

  private static func write(_ page: UnsafeMutableRawPointer, _ slot: UnsafeMutableRawPointer, value: StoredValue) {
    let offset = Int(page.u16(Header.heapStart)) &- value.count
    (page + offset).copyMemory(from: value.start, byteCount: value.count)
    slot.set16(8, UInt16(truncatingIfNeeded: offset))
    slot.set16(10, value.length)
    page.set16(Header.heapStart, UInt16(truncatingIfNeeded: offset))
  }

  private static func makeRoom(_ page: UnsafeMutableRawPointer, _ slotsEnd: Int, bytes: Int) -> Bool {
    let free = Int(page.u16(Header.heapStart)) &- slotsEnd
    if bytes <= free { return true }
    let garbage = Int(page.u16(Header.garbage))
    guard garbage > 0, bytes <= free &+ garbage else { return false }
    compact(page)
    return true
  }

  private static func compact(_ page: UnsafeMutableRawPointer) {
    withUnsafeTemporaryAllocation(byteCount: Node.pageSize, alignment: 8) { copy in
      let old = copy.baseAddress!
      old.copyMemory(from: page, byteCount: Node.pageSize)
      var heap = Node.end
      for index in 0..<Node.count(page) {
        let length = length(page, index)
        heap &-= length
        (page + heap).copyMemory(from: old + Int(old.u16(slot(index) &+ 8)), byteCount: length)
        page.set16(slot(index) &+ 8, UInt16(truncatingIfNeeded: heap))
      }
      page.set16(Header.heapStart, UInt16(truncatingIfNeeded: heap))
      page.set16(Header.garbage, 0)
    }
  }
}
