/// An exact sum of decimal numbers: additions and subtractions in any order give the same result.
///
/// Foundation's addition rounds to 38 digits, so a sum that is updated by differences would drift
/// away from a sum of all values. This one keeps every digit: limb i counts units of 10^(18·i −
/// 128).
struct DecimalSum {
  private static let limbDigits = 18
  private static let limbBase: Int128 = 1_000_000_000_000_000_000
  private static let firstExponent = -128
  /// 255 decimal places for exponents, 39 digits of a mantissa and 20 for carries.
  private static let limbCount = 18

  private var limbs = [Int128](repeating: 0, count: DecimalSum.limbCount)
  /// Whether a value was NaN. Then the sum must be computed from all values.
  private(set) var hasNaN = false

  mutating func add(_ number: DecimalNumber, isRemoved: Bool = false) {
    if number.isNaN {
      hasNaN = true
      return
    }
    let places = Int(number.exponent) - Self.firstExponent
    var limb = places / Self.limbDigits
    let shift = Self.power(places % Self.limbDigits)
    let sign: Int128 = number.isNegative != isRemoved ? -1 : 1
    var rest = number.mantissa
    while rest > 0 {
      let (quotient, part) = rest.quotientAndRemainder(dividingBy: UInt128(Self.limbBase))
      let product = part * shift
      let (high, low) = product.quotientAndRemainder(dividingBy: UInt128(Self.limbBase))
      limbs[limb] += sign * Int128(low)
      limbs[limb + 1] += sign * Int128(high)
      rest = quotient
      limb += 1
    }
  }

  /// The sum; nil if no decimal number has all of its digits.
  var number: DecimalNumber? {
    if hasNaN { return .nan }
    let isNegative = Self.carried(limbs).last.map { $0 < 0 } ?? false
    let digits = Self.carried(isNegative ? limbs.map { -$0 } : limbs)
    guard let top = digits.lastIndex(where: { $0 != 0 }), let bottom = digits.firstIndex(where: { $0 != 0 }) else {
      return DecimalNumber(0)
    }
    var mantissa: UInt128 = 0
    var exponent = Self.firstExponent + bottom * Self.limbDigits
    var lowest = UInt128(digits[bottom])
    var dropped = 0
    // Zeros at the end need no digits of the mantissa.
    while lowest % 10 == 0 { (lowest, dropped) = (lowest / 10, dropped + 1) }
    for limb in stride(from: top, through: bottom, by: -1) {
      let isLowest = limb == bottom
      let part = isLowest ? lowest : UInt128(digits[limb])
      let scale = Self.power(isLowest ? Self.limbDigits - dropped : Self.limbDigits)
      let (product, overflow) = mantissa.multipliedReportingOverflow(by: scale)
      let (sum, carry) = product.addingReportingOverflow(part)
      if overflow || carry { return nil }
      mantissa = sum
    }
    exponent += dropped
    // Whole numbers are written without an exponent, if they fit.
    while exponent > 0 {
      let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
      if overflow { break }
      (mantissa, exponent) = (product, exponent - 1)
    }
    guard let small = Int8(exactly: exponent) else { return nil }
    return DecimalNumber(mantissa: mantissa, exponent: small, isNegative: isNegative)
  }

  /// The limbs after all carries were moved to the next one. The last limb has the sign.
  private static func carried(_ limbs: [Int128]) -> [Int128] {
    var result = limbs
    for place in 0..<result.count - 1 {
      var (quotient, rest) = result[place].quotientAndRemainder(dividingBy: limbBase)
      if rest < 0 { (quotient, rest) = (quotient - 1, rest + limbBase) }
      result[place] = rest
      result[place + 1] += quotient
    }
    return result
  }

  private static func power(_ exponent: Int) -> UInt128 {
    var power: UInt128 = 1
    for _ in 0..<exponent { power *= 10 }
    return power
  }
}
