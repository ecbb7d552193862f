package import RoostFile

/// Bytes that are read from the beginning to the end, once.
package protocol ByteInput: AnyObject {
  /// Fills the buffer, or a part of it; 0 at the end. The buffer is not empty.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

  /// Whether a read will not wait, now or by the deadline. What is no pipe never waits.
  func isReady(by deadline: ContinuousClock.Instant) -> Bool

  /// Ends the reading for good: who waits for bytes gets none, and nobody after him. Any thread may call it.
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
  /// At most so many are given at once.
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

/// A file, a pipe, or whatever else has a descriptor.
package final class DescriptorInput: ByteInput {
  private let stream: ByteStream

  /// Nil where there was no descriptor for it: then a read that waits, waits.
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

/// Puts back what was read ahead.
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
