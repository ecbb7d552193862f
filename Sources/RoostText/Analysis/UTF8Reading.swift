/// Reads UTF-8 that may be damaged.
enum UTF8Reading {
  /// The scalar at an offset and its length. A byte that begins no scalar is U+FFFD of length 1.
  static func scalar(_ text: UnsafeRawBufferPointer, _ at: Int) -> (scalar: UInt32, length: Int) {
    let first = text[at]
    if first < 0x80 { return (UInt32(first), 1) }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard first >= 0xC2, first < 0xF5, length <= text.count - at else { return (0xFFFD, 1) }
    var scalar = UInt32(first) & (length == 2 ? 31 : length == 3 ? 15 : 7)
    for offset in 1..<length {
      let byte = text[at + offset]
      guard byte & 0xC0 == 0x80 else { return (0xFFFD, 1) }
      scalar = scalar << 6 | UInt32(byte & 63)
    }
    let least: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000
    guard scalar >= least, Unicode.Scalar(scalar) != nil else { return (0xFFFD, 1) }
    return (scalar, length)
  }

  /// The greatest length up to `count` that does not end within a scalar.
  static func boundary(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
    var start = count
    while start > 0, count - start < 4 {
      start -= 1
      if bytes[start] & 0xC0 != 0x80 { break }
    }
    if start >= count { return count }
    let (_, length) = scalar(UnsafeRawBufferPointer(start: bytes, count: count), start)
    let isWhole = bytes[start] < 0x80 || length > 1
    return isWhole ? count : start
  }
}
