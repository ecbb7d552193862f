internal import RoostBytes
internal import RoostPages

/// A branch whose keys are 64-bit integers.
///
/// The keys are stored separately, so that a search reads nothing else.
///
/// ## Layout
/// ```
///   24  u64  low      equals the first key
///   32  u64  high     0 if the node has no upper bound
///   40  144 × u64     keys: the low fence of each child
/// 1192  144 × 20      children
/// 4072  8 bytes, zero
/// ```
package enum IntegerBranch {
  package static let capacity = 144
  package static let low = Header.own
  package static let high = Header.own + 8
  package static let cells = Node.slots + capacity * 8

  @inlinable @inline(__always)
  package static func keyOffset(_ index: Int) -> Int { Node.slots &+ index &* 8 }

  @inlinable @inline(__always)
  package static func cellOffset(_ index: Int) -> Int { cells &+ index &* Child.size }

  @inlinable @inline(__always)
  package static func key(_ page: UnsafeRawPointer, _ index: Int) -> UInt64 { page.u64(keyOffset(index)) }

  /// The child whose range contains `key`.
  @inlinable @inline(__always)
  package static func child(_ page: UnsafeRawPointer, _ key: UInt64) -> Int {
    var index = 0
    var rest = Node.count(page)
    while rest > 1 {
      let half = rest &>> 1
      index &+= half & Node.mask(Self.key(page, index &+ half), notAbove: key)
      rest &-= half
    }
    return index
  }

  /// Opens or closes a gap, so that `adding` entries can replace `dropping` ones.
  static func shift(_ page: UnsafeMutableRawPointer, at index: Int, dropping: Int, adding: Int) {
    let count = Node.count(page)
    let behind = count &- index &- dropping
    (page + keyOffset(index &+ adding)).copyMemory(from: page + keyOffset(index &+ dropping), byteCount: behind &* 8)
    (page + cellOffset(index &+ adding)).copyMemory(
      from: page + cellOffset(index &+ dropping), byteCount: behind &* Child.size)
    page.set16(Header.count, UInt16(truncatingIfNeeded: count &- dropping &+ adding))
  }
}
