public import RoostBytes

/// The header of every page of a tree or of the free map.
///
/// ## Layout
/// ```
///  0  u8   kind
///  1  u8   level       0 for a leaf
///  2  u16  count       entries
///  4  u32  tree
///  8  u32  place       its own
/// 12  u16  heapStart   lowest byte in use above the slots
/// 14  u16  garbage     dead bytes in the heap
/// 16  u64  stamp       the step of the transaction that made it
/// 24  16 bytes that belong to the kind
/// 40  slots, growing up; the heap grows down from 4080
/// 4080 16 bytes reserved for an encryption tag, zero
/// ```
@usableFromInline package enum Page {
  @inlinable package static var size: Int { 4096 }
  @inlinable package static var headerSize: Int { 40 }
  /// The end of the usable bytes; the rest is reserved for an encryption tag.
  @inlinable package static var end: Int { 4080 }

  /// The tree that holds the roots of all others.
  @inlinable package static var catalogTree: UInt32 { 0 }

  @usableFromInline package enum Kind: UInt8, Sendable {
    case integerBranch = 1
    case integerLeaf = 2
    case byteBranch = 3
    case byteLeaf = 4
    case freeMap = 5
    case freeDirectory = 6
  }

  @usableFromInline package enum Field {
    @inlinable package static var kind: Int { 0 }
    @inlinable package static var level: Int { 1 }
    @inlinable package static var count: Int { 2 }
    @inlinable package static var tree: Int { 4 }
    @inlinable package static var place: Int { 8 }
    @inlinable package static var heapStart: Int { 12 }
    @inlinable package static var garbage: Int { 14 }
    @inlinable package static var stamp: Int { 16 }
    @inlinable package static var own: Int { 24 }
  }

  @inlinable @inline(__always)
  package static func stamp(_ page: UnsafeRawPointer) -> UInt64 { page.u64(Field.stamp) }

  @inlinable @inline(__always)
  package static func level(_ page: UnsafeRawPointer) -> UInt8 { page.u8(Field.level) }

  @inlinable @inline(__always)
  package static func kind(_ page: UnsafeRawPointer) -> Kind? { Kind(rawValue: page.u8(Field.kind)) }
}
