internal import RoostBytes

/// The bytes of a key or a row under construction, in memory that is reused for the next one.
package struct ByteBuffer: ~Copyable {
  package private(set) var memory: UnsafeMutableRawPointer
  private var capacity: Int
  package private(set) var count = 0

  package init(capacity: Int = 1024) {
    self.capacity = max(capacity, 64)
    memory = .allocate(byteCount: self.capacity, alignment: 8)
  }

  deinit { memory.deallocate() }

  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  package mutating func clear() { count = 0 }
  /// Removes the last bytes.
  @inline(__always)
  mutating func drop(_ bytes: Int) { count &-= bytes }
  package mutating func cut(to length: Int) { count = min(count, length) }

  /// Appends room for `bytes` bytes, which the caller fills.
  @inline(__always)
  mutating func take(_ bytes: Int) -> UnsafeMutableRawPointer {
    if count &+ bytes > capacity { grow(bytes) }
    defer { count &+= bytes }
    return memory + count
  }

  @inline(never)
  private mutating func grow(_ bytes: Int) {
    capacity = max(capacity * 2, count + bytes)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    larger.copyMemory(from: memory, byteCount: count)
    memory.deallocate()
    memory = larger
  }

  package mutating func append(_ byte: UInt8) { take(1).set8(0, byte) }
  package mutating func append(big word: UInt64) { take(8).set64(0, word.byteSwapped) }
  package mutating func append(big half: UInt32) { take(4).set32(0, half.byteSwapped) }
  package mutating func append(big short: UInt16) { take(2).set16(0, short.byteSwapped) }
  package mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    let memory = take(bytes.count)
    if bytes.count <= 64 {
      memory.copyShort(from: start, byteCount: bytes.count)
    } else {
      memory.copyMemory(from: start, byteCount: bytes.count)
    }
  }

  /// Inverts all bytes from `start` on, so that they sort in the opposite order.
  package mutating func complement(from start: Int) {
    for index in start..<count { memory.set8(index, ~memory.u8(index)) }
  }
}
