extension String {
  /// The text of UTF-8 bytes; nil if they are not valid.
  ///
  /// `String(validating:)` does the same, but its generic code takes longer than all other work on
  /// an object.
  init?(exactly bytes: UnsafeRawBufferPointer) {
    let text = String(decoding: bytes, as: UTF8.self)
    // Invalid bytes were replaced. ASCII is always valid.
    if !Self.isASCII(bytes), !text.isEqual(to: bytes) { return nil }
    self = text
  }

  private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    let count = bytes.count
    var all: UInt64 = 0
    if count >= 8 {
      var at = 0
      while at &+ 8 < count {
        all |= start.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        at &+= 8
      }
      // The last eight bytes, which overlap the ones before.
      all |= start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
    } else {
      for at in 0..<count { all |= UInt64(start.load(fromByteOffset: at, as: UInt8.self)) }
    }
    return all & 0x8080_8080_8080_8080 == 0
  }

  private func isEqual(to bytes: UnsafeRawBufferPointer) -> Bool {
    guard utf8.count == bytes.count else { return false }
    return utf8.withContiguousStorageIfAvailable { Self.isSame(UnsafeRawBufferPointer($0), bytes) }
      ?? utf8.elementsEqual(bytes)
  }

  /// Compares two texts of the same length.
  private static func isSame(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    var at = 0
    while at &+ 8 <= one.count {
      let word = one.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      if word != other.loadUnaligned(fromByteOffset: at, as: UInt64.self) { return false }
      at &+= 8
    }
    while at < one.count {
      if one[at] != other[at] { return false }
      at &+= 1
    }
    return true
  }
}
