internal import RoostBytes
internal import RoostPages

extension ByteNode {
  /// The last slot whose head is not greater than `head`; the first if there is none. The node must
  /// not be empty.
  ///
  /// It has no branch on the comparison, because half of those would be predicted wrongly.
  @inlinable @inline(__always)
  package static func lastSlot(_ page: UnsafeRawPointer, notAbove head: UInt32) -> Int {
    let sought = Int(head)
    var base = 0
    var rest = Node.count(page)
    while rest > 1 {
      let half = rest &>> 1
      // All ones if the probed head is not greater, else 0.
      let mask = (Int(Self.head(page, base &+ half)) &- sought &- 1) &>> 63
      base &+= half & mask
      rest &-= half
    }
    return base
  }

  /// Compares a suffix with an entry's, whose head is equal.
  @inlinable @inline(__always)
  package static func compareRest(_ page: UnsafeRawPointer, _ index: Int, suffix: ByteKey) -> Int {
    let length = suffixLength(page, index)
    // Heads are equal, so if either key ends within the head, the shorter one is a prefix of the
    // longer one.
    if length <= 4 || suffix.count <= 4 { return suffix.count &- length }
    let rest = page + (cellOffset(page, index) &+ cellHead(page))
    return suffix.dropping(4).compare(ByteKey(rest, length &- 4))
  }

  /// The first leaf entry whose key is not below `key`. The key must begin with the node's prefix.
  @inlinable @inline(__always)
  package static func search(_ page: UnsafeRawPointer, _ key: ByteKey) -> Position {
    if Node.count(page) == 0 { return Position(0, false) }
    let suffix = key.dropping(prefixLength(page))
    let head = suffix.head
    let index = lastSlot(page, notAbove: head)
    let found = Self.head(page, index)
    if found != head { return Position(found < head ? index &+ 1 : index, false) }
    if index == 0 || Self.head(page, index &- 1) != head {
      let order = compareRest(page, index, suffix: suffix)
      return Position(order > 0 ? index &+ 1 : index, order == 0)
    }
    return searchEqual(page, index, suffix: suffix, head: head)
  }

  /// The child whose range contains `key`. The key must begin with the node's prefix.
  @inlinable @inline(__always)
  package static func child(_ page: UnsafeRawPointer, _ key: ByteKey) -> Int {
    let suffix = key.dropping(prefixLength(page))
    let head = suffix.head
    let index = lastSlot(page, notAbove: head)
    if index == 0 || Self.head(page, index) != head { return index }
    if compareRest(page, index, suffix: suffix) >= 0 { return index }
    if Self.head(page, index &- 1) != head { return index &- 1 }
    let position = searchEqual(page, index, suffix: suffix, head: head)
    return position.isFound ? position.index : max(0, position.index &- 1)
  }

  /// Searches the entries whose head is `head`, the last of which is `last`.
  @inlinable @inline(never)
  package static func searchEqual(
    _ page: UnsafeRawPointer, _ last: Int, suffix: ByteKey, head: UInt32
  ) -> Position {
    var low = 0
    var high = last
    while low < high {
      let middle = (low &+ high) &>> 1
      if Self.head(page, middle) < head { low = middle &+ 1 } else { high = middle }
    }
    high = last &+ 1
    while low < high {
      let middle = (low &+ high) &>> 1
      let order = compareRest(page, middle, suffix: suffix)
      if order == 0 { return Position(middle, true) }
      if order > 0 { low = middle &+ 1 } else { high = middle }
    }
    return Position(low, false)
  }

  /// Whether the key is between the node's fences.
  static func covers(_ page: UnsafeRawPointer, _ key: ByteKey) -> Bool {
    guard key.compare(low(page)) >= 0 else { return false }
    guard let high = high(page) else { return true }
    return key.compare(high) < 0
  }
}
