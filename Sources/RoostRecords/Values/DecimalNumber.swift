internal import RoostBytes

/// A decimal number, ± mantissa · 10^exponent, or NaN.
///
/// Every `Decimal` of Foundation has a DecimalNumber. Equal numbers have equal keys, whatever their
/// exponents are.
///
/// ## Layout
/// ```
///  0  i8   exponent
///  1  u8   1: negative, 2: not a number
///  2  u64  mantissa, low half
/// 10  u64  mantissa, high half
/// ```
package struct DecimalNumber: Sendable {
  package static let byteCount = 18

  package var mantissa: UInt128
  package var exponent: Int8
  package var isNegative: Bool
  package var isNaN: Bool

  package init(mantissa: UInt128, exponent: Int8, isNegative: Bool = false) {
    self.mantissa = mantissa
    self.exponent = exponent
    self.isNegative = isNegative && mantissa != 0
    isNaN = false
  }

  package init(_ number: Int) { self.init(mantissa: UInt128(number.magnitude), exponent: 0, isNegative: number < 0) }

  private init() {
    mantissa = 0
    exponent = 0
    isNegative = false
    isNaN = true
  }

  package static let nan = DecimalNumber()

  package func write(to memory: UnsafeMutableRawPointer) {
    memory.set8(0, UInt8(bitPattern: exponent))
    memory.set8(1, (isNegative ? 1 : 0) | (isNaN ? 2 : 0))
    memory.set64(2, UInt64(truncatingIfNeeded: mantissa))
    memory.set64(10, UInt64(truncatingIfNeeded: mantissa >> 64))
  }

  package init(reading memory: UnsafeRawPointer) {
    let flags = memory.u8(1)
    if flags & 2 != 0 {
      self = .nan
    } else {
      self.init(
        mantissa: UInt128(memory.u64(2)) | UInt128(memory.u64(10)) << 64, exponent: Int8(bitPattern: memory.u8(0)),
        isNegative: flags & 1 != 0)
    }
  }

  /// The digits without leading and trailing zeros, and the position of the point: 0.d₁d₂… ·
  /// 10^scale.
  var normal: (digits: [UInt8], scale: Int) {
    var digits: [UInt8] = []
    var length = 0
    var rest = mantissa
    while rest > 0 {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      if digit != 0 || !digits.isEmpty { digits.append(UInt8(digit)) }
      rest = quotient
      length += 1
    }
    return (digits.reversed(), length + Int(exponent))
  }
}

extension DecimalNumber: Hashable, Comparable {
  package static func == (one: DecimalNumber, other: DecimalNumber) -> Bool { one.key == other.key }
  /// NaN sorts first and equals itself, as Foundation's `Decimal` does.
  package static func < (one: DecimalNumber, other: DecimalNumber) -> Bool {
    one.key.lexicographicallyPrecedes(other.key)
  }
  package func hash(into hasher: inout Hasher) { hasher.combine(key) }

  /// Bytes that sort as the numbers do. No key is a prefix of another number's key.
  ///
  /// The first byte says negative, zero or positive. Then come the scale, as two bytes, and the
  /// digits, each one plus 1 so that 0 ends them. All bytes after the first of a negative number
  /// are inverted. NaN is encoded as a negative number with a scale that no number has.
  package var key: [UInt8] {
    if isNaN { return [0, 0] }
    if mantissa == 0 { return [1] }
    let (digits, scale) = normal
    let biased = UInt16(scale + 0x4000)
    var bytes: [UInt8] = [UInt8(biased >> 8), UInt8(biased & 255)]
    for digit in digits { bytes.append(digit + 1) }
    bytes.append(0)
    return isNegative ? [0] + bytes.map { ~$0 } : [2] + bytes
  }
}
