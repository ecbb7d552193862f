internal import RoostBytes
internal import RoostPages

/// The common structure of leaves and branches with byte keys: fences, a stripped prefix, and slots
/// that contain most of the order.
///
/// A node stores its low fence (the lowest key that belongs here) and its high fence (the first
/// that does not). Every key between them begins with their common prefix. So the prefix is not
/// stored with the keys, and a search need not compare it. The rest of a key is its suffix.
///
/// ## Layout
/// ```
/// 24  u16  length of the prefix
/// 26  u16  length of the low fence
/// 28  u16  length of the high fence; 0xFFFF if the node has no upper bound
/// 30  10 bytes, zero
/// 40  slots {u32 head, u16 cell, u16 suffix length}, ascending
///     free
///     heap: the cells, from heapStart
///     high fence
///     low fence, up to 4080
/// ```
/// The head is the suffix's first four bytes as a number, padded with zeros. Only the slot stores
/// them. A cell holds the suffix from its fifth byte on, which is called the rest:
/// ```
/// leaf:    u16 value length with the extent flag | rest | value
/// branch:  child (20 bytes)                      | rest
/// ```
/// A branch's first entry has an empty suffix: its key is the low fence.
package enum ByteNode {
  package static let prefixField = Header.own
  package static let lowField = Header.own + 2
  package static let highField = Header.own + 4
  package static let unbounded: UInt16 = 0xFFFF
  package static let slotSize = 8

  @inlinable @inline(__always)
  package static func slot(_ index: Int) -> Int { Node.slots &+ index &* slotSize }

  @inlinable @inline(__always)
  package static func head(_ page: UnsafeRawPointer, _ index: Int) -> UInt32 { page.u32(slot(index)) }

  @inlinable @inline(__always)
  package static func cellOffset(_ page: UnsafeRawPointer, _ index: Int) -> Int { Int(page.u16(slot(index) &+ 4)) }

  @inlinable @inline(__always)
  package static func suffixLength(_ page: UnsafeRawPointer, _ index: Int) -> Int { Int(page.u16(slot(index) &+ 6)) }

  @inlinable @inline(__always)
  package static func restLength(_ suffixLength: Int) -> Int { max(0, suffixLength &- 4) }

  @inlinable @inline(__always)
  package static func prefixLength(_ page: UnsafeRawPointer) -> Int { Int(page.u16(prefixField)) }

  /// The number of bytes of a cell before the rest.
  @inlinable @inline(__always)
  package static func cellHead(_ page: UnsafeRawPointer) -> Int {
    page.u8(Header.kind) == Node.byteLeaf ? 2 : Child.size
  }

  package static func low(_ page: UnsafeRawPointer) -> ByteKey {
    let length = Int(page.u16(lowField))
    return ByteKey(page + (Node.end &- length), length)
  }

  /// The high fence; nil if the node has no upper bound.
  package static func high(_ page: UnsafeRawPointer) -> ByteKey? {
    let length = page.u16(highField)
    if length == unbounded { return nil }
    return ByteKey(page + (Node.end &- Int(page.u16(lowField)) &- Int(length)), Int(length))
  }

  /// The end of the heap, where the fences begin.
  package static func heapEnd(_ page: UnsafeRawPointer) -> Int {
    let high = page.u16(highField)
    return Node.end &- Int(page.u16(lowField)) &- (high == unbounded ? 0 : Int(high))
  }

  @inlinable @inline(__always)
  package static func value(_ page: UnsafeRawPointer, _ index: Int) -> StoredValue {
    let cell = page + cellOffset(page, index)
    return StoredValue(cell + (2 &+ restLength(suffixLength(page, index))), cell.u16(0))
  }

  static func cellSize(_ page: UnsafeRawPointer, _ index: Int) -> Int {
    let rest = restLength(suffixLength(page, index))
    if page.u8(Header.kind) == Node.byteBranch { return Child.size &+ rest }
    return 2 &+ rest &+ Int(page.u16(cellOffset(page, index)) & ~Node.extentFlag)
  }

  /// Writes the entry's suffix, beginning with its byte `from`, to `target`.
  @inlinable
  package static func copySuffix(
    _ page: UnsafeRawPointer, _ index: Int, to target: UnsafeMutableRawPointer
  ) {
    let length = suffixLength(page, index)
    let head = Self.head(page, index).bigEndian
    if length >= 4 {
      target.storeBytes(of: head, as: UInt32.self)
      let rest = page + (cellOffset(page, index) &+ cellHead(page))
      (target + 4).copyMemory(from: rest, byteCount: length &- 4)
    } else {
      var offset = 0
      while offset < length {
        target.set8(offset, UInt8(truncatingIfNeeded: head &>> UInt32(8 &* offset)))
        offset &+= 1
      }
    }
  }

  /// The last bytes of an entry's key if they are contiguous in its leaf, else nil.
  @inlinable @inline(__always)
  static func tail(_ page: UnsafeRawPointer, index: Int, count: Int) -> UnsafeRawPointer? {
    let rest = restLength(suffixLength(page, index))
    if count > rest { return nil }
    return page + (cellOffset(page, index) &+ 2 &+ rest &- count)
  }

  /// An entry's whole key.
  package static func key(_ page: UnsafeRawPointer, _ index: Int) -> [UInt8] {
    let low = low(page)
    if index == 0, Node.level(page) > 0 { return [UInt8](low.bytes) }
    let prefix = prefixLength(page)
    let length = prefix + suffixLength(page, index)
    // The empty array is shared by all threads, and must not be initialized again.
    if length == 0 { return [] }
    return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      if let target = buffer.baseAddress.map({ UnsafeMutableRawPointer($0) }) {
        target.copyMemory(from: low.start, byteCount: prefix)
        copySuffix(page, index, to: target + prefix)
      }
      count = length
    }
  }
}
