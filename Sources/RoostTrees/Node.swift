internal import RoostBytes
internal import RoostPages

/// The offsets of the fields in a page's header: the numbers of ``Page`` again, for the same reason
/// as in ``Node``.
package enum Header {
  package static let kind = 0
  package static let level = 1
  package static let count = 2
  package static let place = 8
  package static let heapStart = 12
  package static let garbage = 14
  package static let stamp = 16
  package static let own = 24
}

/// The common structure of all nodes. The first eight header bytes contain kind, level, count and
/// tree.
package enum Node {
  /// The highest level of a tree. 2^32 pages need at most this many levels with two children in
  /// each branch.
  package static let maximumLevel = 31
  /// The bytes between header and tail.
  package static let room = Node.end - Node.slots

  // The numbers of ``Page`` as constants of this module, so that a search need not load them from
  // another one.
  package static let pageSize = 4096
  package static let slots = 40
  package static let end = 4080
  package static let integerBranch: UInt8 = 1
  package static let integerLeaf: UInt8 = 2
  package static let byteBranch: UInt8 = 3
  package static let byteLeaf: UInt8 = 4
  /// The highest bit of a length: the bytes are an encoded list of extents.
  package static let extentFlag: UInt16 = 0x8000

  /// The first header word, without the count, of a node with this kind, level and tree.
  @inlinable @inline(__always)
  package static func mark(_ kind: UInt8, level: UInt8, tree: UInt32) -> UInt64 {
    UInt64(kind) | UInt64(level) &<< 8 | UInt64(tree) &<< 32
  }

  @inlinable @inline(__always)
  package static func mark(_ page: UnsafeRawPointer) -> UInt64 { page.u64(0) & 0xFFFF_FFFF_0000_FFFF }

  @inlinable @inline(__always)
  package static func level(_ page: UnsafeRawPointer) -> UInt8 { page.u8(Header.level) }

  @inlinable @inline(__always)
  package static func stamp(_ page: UnsafeRawPointer) -> UInt64 { page.u64(Header.stamp) }

  @inlinable @inline(__always)
  package static func count(_ page: UnsafeRawPointer) -> Int { Int(page.u16(Header.count)) }

  /// All ones if `probe` is not above `key`, else 0; without a branch.
  @inlinable @inline(__always)
  package static func mask(_ probe: UInt64, notAbove key: UInt64) -> Int {
    // The highest bit of this is the borrow of key - probe.
    let borrow = (~key & probe) | ((~key | probe) & (key &- probe))
    return Int(truncatingIfNeeded: borrow &>> 63) &- 1
  }

  /// Writes all of the header except place and stamp. The node is empty.
  static func begin(_ page: UnsafeMutableRawPointer, _ kind: UInt8, level: UInt8, tree: UInt32) {
    page.set64(0, mark(kind, level: level, tree: tree))
    page.set16(Header.heapStart, UInt16(Node.end))
    page.set16(Header.garbage, 0)
    page.set64(Header.own, 0)
    page.set64(Header.own + 8, 0)
    (page + Node.end).initializeMemory(as: UInt8.self, repeating: 0, count: Node.pageSize - Node.end)
  }
}

/// A value in a leaf, borrowed from the page.
@usableFromInline package struct StoredValue {
  @usableFromInline package let start: UnsafeRawPointer
  /// The length, with the flag for a list of extents.
  @usableFromInline package let length: UInt16

  @inlinable @inline(__always)
  package init(_ start: UnsafeRawPointer, _ length: UInt16) {
    self.start = start
    self.length = length
  }

  /// Whether the bytes are the list of the value's extents instead of the value.
  @inlinable @inline(__always)
  package var isExtents: Bool { length & 0x8000 != 0 }
  @inlinable @inline(__always)
  package var count: Int { Int(length & 0x7FFF) }
  @inlinable @inline(__always)
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
}

/// The index of a key in a leaf, or the index at which it would be inserted.
package struct Position {
  package let index: Int
  package let isFound: Bool

  @inlinable @inline(__always)
  package init(_ index: Int, _ isFound: Bool) {
    self.index = index
    self.isFound = isFound
  }
}
