/// Bytes that are written once and then only read, from any thread.
///
/// It is not an array, because an array's bytes have no address that outlives a closure, and the
/// loops over elements pass addresses to C.
///
/// Unchecked because of the pointer: nothing writes through it after `init`.
final class ByteBlock: @unchecked Sendable {
  let base: UnsafeRawPointer
  let count: Int

  init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    fill(bytes)
    base = UnsafeRawPointer(bytes.baseAddress!)
    self.count = count
  }

  deinit {
    base.deallocate()
  }

  @inline(__always)
  func bytes(at offset: Int, count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + offset, count: count)
  }

  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }
}
