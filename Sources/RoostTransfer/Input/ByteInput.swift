package import RoostFile

/// Bytes that are read once, from the beginning to the end.
package protocol ByteInput: AnyObject {
  /// Fills the buffer, or a part of it; 0 at the end. The buffer is not empty.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

  /// Whether a read will not block, now or before the deadline. Only pipes block.
  func isReady(by deadline: ContinuousClock.Instant) -> Bool

  /// Stops reading for good: a waiting read and all later ones return no bytes. Any thread may call
  /// it.
  func stop()
}

extension ByteInput {
  package func isReady(by deadline: ContinuousClock.Instant) -> Bool { true }
  package func stop() {}
}

/// Bytes that are in memory.
package final class MemoryInput: ByteInput {
  private let bytes: [UInt8]
  private var position = 0
  /// The most bytes of one read.
  private let piece: Int

  package init(_ bytes: [UInt8], piece: Int = .max) {
    self.bytes = bytes
    self.piece = max(1, piece)
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, piece, bytes.count - position)
    if count == 0 { return 0 }
    bytes.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
    }
    position += count
    return count
  }
}

/// Reads a file, a pipe, or any other descriptor.
package final class DescriptorInput: ByteInput {
  private let stream: ByteStream

  /// Nil if no descriptor was available for it: then a blocked read cannot be stopped.
  private let end: StreamStop?

  package init(_ stream: ByteStream) {
    self.stream = stream
    end = try? StreamStop()
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard let end else { return try stream.read(into: buffer) }
    return try stream.read(into: buffer, until: end)
  }

  package func isReady(by deadline: ContinuousClock.Instant) -> Bool {
    end.map { stream.isReady(by: deadline, until: $0) } ?? true
  }

  package func stop() { end?.stop() }
}

/// Returns bytes that were read ahead, then the rest.
package final class PrefixedInput: ByteInput {
  private var head: ArraySlice<UInt8>
  private let rest: any ByteInput

  package init(_ head: some Sequence<UInt8>, before rest: any ByteInput) {
    self.head = Array(head)[...]
    self.rest = rest
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if head.isEmpty { return try rest.read(into: buffer) }
    let count = min(buffer.count, head.count)
    buffer.copyBytes(from: head.prefix(count))
    head = head.dropFirst(count)
    return count
  }

  package func isReady(by deadline: ContinuousClock.Instant) -> Bool { !head.isEmpty || rest.isReady(by: deadline) }

  package func stop() { rest.stop() }
}
