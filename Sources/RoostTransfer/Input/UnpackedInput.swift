internal import RoostBytes
internal import RoostRecords

/// What an LZ4 frame holds, as the program `lz4` writes them; several frames one after the other are one input.
package final class UnpackedInput: ByteInput {
  private let packed: any ByteInput
  private let unpacker: FrameUnpacker
  private var bytes: [UInt8]
  private var unread = 0..<0
  private var isAtEnd = false
  private var isInFrame = false
  /// Whether the last step filled its buffer, so that the unpacker may hold more without being given any bytes.
  private var mayHoldMore = false
  /// Bytes that were unpacked.
  private var count: UInt64 = 0
  /// What was unpacked to find out whether a read would wait.
  private var ahead: [UInt8] = []
  private var unreadAhead = 0..<0
  /// Why nothing more can be unpacked. A read says it.
  private var failure: (any Error)?

  /// - Throws: where there is no memory for the state.
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

  /// A block of a frame can be unpacked when it is whole, so bytes of a pipe that are there may not be enough for a read.
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

  /// Unpacks some bytes, and reads packed ones before where none are left. Returns 0 at the end, and nil where nothing came of the bytes.
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
