import RoostBytes

/// Memory that grows while bytes are appended. It is reused after `clear`.
final class ByteSink {
  private(set) var start: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var room: Int

  init(room: Int = 1024) {
    self.room = room
    start = .allocate(capacity: room)
  }

  deinit { start.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  @inline(__always)
  func clear() { count = 0 }

  @inline(__always)
  func reserve(_ more: Int) {
    if count &+ more > room { grow(more) }
  }

  @inline(never)
  private func grow(_ more: Int) {
    room = (count + more) * 2
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: room)
    larger.update(from: start, count: count)
    start.deallocate()
    start = larger
  }

  @inline(__always)
  func append(_ byte: UInt8) {
    reserve(1)
    start[count] = byte
    count &+= 1
  }

  @inline(__always)
  func appendNumber(_ value: UInt64) {
    reserve(Varint.most)
    if value < 128 {
      start[count] = UInt8(truncatingIfNeeded: value)
      count &+= 1
    } else {
      count &+= Varint.encode(value, to: UnsafeMutableRawPointer(start + count))
    }
  }

  @inline(__always)
  func appendNumber(_ value: Int) { appendNumber(UInt64(bitPattern: Int64(value))) }

  func appendSigned(_ value: Int64) { appendNumber(UInt64(bitPattern: value << 1 ^ value >> 63)) }

  func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: bytes.count)
    count &+= bytes.count
  }

  /// Appends numbers of `width` bits each, the lowest bit first. They must fit into it, and it is at most 32.
  func append(packed numbers: UnsafePointer<UInt32>, _ count: Int, width: Int) {
    if width == 0 || count <= 0 { return }
    reserve((count * width) >> 3 + 16)
    var at = self.count
    var (word, filled) = (UInt64(0), UInt64(0))
    for place in 0..<count {
      word |= UInt64(numbers[place]) << filled
      filled &+= UInt64(truncatingIfNeeded: width)
      if filled >= 32 {
        UnsafeMutableRawPointer(start + at).storeBytes(
          of: UInt32(truncatingIfNeeded: word).littleEndian, as: UInt32.self)
        at &+= 4
        word >>= 32
        filled &-= 32
      }
    }
    while filled > 0 {
      start[at] = UInt8(truncatingIfNeeded: word)
      at &+= 1
      word >>= 8
      filled = filled > 8 ? filled &- 8 : 0
    }
    self.count = at
  }

  /// Writes the low bytes of a number, the lowest first.
  func appendFixed(_ value: UInt64, width: Int) {
    reserve(8)
    var rest = value
    for offset in 0..<width {
      start[count + offset] = UInt8(truncatingIfNeeded: rest)
      rest >>= 8
    }
    count += width
  }
}
