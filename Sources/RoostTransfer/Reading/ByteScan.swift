/// Finds bytes, eight at a time. A byte is marked by its highest bit in the result. The first mark
/// is always right; later ones may be wrong.
enum ByteScan {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// A word of eight equal bytes.
  @inline(__always)
  static func every(_ byte: UInt8) -> UInt64 { UInt64(truncatingIfNeeded: byte) &* ones }

  /// Marks bytes that equal those of `wanted`, which is a word of eight equal bytes.
  @inline(__always)
  static func equal(_ word: UInt64, _ wanted: UInt64) -> UInt64 {
    let differing = word ^ wanted
    return (differing &- ones) & ~differing & highs
  }

  /// Marks control characters.
  @inline(__always)
  static func controls(_ word: UInt64) -> UInt64 { (word &- ones &* 0x20) & ~word & highs }

  /// The first marked position from `start` on, or a position less than eight bytes before the end.
  @inline(__always)
  static func skip(
    _ bytes: UnsafePointer<UInt8>, start: Int, end: Int, mark: (UInt64) -> UInt64
  ) -> Int {
    var at = start
    while end &- at >= 8 {
      let marks = mark(UInt64(littleEndian: UnsafeRawPointer(bytes + at).loadUnaligned(as: UInt64.self)))
      if marks != 0 { return at &+ marks.trailingZeroBitCount &>> 3 }
      at &+= 8
    }
    return at
  }

  /// The number of newlines in a range.
  static func newlines(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>) -> Int {
    var (at, count) = (range.lowerBound, 0)
    let newline = every(Byte.newline)
    while range.upperBound &- at >= 8 {
      let word = UInt64(littleEndian: UnsafeRawPointer(bytes + at).loadUnaligned(as: UInt64.self)) ^ newline
      // Here every mark must be right.
      count &+= (~((word & ~highs) &+ ~highs | word) & highs).nonzeroBitCount
      at &+= 8
    }
    while at < range.upperBound {
      if bytes[at] == Byte.newline { count &+= 1 }
      at &+= 1
    }
    return count
  }
}
