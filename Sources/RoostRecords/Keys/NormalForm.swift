internal import RoostBytes
// The only way to normal form C that needs no Foundation.
@_spi(_Unicode) internal import Swift

/// Normal form C, in which strings are equal and ordered exactly as their bytes are.
package enum NormalForm {
  /// Whether the text cannot but be in normal form, seen from its bytes alone.
  ///
  /// No scalar below U+0300 takes part in a composition except as the base of one that follows, and those are all above.
  /// So text whose bytes are all below 0xCC, the first byte of U+0300, is composed already.
  package static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while offset &+ 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { return isPlainSlowly(text, from: offset) }
      offset &+= 8
    }
    return isPlainSlowly(text, from: offset)
  }

  private static func isPlainSlowly(_ text: UnsafeRawBufferPointer, from start: Int) -> Bool {
    var offset = start
    while offset < text.count {
      if text[offset] >= 0xCC { return false }
      offset &+= 1
    }
    return true
  }

  /// The text in normal form C.
  package static func composed(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    let string = String(decoding: text, as: UTF8.self)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    for scalar in string._nfc { bytes += UTF8.encode(scalar)! }
    return bytes
  }
}
