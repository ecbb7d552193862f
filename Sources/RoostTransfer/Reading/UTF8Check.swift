/// Tells whether bytes are UTF-8.
enum UTF8Check {
  /// The place of the first byte that belongs to no character; nil where all is well.
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

  /// How many bytes the character at a place has; nil where it is none. It is not ASCII.
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
