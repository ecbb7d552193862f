internal import RoostBytes

/// A borrowed key: its owner keeps the bytes alive during the call.
///
/// Keys are ordered by their bytes. A key comes after its own prefixes.
package struct ByteKey {
  package let start: UnsafeRawPointer
  package let count: Int

  @inlinable @inline(__always)
  package init(_ start: UnsafeRawPointer, _ count: Int) {
    self.start = start
    self.count = count
  }

  @inlinable @inline(__always)
  package init(_ bytes: UnsafeRawBufferPointer) {
    // An empty buffer may have no address; this one is never read.
    start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8)!
    count = bytes.count
  }

  package static var empty: ByteKey { ByteKey(UnsafeRawBufferPointer(start: nil, count: 0)) }

  @inlinable @inline(__always)
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  /// The key without its first `length` bytes.
  @inlinable @inline(__always)
  package func dropping(_ length: Int) -> ByteKey { ByteKey(start + length, count &- length) }

  /// The next four bytes as a big-endian number, padded with zeros, so that it sorts as the bytes
  /// do.
  @inlinable @inline(__always)
  package var head: UInt32 {
    if count >= 4 { return UInt32(bigEndian: start.loadUnaligned(as: UInt32.self)) }
    return shortHead
  }

  @inlinable
  package var shortHead: UInt32 {
    var head: UInt32 = 0
    var index = 0
    while index < count {
      head |= UInt32(start.u8(index)) &<< UInt32(24 &- 8 &* index)
      index &+= 1
    }
    return head
  }

  /// Negative, zero or positive, if this key sorts before, with or after the other one.
  @inlinable
  package func compare(_ other: ByteKey) -> Int {
    let shared = min(count, other.count)
    if shared >= 8 {
      var offset = 0
      repeat {
        let left = UInt64(bigEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let right = UInt64(bigEndian: other.start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        if left != right { return left < right ? -1 : 1 }
        // The last word overlaps the previous one, so that no byte is compared alone.
        offset = offset &+ 16 <= shared || offset &+ 8 == shared ? offset &+ 8 : shared &- 8
      } while offset < shared
      return count &- other.count
    }
    var offset = 0
    while offset < shared {
      let left = start.u8(offset)
      let right = other.start.u8(offset)
      if left != right { return left < right ? -1 : 1 }
      offset &+= 1
    }
    return count &- other.count
  }

  /// The length of the common prefix of both keys.
  package func commonPrefix(with other: ByteKey) -> Int {
    let shared = min(count, other.count)
    var offset = 0
    while offset &+ 8 <= shared {
      let difference =
        UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        ^ UInt64(littleEndian: other.start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      if difference != 0 { return offset &+ difference.trailingZeroBitCount &>> 3 }
      offset &+= 8
    }
    while offset < shared, start.u8(offset) == other.start.u8(offset) { offset &+= 1 }
    return offset
  }
}
