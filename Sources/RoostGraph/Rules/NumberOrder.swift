package import RoostRecords

/// Compares numbers of different types by their exact values, and dates.
///
/// A rule is written with literals, so the bounds of a `Decimal` may be of type `Double`.
package enum NumberOrder {
  /// -1, 0 or 1; nil if the two have no order, as with NaN or a number and a date.
  package static func order(_ one: Value, _ other: Value) -> Int? {
    if case .date(let one) = one, case .date(let other) = other { return order(one, other) }
    // A bound of a `Float` is converted to the `Float` that the literal would be.
    if case .float(let one) = one, case .double(let other) = other { return order(one, Float(other)) }
    if case .double(let one) = one, case .float(let other) = other { return order(Float(one), other) }
    guard let one = number(one), let other = number(other) else { return nil }
    switch (one, other) {
    case (.whole(let one), .whole(let other)): return order(one, other)
    case (.binary(let one), .binary(let other)): return order(one, other)
    case (.whole(let one), .binary(let other)): return order(one, other)
    case (.binary(let one), .whole(let other)): return order(other, one).map { -$0 }
    case (.decimal(let one), _): return order(one, other)
    case (_, .decimal(let other)): return order(other, one).map { -$0 }
    }
  }

  /// Whether a value has an order at all.
  static func isOrdered(_ value: Value) -> Bool { order(value, value) != nil }

  private enum Number {
    case whole(Int128)
    case binary(Double)
    case decimal(DecimalNumber)
  }

  private static func number(_ value: Value) -> Number? {
    switch value {
    case .int(let number): .whole(Int128(number))
    case .uint(let number): .whole(Int128(number))
    case .float(let number): .binary(Double(number))
    case .double(let number): .binary(number)
    case .decimal(let number): .decimal(number)
    default: nil
    }
  }

  private static func order<Known: Comparable>(_ one: Known, _ other: Known) -> Int? {
    one < other ? -1 : one > other ? 1 : one == other ? 0 : nil
  }

  private static func order(_ one: Int128, _ other: Double) -> Int? {
    if other.isNaN { return nil }
    // Each integer of a field has at most 64 bits.
    if other >= 0x1p64 { return -1 }
    if other <= -0x1p64 { return 1 }
    let floor = other.rounded(.down)
    let whole = Int128(floor)
    return one == whole ? (other > floor ? -1 : 0) : one < whole ? -1 : 1
  }

  private static func order(_ one: DecimalNumber, _ other: Number) -> Int? {
    if one.isNaN { return nil }
    switch other {
    case .decimal(let other): return other.isNaN ? nil : order(one, other)
    case .whole(let other):
      return order(one, DecimalNumber(mantissa: other.magnitude, exponent: 0, isNegative: other < 0))
    case .binary(let other):
      if other.isNaN { return nil }
      if other.isInfinite { return other > 0 ? -1 : 1 }
      guard let written = DecimalNumber(written: other) else {
        // The number is larger than every decimal number, or closer to zero.
        if other.magnitude > 1 { return other > 0 ? -1 : 1 }
        if one.mantissa == 0 { return other > 0 ? -1 : other < 0 ? 1 : 0 }
        return one.isNegative ? -1 : 1
      }
      return order(one, written)
    }
  }
}

extension DecimalNumber {
  /// The decimal number that a `Double` prints; nil if its exponent is too large or too small.
  fileprivate init?(written double: Double) {
    var digits: UInt128 = 0
    var exponent = 0
    var (isFraction, isNegative) = (false, false)
    var rest = Substring("\(double)")
    if rest.first == "-" {
      isNegative = true
      rest = rest.dropFirst()
    }
    if let mark = rest.firstIndex(of: "e") {
      guard let shift = Int(rest[rest.index(after: mark)...]) else { return nil }
      exponent = shift
      rest = rest[..<mark]
    }
    // A `Double` prints at most 17 digits, and zeros.
    for character in rest {
      if character == "." {
        isFraction = true
      } else if let digit = character.wholeNumberValue {
        digits = digits * 10 + UInt128(digit)
        if isFraction { exponent -= 1 }
      }
    }
    while digits != 0, digits % 10 == 0 {
      digits /= 10
      exponent += 1
    }
    guard let exact = Int8(exactly: digits == 0 ? 0 : exponent) else { return nil }
    self.init(mantissa: digits, exponent: exact, isNegative: isNegative)
  }
}
