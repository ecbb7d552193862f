package import RoostRecords

/// UUIDs as text.
package enum UUIDText {
  package static func uuid(_ bytes: UnsafeRawBufferPointer) throws(ValueFault) -> UUIDNumber {
    let wrong = ValueFault(.wrongType, "a UUID is expected, as 123E4567-E89B-12D3-A456-426614174000")
    guard bytes.count == 36 else { throw wrong }
    var (high, low, digits): (UInt64, UInt64, Int) = (0, 0, 0)
    for (place, byte) in bytes.enumerated() {
      if place == 8 || place == 13 || place == 18 || place == 23 {
        if byte != Byte.minus { throw wrong }
        continue
      }
      guard let digit = digit(byte) else { throw wrong }
      if digits < 16 { high = high << 4 | digit } else { low = low << 4 | digit }
      digits += 1
    }
    return UUIDNumber(high: high, low: low)
  }

  private static func digit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case 0x30...0x39: UInt64(byte - 0x30)
    case 0x41...0x46: UInt64(byte - 0x41 + 10)
    case 0x61...0x66: UInt64(byte - 0x61 + 10)
    default: nil
    }
  }

  package static func text(_ uuid: UUIDNumber) -> String {
    let digits = Array("0123456789ABCDEF")
    var text = ""
    for place in 0..<32 {
      if place == 8 || place == 12 || place == 16 || place == 20 { text += "-" }
      let word = place < 16 ? uuid.high : uuid.low
      text.append(digits[Int(word >> UInt64(60 - place % 16 * 4) & 15)])
    }
    return text
  }
}

/// Bytes as text, in base 64.
package enum BytesText {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// What each letter stands for; 255 where it stands for nothing.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
    // The other spelling, for names in the net.
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
    // What is left over must say nothing.
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
