/// A block of memory that many contents share. It is changed only while a single content holds it.
final class Block: @unchecked Sendable {
  // Unchecked because the bytes change only if `isKnownUniquelyReferenced` is true, or before the
  // block is shared.
  let start: UnsafeMutableRawPointer
  let count: Int

  /// A block of zeros.
  init(count: Int) {
    self.count = count
    start = .allocate(byteCount: count, alignment: 16)
    start.initializeMemory(as: UInt8.self, repeating: 0, count: count)
  }

  init(copying bytes: UnsafeRawBufferPointer) {
    count = bytes.count
    start = .allocate(byteCount: max(bytes.count, 1), alignment: 16)
    if let source = bytes.baseAddress { start.copyMemory(from: source, byteCount: bytes.count) }
  }

  deinit { start.deallocate() }

  func bytes(_ from: Int, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start + from, count: count)
  }
}

/// The bytes of a file, in chunks that copies share until one of them writes.
///
/// A copy costs one retain, and the first write after it one array of references and one chunk. So
/// the image of a crash costs as much as its changes. A chunk that is nil, or after the end of the
/// array, is zeros.
///
/// `write` does not change the size: a crash can keep the bytes of a write and lose its growth, or
/// the other way round. Bytes after the size are not visible. A later growth shows them, unless
/// `cut` comes between.
struct Content: Sendable {
  static let chunkBytes = 4096

  private(set) var size = 0
  private var chunks: [Block?] = []

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    guard offset < size, let target = buffer.baseAddress else { return 0 }
    let wanted = min(buffer.count, size - offset)
    var done = 0
    while done < wanted {
      let index = (offset + done) / Self.chunkBytes
      let inside = (offset + done) % Self.chunkBytes
      let count = min(wanted - done, Self.chunkBytes - inside)
      if index < chunks.count, let chunk = chunks[index] {
        (target + done).copyMemory(from: chunk.start + inside, byteCount: count)
      } else {
        (target + done).initializeMemory(as: UInt8.self, repeating: 0, count: count)
      }
      done += count
    }
    return wanted
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard let source = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let inside = (offset + done) % Self.chunkBytes
      let count = min(bytes.count - done, Self.chunkBytes - inside)
      let chunk = own((offset + done) / Self.chunkBytes)
      (chunk + inside).copyMemory(from: source + done, byteCount: count)
      done += count
    }
  }

  /// Changes the size without changing a byte.
  mutating func grow(to bytes: Int) { size = bytes }

  /// Changes the size and discards every byte after it.
  mutating func cut(to bytes: Int) {
    size = bytes
    let whole = bytes / Self.chunkBytes
    let rest = bytes % Self.chunkBytes
    let kept = whole + (rest > 0 ? 1 : 0)
    if chunks.count > kept { chunks.removeLast(chunks.count - kept) }
    if rest > 0, whole < chunks.count, chunks[whole] != nil {
      (own(whole) + rest).initializeMemory(as: UInt8.self, repeating: 0, count: Self.chunkBytes - rest)
    }
  }

  func bytes() -> [UInt8] {
    var result = [UInt8](repeating: 0, count: size)
    _ = result.withUnsafeMutableBytes { read(into: $0, at: 0) }
    return result
  }

  /// The chunk at `index`, held by this content only. The pointer is valid until the next change.
  private mutating func own(_ index: Int) -> UnsafeMutableRawPointer {
    while chunks.count <= index { chunks.append(nil) }
    if !isKnownUniquelyReferenced(&chunks[index]) {
      if let shared = chunks[index] {
        chunks[index] = Block(copying: shared.bytes(0, Self.chunkBytes))
      } else {
        chunks[index] = Block(count: Self.chunkBytes)
      }
    }
    return chunks[index]!.start
  }
}
