internal import RoostBytes
internal import RoostPages

extension ByteNode {
  /// Makes a page an empty leaf between two fences, whose bytes must not be in the page. Place and
  /// stamp stay.
  static func beginLeaf(_ page: UnsafeMutableRawPointer, low: ByteKey, high: ByteKey?, tree: UInt32) {
    Node.begin(page, Node.byteLeaf, level: 0, tree: tree)
    page.set16(prefixField, UInt16(truncatingIfNeeded: prefixLength(between: low, high)))
    var heap = Node.end &- low.count
    (page + heap).copyMemory(from: low.start, byteCount: low.count)
    page.set16(lowField, UInt16(truncatingIfNeeded: low.count))
    if let high {
      heap &-= high.count
      (page + heap).copyMemory(from: high.start, byteCount: high.count)
      page.set16(highField, UInt16(truncatingIfNeeded: high.count))
    } else {
      page.set16(highField, unbounded)
    }
    page.set16(Header.count, 0)
    page.set16(Header.heapStart, UInt16(truncatingIfNeeded: heap))
  }

  static func prefixLength(between low: ByteKey, _ high: ByteKey?) -> Int {
    high.map { $0.commonPrefix(with: low) } ?? 0
  }

  /// Appends entries of another leaf, whose keys are greater than all of this one's. There must be
  /// room.
  static func append(
    _ source: UnsafeRawPointer, from: Int, to: Int, to page: UnsafeMutableRawPointer,
    by scratch: UnsafeMutableRawPointer
  ) {
    if from >= to { return }
    if prefixLength(source) != prefixLength(page) {
      return appendAnew(source, from: from, to: to, to: page, by: scratch)
    }
    let count = Node.count(page)
    var heap = Int(page.u16(Header.heapStart))
    let slotsEnd = Self.slot(count &+ to &- from)
    var slot = page + Self.slot(count)
    var index = from
    while index < to {
      // Loads head, cell and length of the suffix at once.
      let word = source.u64(Self.slot(index))
      let cell = source + Int(truncatingIfNeeded: word &>> 32 & 0xFFFF)
      let rest = restLength(Int(truncatingIfNeeded: word &>> 48))
      let size = 2 &+ rest &+ Int(cell.u16(0) & ~Node.extentFlag)
      heap &-= size
      copyCell(cell, to: page + heap, size, spare: heap &+ size &- slotsEnd)
      slot.set64(0, word & 0xFFFF_0000_FFFF_FFFF | UInt64(truncatingIfNeeded: heap) &<< 32)
      slot += slotSize
      index &+= 1
    }
    page.set16(Header.count, UInt16(truncatingIfNeeded: count &+ to &- from))
    page.set16(Header.heapStart, UInt16(truncatingIfNeeded: heap))
  }

  /// Copies a cell. `spare` bytes before its end may be overwritten, because the next cells are
  /// written there. So usually more than the cell is copied, which avoids branches on its length.
  @inline(__always)
  private static func copyCell(
    _ cell: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ size: Int, spare: Int
  ) {
    if size > 64 || spare < 64 { return target.copyMemory(from: cell, byteCount: size) }
    let (from, to) = (cell + (size &- 64), target + (size &- 64))
    if size > 32 {
      to.storeBytes(of: from.loadUnaligned(as: SIMD32<UInt8>.self), as: SIMD32<UInt8>.self)
    }
    (to + 32).storeBytes(of: (from + 32).loadUnaligned(as: SIMD32<UInt8>.self), as: SIMD32<UInt8>.self)
  }

  /// Appends entries if the prefixes of the two leaves differ in length.
  private static func appendAnew(
    _ source: UnsafeRawPointer, from: Int, to: Int, to page: UnsafeMutableRawPointer,
    by scratch: UnsafeMutableRawPointer
  ) {
    let (prefix, own) = (prefixLength(source), prefixLength(page))
    scratch.copyMemory(from: low(source).start, byteCount: prefix)
    let count = Node.count(page)
    var heap = Int(page.u16(Header.heapStart))
    var slot = page + Self.slot(count)
    for index in from..<to {
      copySuffix(source, index, to: scratch + prefix)
      let suffix = ByteKey(scratch + own, prefix &+ suffixLength(source, index) &- own)
      let (rest, value) = (restLength(suffix.count), value(source, index))
      heap &-= 2 &+ rest &+ value.count
      slot.set32(0, suffix.head)
      slot.set16(4, UInt16(truncatingIfNeeded: heap))
      slot.set16(6, UInt16(truncatingIfNeeded: suffix.count))
      slot += slotSize
      let cell = page + heap
      cell.set16(0, value.length)
      if rest > 0 { (cell + 2).copyShort(from: suffix.start + 4, byteCount: rest) }
      (cell + (2 &+ rest)).copyShort(from: value.start, byteCount: value.count)
    }
    page.set16(Header.count, UInt16(truncatingIfNeeded: count &+ to &- from))
    page.set16(Header.heapStart, UInt16(truncatingIfNeeded: heap))
  }

  /// The length of the shortest key that separates an entry from the previous one in the same leaf.
  @inline(__always)
  static func fenceLength(_ page: UnsafeRawPointer, before index: Int) -> Int {
    let before = suffixLength(page, index &- 1)
    let difference = head(page, index &- 1) ^ head(page, index)
    // Zeros that pad a head may look like common bytes.
    if difference != 0 || before <= 4 {
      return prefixLength(page) &+ min(difference.leadingZeroBitCount &>> 3, before) &+ 1
    }
    let one = ByteKey(page + (cellOffset(page, index &- 1) &+ 2), before &- 4)
    let other = ByteKey(page + (cellOffset(page, index) &+ 2), max(0, suffixLength(page, index) &- 4))
    return prefixLength(page) &+ 4 &+ one.commonPrefix(with: other) &+ 1
  }

  /// Assembles an entry's whole key. `target` has room for the longest key.
  static func copyKey(_ page: UnsafeRawPointer, _ index: Int, to target: UnsafeMutableRawPointer) -> ByteKey {
    let prefix = prefixLength(page)
    target.copyMemory(from: low(page).start, byteCount: prefix)
    copySuffix(page, index, to: target + prefix)
    return ByteKey(target, prefix &+ suffixLength(page, index))
  }
}
