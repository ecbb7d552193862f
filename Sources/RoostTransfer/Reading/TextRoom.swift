internal import RoostFile

/// A growing memory of bytes, which is reused.
package struct TextRoom: ~Copyable {
  private var memory: UnsafeMutableRawBufferPointer
  package private(set) var count = 0

  package init(room: Int) throws { memory = try Room.take(max(room, 64)) }

  deinit { Room.give(memory) }

  package var start: UnsafePointer<UInt8> {
    UnsafePointer(memory.baseAddress!.assumingMemoryBound(to: UInt8.self))
  }
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  package mutating func clear() { count = 0 }

  /// Memory after the present bytes, for at least `bytes` more. Written bytes count after
  /// ``add(_:)``.
  package mutating func room(_ bytes: Int) throws -> UnsafeMutableRawBufferPointer {
    if memory.count - count < bytes { try grow(bytes) }
    return UnsafeMutableRawBufferPointer(rebasing: memory[count...])
  }

  package mutating func add(_ bytes: Int) { count += bytes }

  /// Removes the first bytes.
  mutating func drop(first bytes: Int) {
    memory.baseAddress!.copyMemory(from: memory.baseAddress! + bytes, byteCount: count - bytes)
    count -= bytes
  }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
    if bytes.isEmpty { return }
    try room(bytes.count).copyMemory(from: bytes)
    count += bytes.count
  }

  package mutating func append(_ byte: UInt8) throws {
    if memory.count == count { try grow(1) }
    memory[count] = byte
    count += 1
  }

  @inline(never)
  private mutating func grow(_ bytes: Int) throws {
    let larger = try Room.take(max(count + bytes, memory.count * 2))
    larger.copyMemory(from: self.bytes)
    Room.give(memory)
    memory = larger
  }
}
