/// A file in memory, possibly over another file. Written bytes are read from memory, all others
/// from the file below, which it never changes.
package final class LayeredFile: StorageFile, @unchecked Sendable {
  // Unchecked because `lock` protects all mutable fields.
  package let path: String
  private static var blockSize: UInt64 { 4096 }
  private let lock = Lock()
  /// The file below; nil after ``close()``, or if there is none.
  private var below: (any StorageFile)?
  /// Reads of the file below end here.
  private var limit: UInt64
  private var size: UInt64
  private var blocks: [UInt64: [UInt8]] = [:]
  /// Called once, after the last read of the file below.
  private var ended: (@Sendable () -> Void)?

  /// - Parameters:
  ///   - below: the file below, which this one closes.
  ///   - size: the number of its bytes that are used.
  package init(over below: any StorageFile, size: UInt64, ended: @escaping @Sendable () -> Void) {
    path = below.path
    self.below = below
    (limit, self.size) = (size, size)
    self.ended = ended
  }

  /// An empty file in memory only.
  package init() {
    path = ""
    (limit, size) = (0, 0)
  }

  deinit { close() }

  package func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
    lock.acquire()
    defer { lock.release() }
    guard offset < size, !buffer.isEmpty else { return 0 }
    let (number, start) = offset.quotientAndRemainder(dividingBy: Self.blockSize)
    let count = Int(min(UInt64(buffer.count), Self.blockSize - start, size - offset))
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    if let block = blocks[number] {
      part.copyBytes(from: block[Int(start)..<Int(start) + count])
      return count
    }
    guard let below, offset < limit else {
      part.initializeMemory(as: UInt8.self, repeating: 0)
      return count
    }
    return try below.readOnce(
      into: UnsafeMutableRawBufferPointer(rebasing: part[..<Int(min(UInt64(count), limit - offset))]), at: offset)
  }

  package func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
    let (number, start) = offset.quotientAndRemainder(dividingBy: Self.blockSize)
    let count = Int(min(UInt64(bytes.count), Self.blockSize - start))
    if count == 0 { return 0 }
    var block = [UInt8](repeating: 0, count: Int(Self.blockSize))
    if count < Int(Self.blockSize) { try fill(&block, number * Self.blockSize) }
    block.replaceSubrange(Int(start)..<Int(start) + count, with: bytes[..<count])
    lock.withLock {
      blocks[number] = block
      size = max(size, offset + UInt64(count))
    }
    return count
  }

  private func fill(_ block: inout [UInt8], _ start: UInt64) throws(Fault) {
    var failure: Fault?
    block.withUnsafeMutableBytes { memory in
      var done = 0
      do throws(Fault) {
        while done < memory.count {
          let rest = UnsafeMutableRawBufferPointer(rebasing: memory[done...])
          let count = try readOnce(into: rest, at: start + UInt64(done))
          if count == 0 { return }
          done += count
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  package func truncateOnce(to size: UInt64) throws(Fault) {
    lock.withLock {
      blocks = blocks.filter { $0.key * Self.blockSize < size }
      (self.size, limit) = (size, min(limit, size))
    }
  }

  package func allocateOnce(offset: UInt64, length: UInt64) throws(Fault) {
    lock.withLock { size = max(size, offset + length) }
  }

  package func syncOnce() throws(Fault) {}
  package func sizeOnce() throws(Fault) -> UInt64 { lock.withLock { size } }
  package func identityOnce() throws(Fault) -> FileIdentity { FileIdentity(device: 0, inode: 0, links: 1) }
  package func lockOnce() throws(Fault) -> Bool { true }

  package func close() {
    let (below, ended) = lock.withLock {
      defer { (self.below, self.ended, blocks) = (nil, nil, [:]) }
      return (self.below, self.ended)
    }
    below?.close()
    ended?()
  }
}
