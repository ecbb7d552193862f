/// Little-endian words at any offset of raw memory.
extension UnsafeRawPointer {
  @inlinable @inline(__always)
  package func u16(_ offset: Int) -> UInt16 {
    UInt16(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  @inlinable @inline(__always)
  package func u32(_ offset: Int) -> UInt32 {
    UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inlinable @inline(__always)
  package func u64(_ offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inlinable @inline(__always)
  package func u8(_ offset: Int) -> UInt8 { load(fromByteOffset: offset, as: UInt8.self) }
}

extension UnsafeMutableRawPointer {
  @inlinable @inline(__always)
  package func u8(_ offset: Int) -> UInt8 { load(fromByteOffset: offset, as: UInt8.self) }
  @inlinable @inline(__always)
  package func u16(_ offset: Int) -> UInt16 { UnsafeRawPointer(self).u16(offset) }
  @inlinable @inline(__always)
  package func u32(_ offset: Int) -> UInt32 { UnsafeRawPointer(self).u32(offset) }
  @inlinable @inline(__always)
  package func u64(_ offset: Int) -> UInt64 { UnsafeRawPointer(self).u64(offset) }

  @inlinable @inline(__always)
  package func set8(_ offset: Int, _ value: UInt8) { storeBytes(of: value, toByteOffset: offset, as: UInt8.self) }
  @inlinable @inline(__always)
  package func set16(_ offset: Int, _ value: UInt16) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt16.self)
  }
  @inlinable @inline(__always)
  package func set32(_ offset: Int, _ value: UInt32) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
  }
  @inlinable @inline(__always)
  package func set64(_ offset: Int, _ value: UInt64) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
  }

  /// Copies bytes, usually few, without the call of a general copy. The two ranges must not
  /// overlap.
  @inlinable @inline(__always)
  package func copyShort(from source: UnsafeRawPointer, byteCount count: Int) {
    if count >= 8 {
      let last = count &- 8
      var offset = 0
      while offset < last {
        storeBytes(
          of: source.loadUnaligned(fromByteOffset: offset, as: UInt64.self), toByteOffset: offset, as: UInt64.self)
        offset &+= 8
      }
      // The last word overlaps the one before it.
      storeBytes(of: source.loadUnaligned(fromByteOffset: last, as: UInt64.self), toByteOffset: last, as: UInt64.self)
    } else {
      copyFewer(from: source, byteCount: count)
    }
  }

  @inlinable @inline(__always)
  package func copyFewer(from source: UnsafeRawPointer, byteCount count: Int) {
    if count >= 4 {
      let last = count &- 4
      storeBytes(of: source.loadUnaligned(as: UInt32.self), as: UInt32.self)
      storeBytes(of: source.loadUnaligned(fromByteOffset: last, as: UInt32.self), toByteOffset: last, as: UInt32.self)
    } else {
      var offset = 0
      while offset < count {
        set8(offset, source.u8(offset))
        offset &+= 1
      }
    }
  }
}
