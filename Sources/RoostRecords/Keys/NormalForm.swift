internal import RoostBytes
// The only access to normal form C that needs no Foundation.
@_spi(_Unicode) internal import Swift

/// Converts text to Unicode normal form C, in which strings are equal and sorted exactly as their
/// bytes are.
package enum NormalForm {
  /// Whether the bytes alone prove that the text is in normal form.
  ///
  /// A scalar below U+0300 takes part in a composition only as the base of a later scalar, which is
  /// U+0300 or above. So text whose bytes are all below 0xCC, the first byte of U+0300, is composed
  /// already.
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
