/// The bytes of one row, in memory that is reused.
struct RowBytes: ~Copyable {
  private var memory: UnsafeMutableRawPointer
  private var capacity = 4096
  private(set) var count = 0

  init() { memory = .allocate(byteCount: 4096, alignment: 8) }

  deinit { memory.deallocate() }

  var start: UnsafeRawPointer { UnsafeRawPointer(memory) }
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  mutating func make(_ bytes: Int) -> UnsafeMutableRawPointer {
    if bytes > capacity {
      memory.deallocate()
      capacity = bytes
      memory = .allocate(byteCount: bytes, alignment: 8)
    }
    count = bytes
    return memory
  }
}
