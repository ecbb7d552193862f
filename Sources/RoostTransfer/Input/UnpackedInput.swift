internal import RoostBytes

/// What an LZ4 frame holds, as the program `lz4` writes them; several frames one after the other are one input.
package final class UnpackedInput: ByteInput {
  private let packed: any ByteInput
  private let unpacker: FrameUnpacker
  private var bytes: [UInt8]
  private var unread = 0..<0
  private var isAtEnd = false
  private var isInFrame = false
  /// Bytes that were unpacked.
  private var count: UInt64 = 0

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
    while true {
      if unread.isEmpty, !isAtEnd {
        let count = try bytes.withUnsafeMutableBytes { try packed.read(into: $0) }
        unread = 0..<count
        isAtEnd = count == 0
      }
      if unread.isEmpty, isAtEnd {
        if isInFrame {
          throw TransferFault(
            .truncated, "the compressed input ends in the middle of a frame, behind \(count) bytes of text")
        }
        return 0
      }
      let step = bytes.withUnsafeBytes { bytes in
        unpacker.step(UnsafeRawBufferPointer(rebasing: bytes[unread]), into: buffer)
      }
      switch step {
      case .failure(let failure):
        throw TransferFault(
          .encoding, "the compressed input is damaged behind \(count) bytes of text, or no LZ4 frame: \(failure.name)")
      case .success(let step):
        unread = unread.lowerBound + step.read..<unread.upperBound
        isInFrame = !step.isAtFrameEnd
        count += UInt64(step.written)
        if step.written > 0 { return step.written }
      }
    }
  }

  package func isReady(by deadline: ContinuousClock.Instant) -> Bool {
    !unread.isEmpty || isAtEnd || packed.isReady(by: deadline)
  }

  package func stop() { packed.stop() }

  /// Whether bytes begin an LZ4 frame.
  package static func isFrame(_ bytes: some Collection<UInt8>) -> Bool {
    Array(bytes.prefix(4)) == [0x04, 0x22, 0x4D, 0x18]
  }
}
