/// Checks UTF-8.
enum UTF8Check {
  /// The position of the first byte that belongs to no valid character; nil if all are valid.
  static func firstWrong(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress else { return nil }
    var at = 0
    let count = bytes.count
    while at < count {
      // Eight bytes of ASCII at a time.
      if count - at >= 8, (start + at).loadUnaligned(as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
        at += 8
        continue
      }
      let byte = bytes[at]
      if byte < 0x80 {
        at += 1
        continue
      }
      guard let length = length(bytes, at) else { return at }
      at += length
    }
    return nil
  }

  /// The number of bytes of the character at a position, which is not ASCII; nil if it is invalid.
  private static func length(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Int? {
    func next(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
      at + offset < bytes.count && range.contains(bytes[at + offset])
    }
    switch bytes[at] {
    case 0xC2...0xDF: return next(1) ? 2 : nil
    case 0xE0: return next(1, 0xA0...0xBF) && next(2) ? 3 : nil
    case 0xED: return next(1, 0x80...0x9F) && next(2) ? 3 : nil
    case 0xE1...0xEF: return next(1) && next(2) ? 3 : nil
    case 0xF0: return next(1, 0x90...0xBF) && next(2) && next(3) ? 4 : nil
    case 0xF1...0xF3: return next(1) && next(2) && next(3) ? 4 : nil
    case 0xF4: return next(1, 0x80...0x8F) && next(2) && next(3) ? 4 : nil
    default: return nil
    }
  }
}
