package import RoostRecords

/// UUIDs as text, in upper case.
package enum UUIDText {
  package static func uuid(_ bytes: UnsafeRawBufferPointer) throws(ValueFault) -> UUIDNumber {
    if let uuid = UUIDNumber(text: bytes) { return uuid }
    throw ValueFault(.wrongType, "a UUID is expected, as 123E4567-E89B-12D3-A456-426614174000")
  }

  package static func text(_ uuid: UUIDNumber) -> String { uuid.text.uppercased() }
}

/// Bytes as text, in base 64.
package enum BytesText {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value of each letter; 255 for other bytes.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
    // The URL-safe variant of base 64.
    values[Int(Byte.minus)] = 62
    values[Int(UInt8(ascii: "_"))] = 63
    return values
  }()

  package static func bytes(_ text: UnsafeRawBufferPointer) throws(ValueFault) -> [UInt8] {
    let wrong = ValueFault(.wrongType, "bytes in base 64 are expected")
    var rest = text[...]
    var padding = 0
    while rest.last == UInt8(ascii: "="), padding < 2 {
      rest = rest.dropLast()
      padding += 1
    }
    guard padding == 0 ? rest.count % 4 != 1 : (rest.count + padding) % 4 == 0 else { throw wrong }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(rest.count * 3 / 4)
    var (word, bits) = (UInt32(0), 0)
    for letter in rest {
      let value = values[Int(letter)]
      if value == 255 { throw wrong }
      word = word << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
      }
    }
    // The unused bits must be zero.
    guard word & (1 << UInt32(bits) - 1) == 0 else { throw wrong }
    return bytes
  }

  package static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var at = 0
    while at < bytes.count {
      let count = min(3, bytes.count - at)
      var word: UInt32 = 0
      for place in 0..<3 { word = word << 8 | (place < count ? UInt32(bytes[at + place]) : 0) }
      for place in 0..<4 {
        text.append(place <= count ? letters[Int(word >> UInt32(18 - place * 6) & 63)] : UInt8(ascii: "="))
      }
      at += 3
    }
    return String(decoding: text, as: UTF8.self)
  }
}
