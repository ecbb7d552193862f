internal import CLZ4

/// Decompresses LZ4 frames, piece by piece.
package final class FrameUnpacker {
  package struct Failure: Error {
    /// The library's name of the error.
    package let name: String
  }

  package struct Step {
    /// The number of input bytes used, and of output bytes made.
    package let read: Int
    package let written: Int
    /// Whether a frame has just ended, and nothing of the next one was read.
    package let isAtFrameEnd: Bool
  }

  private let context: OpaquePointer

  /// Nil if there is no memory.
  package init?() {
    var made: OpaquePointer?
    guard LZ4F_isError(LZ4F_createDecompressionContext(&made, UInt32(LZ4F_VERSION))) == 0, let made else { return nil }
    context = made
  }

  deinit { LZ4F_freeDecompressionContext(context) }

  /// Both buffers must have room. Input that was not used must be passed again.
  package func step(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) -> Result<Step, Failure> {
    var (read, written) = (source.count, target.count)
    let hint = LZ4F_decompress(context, target.baseAddress, &written, source.baseAddress, &read, nil)
    if LZ4F_isError(hint) != 0 { return .failure(Failure(name: String(cString: LZ4F_getErrorName(hint)))) }
    return .success(Step(read: read, written: written, isAtFrameEnd: hint == 0))
  }
}

/// Makes one LZ4 frame, piece by piece. The program `lz4` reads it.
package final class FramePacker {
  private let context: OpaquePointer
  private var preferences = LZ4F_preferences_t()

  /// Nil if there is no memory.
  package init?() {
    var made: OpaquePointer?
    guard LZ4F_isError(LZ4F_createCompressionContext(&made, UInt32(LZ4F_VERSION))) == 0, let made else { return nil }
    context = made
    preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled
    preferences.frameInfo.blockSizeID = LZ4F_max256KB
  }

  deinit { LZ4F_freeCompressionContext(context) }

  /// The beginning of the frame; nil if the library fails.
  package func begin() -> [UInt8]? {
    filled(64) { LZ4F_compressBegin(context, $0.baseAddress, $0.count, &preferences) }
  }

  /// The output after some more input, which may be empty.
  package func add(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    filled(LZ4F_compressBound(bytes.count, &preferences)) {
      LZ4F_compressUpdate(context, $0.baseAddress, $0.count, bytes.baseAddress, bytes.count, nil)
    }
  }

  /// The end of the frame.
  package func end() -> [UInt8]? {
    filled(LZ4F_compressBound(0, &preferences)) { LZ4F_compressEnd(context, $0.baseAddress, $0.count, nil) }
  }

  private func filled(_ room: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) -> [UInt8]? {
    var isGood = true
    let bytes = [UInt8](unsafeUninitializedCapacity: room) { memory, count in
      let made = body(UnsafeMutableBufferPointer(start: memory.baseAddress, count: room))
      isGood = LZ4F_isError(made) == 0
      count = isGood ? made : 0
    }
    return isGood ? bytes : nil
  }
}
