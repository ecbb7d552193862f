/// Unsigned numbers in as few bytes as possible: seven bits in each byte, lowest first; the high
/// bit means that more bytes follow.
package enum Varint {
  /// The most bytes a number takes.
  package static let most = 10

  @inlinable
  package static func byteCount(_ value: UInt64) -> Int {
    value < 128 ? 1 : (70 - value.leadingZeroBitCount) / 7
  }

  /// Writes the number and returns its length. There must be room for it.
  @inlinable @discardableResult
  package static func encode(_ value: UInt64, to memory: UnsafeMutableRawPointer) -> Int {
    var rest = value
    var at = 0
    while rest >= 128 {
      memory.set8(at, UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
      at += 1
    }
    memory.set8(at, UInt8(truncatingIfNeeded: rest))
    return at + 1
  }

  /// Reads a number and its length; nil if the bytes end early, or are not a 64-bit number.
  @inlinable
  package static func decode(_ bytes: UnsafeRawBufferPointer) -> (value: UInt64, byteCount: Int)? {
    var value: UInt64 = 0
    for index in 0..<Swift.min(bytes.count, most) {
      let byte = bytes[index]
      if index == most - 1 && byte > 1 { return nil }
      value |= UInt64(byte & 0x7F) << UInt64(7 * index)
      if byte & 0x80 == 0 { return (value, index + 1) }
    }
    return nil
  }
}
