extension String {
  /// The text that the bytes are; nil where they are none.
  ///
  /// `String(validating:)` says the same, in generic code that takes longer than all else that is done for an object.
  init?(exactly bytes: UnsafeRawBufferPointer) {
    let text = String(decoding: bytes, as: UTF8.self)
    // What is no text was mended; what is ASCII cannot have been.
    if !Self.isASCII(bytes), !text.isEqual(to: bytes) { return nil }
    self = text
  }

  private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    var all: UInt64 = 0
    var at = 0
    while at &+ 8 <= bytes.count {
      all |= start.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      at &+= 8
    }
    while at < bytes.count {
      all |= UInt64(start.load(fromByteOffset: at, as: UInt8.self))
      at &+= 1
    }
    return all & 0x8080_8080_8080_8080 == 0
  }

  private func isEqual(to bytes: UnsafeRawBufferPointer) -> Bool {
    guard utf8.count == bytes.count else { return false }
    return utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).elementsEqual(bytes) }
      ?? utf8.elementsEqual(bytes)
  }
}
