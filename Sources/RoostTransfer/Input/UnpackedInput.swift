internal import RoostBytes
internal import RoostRecords

/// Decompresses LZ4 frames as the program `lz4` writes them. Several frames in sequence are one
/// input.
package final class UnpackedInput: ByteInput {
  private let packed: any ByteInput
  private let unpacker: FrameUnpacker
  private var bytes: [UInt8]
  private var unread = 0..<0
  private var isAtEnd = false
  private var isInFrame = false
  /// Whether the last step filled its buffer, so that the decompressor may have more output without
  /// more input.
  private var mayHoldMore = false
  /// The number of decompressed bytes.
  private var count: UInt64 = 0
  /// Bytes that were decompressed to find out whether a read would block.
  private var ahead: [UInt8] = []
  private var unreadAhead = 0..<0
  /// The error that ends decompression. The next read throws it.
  private var failure: (any Error)?

  /// - Throws: an error if there is no memory for the state.
  package init(_ packed: any ByteInput, piece: Int = 1 << 16) throws {
    self.packed = packed
    guard let unpacker = FrameUnpacker() else {
      throw TransferFault(.tooLarge, "there is no memory to decompress the input")
    }
    self.unpacker = unpacker
    bytes = [UInt8](repeating: 0, count: max(1, piece))
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if !unreadAhead.isEmpty {
      let taken = unreadAhead.prefix(buffer.count)
      buffer.copyBytes(from: ahead[taken])
      unreadAhead = taken.endIndex..<unreadAhead.endIndex
      return taken.count
    }
    if let failure { throw failure }
    while true { if let count = try step(into: buffer) { return count } }
  }

  /// A block of a frame can be decompressed only when it is complete, so available bytes of a pipe
  /// may not suffice for a read.
  package func isReady(by deadline: ContinuousClock.Instant) -> Bool {
    while unreadAhead.isEmpty, failure == nil {
      if unread.isEmpty, !mayHoldMore {
        if isAtEnd { return true }
        if !packed.isReady(by: deadline) { return false }
      }
      do {
        if ahead.isEmpty { ahead = [UInt8](repeating: 0, count: bytes.count) }
        let count = try ahead.withUnsafeMutableBytes { try step(into: $0) }
        unreadAhead = 0..<(count ?? 0)
      } catch { failure = error }
    }
    return true
  }

  /// Decompresses some bytes, after reading compressed ones if none are left. Returns 0 at the end,
  /// and nil if the step made no output.
  private func step(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
    if unread.isEmpty, !mayHoldMore {
      let count = isAtEnd ? 0 : try bytes.withUnsafeMutableBytes { try packed.read(into: $0) }
      unread = 0..<count
      isAtEnd = count == 0
    }
    if unread.isEmpty, isAtEnd, !mayHoldMore {
      if !isInFrame { return 0 }
      throw TransferFault(
        .truncated, "the compressed input ends in the middle of a frame, after \(count) bytes of text")
    }
    let step = bytes.withUnsafeBytes { bytes in
      unpacker.step(UnsafeRawBufferPointer(rebasing: bytes[unread]), into: buffer)
    }
    switch step {
    case .failure(let failure):
      throw TransferFault(
        .encoding,
        "the compressed input is damaged after \(count) bytes of text, or is not an LZ4 frame: \(failure.name)")
    case .success(let step):
      unread = unread.lowerBound + step.read..<unread.upperBound
      isInFrame = !step.isAtFrameEnd
      mayHoldMore = isInFrame && step.written == buffer.count
      count += UInt64(step.written)
      return step.written > 0 ? step.written : nil
    }
  }

  package func stop() { packed.stop() }

  /// Whether bytes begin an LZ4 frame.
  package static func isFrame(_ bytes: some Collection<UInt8>) -> Bool {
    Array(bytes.prefix(4)) == [0x04, 0x22, 0x4D, 0x18]
  }
}
