/// UUIDs as text, as `123e4567-e89b-12d3-a456-426614174000`.
extension UUIDNumber {
  private static var digits: StaticString { "0123456789abcdef" }
  private static var textLength: Int { 36 }

  /// Whether a dash comes before a byte.
  private static func hasDash(before byte: Int) -> Bool { byte == 4 || byte == 6 || byte == 8 || byte == 10 }

  /// The text in lower case.
  package var text: String {
    String(unsafeUninitializedCapacity: Self.textLength) { text in
      var place = 0
      Self.digits.withUTF8Buffer { digits in
        for byte in 0..<16 {
          if Self.hasDash(before: byte) {
            text[place] = UInt8(ascii: "-")
            place += 1
          }
          let bits = Int((byte < 8 ? high : low) >> UInt64(56 - 8 * (byte % 8)) & 0xFF)
          text[place] = digits[bits >> 4]
          text[place + 1] = digits[bits & 15]
          place += 2
        }
      }
      return place
    }
  }

  /// Reads upper and lower case. Nil for any other text.
  package init?(text bytes: UnsafeRawBufferPointer) {
    func digit(_ place: Int) -> UInt64? {
      switch bytes[place] {
      case let byte where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
      // Upper and lower case of a letter differ in one bit.
      case let byte where byte | 32 >= UInt8(ascii: "a") && byte | 32 <= UInt8(ascii: "f"):
        UInt64(byte | 32 - UInt8(ascii: "a") + 10)
      default: nil
      }
    }
    if bytes.count != Self.textLength { return nil }
    self.init(high: 0, low: 0)
    var place = 0
    for byte in 0..<16 {
      if Self.hasDash(before: byte) {
        if bytes[place] != UInt8(ascii: "-") { return nil }
        place += 1
      }
      guard let one = digit(place), let two = digit(place + 1) else { return nil }
      place += 2
      if byte < 8 { high = high << 8 | one << 4 | two } else { low = low << 8 | one << 4 | two }
    }
  }

  package init?(text: some StringProtocol) {
    var text = String(text)
    guard let number = text.withUTF8({ UUIDNumber(text: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = number
  }
}
