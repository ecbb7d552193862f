internal import RoostBytes
internal import RoostPages

extension ByteNode {
  /// Moves a few entries from a full leaf to a neighbour, and inserts a new entry for which there
  /// was no room.
  ///
  /// Returns false and changes nothing if there is too little room, or if the new border changes
  /// the prefix that is stripped from the keys of either leaf. Then all its entries must be written
  /// again.
  ///
  /// - Parameter toLeft: whether the right one of the two is full, else the left one.
  static func shift(
    _ left: UnsafeMutableRawPointer, _ right: UnsafeMutableRawPointer, toLeft: Bool, key: ByteKey, value: StoredValue,
    by scratch: UnsafeMutableRawPointer
  ) -> Bool {
    let (source, target) = toLeft ? (right, left) : (left, right)
    let count = Node.count(source)
    let (own, ownThere) = (size(key, value, in: source), size(key, value, in: target))
    let wanted = (used(source) &+ own &- used(target)) / 2
    guard count > 1, let cut = border(source, toLeft: toLeft, moving: wanted) else { return false }
    let next = copyKey(source, cut, to: scratch)
    let fence = ByteKey(next.start, fenceLength(source, before: cut))
    guard prefixLength(between: low(left), fence) == prefixLength(left),
      prefixLength(between: fence, high(right)) == prefixLength(right)
    else { return false }
    let moving = toLeft ? 0..<cut : cut..<count
    let growth = prefixLength(source) &- prefixLength(target)
    var (less, more) = (0, 0)
    for index in moving {
      let suffix = suffixLength(source, index)
      let rest = slotSize &+ 2 &+ Int(source.u16(cellOffset(source, index)) & ~Node.extentFlag)
      less &+= rest &+ restLength(suffix)
      more &+= rest &+ restLength(suffix &+ growth)
    }
    let goesLeft = key.compare(fence) < 0
    let longer = max(0, fence.count &- low(right).count)
    guard more &+ longer &+ (goesLeft == toLeft ? ownThere : 0) <= free(target),
      longer &+ (goesLeft == toLeft ? 0 : own) <= free(source) &+ less
    else { return false }
    let keys = scratch + Limits.keyBytes
    for index in moving {
      let at = toLeft ? Node.count(target) : index &- cut
      let isDone = insert(target, at: at, key: copyKey(source, index, to: keys), value: self.value(source, index))
      precondition(isDone, "room was counted")
    }
    remove(source, from: moving.lowerBound, to: moving.upperBound)
    setBorder(left, low: nil, high: fence, by: keys)
    setBorder(right, low: fence, high: nil, by: keys)
    let page = goesLeft ? left : right
    let isDone = insert(page, at: search(page, key).index, key: key, value: value)
    precondition(isDone, "room was counted")
    return true
  }

  /// The room for three keys that ``shift(_:_:toLeft:key:value:by:)`` needs.
  static let shiftBytes = 3 * Limits.keyBytes + 64

  /// The free bytes of a leaf.
  private static func free(_ page: UnsafeRawPointer) -> Int { heapEnd(page) &- Node.slots &- used(page) }

  private static func size(_ key: ByteKey, _ value: StoredValue, in page: UnsafeRawPointer) -> Int {
    slotSize &+ 2 &+ restLength(key.count &- prefixLength(page)) &+ value.count
  }

  /// The first entry right of a new border that moves about `wanted` bytes. Among nearby entries it
  /// is the one with the shortest fence.
  private static func border(_ page: UnsafeRawPointer, toLeft: Bool, moving wanted: Int) -> Int? {
    let count = Node.count(page)
    var (cut, bytes) = (toLeft ? 0 : count, 0)
    while bytes < wanted, toLeft ? cut < count &- 1 : cut > 1 {
      if !toLeft { cut &-= 1 }
      bytes &+= slotSize &+ cellSize(page, cut)
      if toLeft { cut &+= 1 }
    }
    guard bytes > 0 else { return nil }
    var (best, length) = (cut, Int.max)
    for candidate in max(1, cut &- 2)...min(count &- 1, cut &+ 2) {
      let found = fenceLength(page, before: candidate)
      if found < length { (best, length) = (candidate, found) }
    }
    return best
  }

  /// Changes the low or high fence of a leaf. Its keys must keep the same prefix. There must be
  /// room.
  private static func setBorder(
    _ page: UnsafeMutableRawPointer, low newLow: ByteKey?, high newHigh: ByteKey?, by scratch: UnsafeMutableRawPointer
  ) {
    func kept(_ key: ByteKey, _ memory: UnsafeMutableRawPointer) -> ByteKey {
      memory.copyMemory(from: key.start, byteCount: key.count)
      return ByteKey(memory, key.count)
    }
    let low = newLow ?? kept(Self.low(page), scratch)
    let high = newHigh ?? Self.high(page).map { kept($0, scratch + Limits.keyBytes) }
    let end = Node.end &- low.count &- (high?.count ?? 0)
    let distance = end &- heapEnd(page)
    if distance != 0 {
      let count = Node.count(page)
      if Int(page.u16(Header.heapStart)) &+ distance < slot(count) { compact(page, leavingOut: -1) }
      let heap = Int(page.u16(Header.heapStart))
      (page + (heap &+ distance)).copyMemory(from: page + heap, byteCount: heapEnd(page) &- heap)
      page.set16(Header.heapStart, UInt16(truncatingIfNeeded: heap &+ distance))
      for index in 0..<count {
        page.set16(slot(index) &+ 4, UInt16(truncatingIfNeeded: cellOffset(page, index) &+ distance))
      }
    }
    page.set16(lowField, UInt16(truncatingIfNeeded: low.count))
    page.set16(highField, high.map { UInt16(truncatingIfNeeded: $0.count) } ?? unbounded)
    (page + (Node.end &- low.count)).copyMemory(from: low.start, byteCount: low.count)
    if let high { (page + end).copyMemory(from: high.start, byteCount: high.count) }
  }
}
