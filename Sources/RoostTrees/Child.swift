internal import RoostBytes
package import RoostPages

/// A branch's entry for one child: its place, its checksum and the number of entries below it.
///
/// ## Layout
/// ```
///  0  u32  place
///  4  u64  check     0 while the child was not written since
/// 12  u64  count     entries below, at all levels
/// ```
package enum Child {
  package static let size = 20
  package static let place = 0
  package static let check = 4
  package static let count = 12

  @inlinable @inline(__always)
  package static func reference(_ cell: UnsafeRawPointer) -> PageReference {
    PageReference(PageID(cell.u32(place)), check: cell.u64(check))
  }

  @inlinable @inline(__always)
  package static func count(_ cell: UnsafeRawPointer) -> UInt64 { cell.u64(count) }

  static func write(_ cell: UnsafeMutableRawPointer, _ page: PageID, count entries: UInt64) {
    cell.set32(place, page.place)
    cell.set64(check, 0)
    cell.set64(count, entries)
  }

  static func move(_ cell: UnsafeMutableRawPointer, to page: PageID) {
    cell.set32(place, page.place)
    cell.set64(check, 0)
  }
}

/// A branch of either kind of key, for walks that do not read keys.
package enum Branch {
  /// The entry's child cell. The entry must exist.
  @inlinable @inline(__always)
  package static func cell(_ page: UnsafeRawPointer, _ index: Int) -> UnsafeRawPointer {
    page.u8(Header.kind) == Node.integerBranch
      ? page + IntegerBranch.cellOffset(index) : page + ByteNode.cellOffset(page, index)
  }

  @inlinable @inline(__always)
  package static func count(_ page: UnsafeRawPointer) -> Int { Int(page.u16(Header.count)) }

  @inlinable
  package static func reference(_ page: UnsafeRawPointer, _ index: Int) -> PageReference {
    Child.reference(cell(page, index))
  }

  static func mutableCell(_ page: UnsafeMutableRawPointer, _ index: Int) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(mutating: cell(page, index))
  }

  /// The entries below the children `from ..< to`.
  package static func sum(_ page: UnsafeRawPointer, from: Int, to: Int) -> UInt64 {
    var sum: UInt64 = 0
    var index = from
    while index < to {
      sum &+= Child.count(cell(page, index))
      index &+= 1
    }
    return sum
  }

  /// The entries below a node of any level.
  package static func total(_ page: UnsafeRawPointer) -> UInt64 {
    Node.level(page) == 0 ? UInt64(count(page)) : sum(page, from: 0, to: count(page))
  }
}
