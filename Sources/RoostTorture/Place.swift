#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A page of memory in a file. A worker records its next step in it, so that a crash can be
/// attributed to a seed and a step.
///
/// ## Layout
/// ```
///  0  u64  grows with every note
///  8  u64  seed      16  u64  step      24  u32  length of the text      28  text, at most 480 bytes
/// ```
final class Place: @unchecked Sendable {
  // `@unchecked Sendable`: one process writes and the other only reads, and a torn note is
  // harmless.
  let path: String
  private let memory: UnsafeMutableRawPointer
  private static let bytes = 512

  /// Maps the page; nil if that fails.
  init?(_ path: String) {
    self.path = path
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard ftruncate(file, off_t(Self.bytes)) == 0,
      let memory = mmap(nil, Self.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED
    else { return nil }
    self.memory = memory
  }

  deinit { munmap(memory, Self.bytes) }

  func note(_ seed: UInt64, _ step: Int, image: String) {
    memory.storeBytes(of: beat &+ 1, as: UInt64.self)
    memory.storeBytes(of: seed, toByteOffset: 8, as: UInt64.self)
    memory.storeBytes(of: UInt64(clamping: step), toByteOffset: 16, as: UInt64.self)
    var image = image
    image.withUTF8 { text in
      let count = min(text.count, 480)
      memory.storeBytes(of: UInt32(count), toByteOffset: 24, as: UInt32.self)
      if let start = text.baseAddress { (memory + 28).copyMemory(from: start, byteCount: count) }
    }
  }

  var beat: UInt64 { memory.load(as: UInt64.self) }
  var seed: UInt64 { memory.load(fromByteOffset: 8, as: UInt64.self) }
  var step: Int { Int(memory.load(fromByteOffset: 16, as: UInt64.self)) }
  var image: String {
    let count = min(Int(memory.load(fromByteOffset: 24, as: UInt32.self)), 480)
    return String(decoding: UnsafeRawBufferPointer(start: memory + 28, count: count), as: UTF8.self)
  }
}
