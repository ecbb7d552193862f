#if Postgres
  internal import RoostRecords

  /// Decimal numbers in the server's binary form.
  ///
  /// ## Layout
  /// ```
  /// i16 count of digits   i16 weight of the first one   u16 sign (0x4000 negative, 0xC000 not a number)   i16 scale
  /// digits: i16 each, from 0 to 9999. The value is the sum of digit · 10000^(weight − place), with places from 0
  /// ```
  extension WireBytes {
    mutating func append(_ number: DecimalNumber) {
      func head(_ count: Int, _ weight: Int, sign: UInt16, scale: Int) {
        append(Int16(clamping: count))
        append(Int16(clamping: weight))
        append(sign)
        append(Int16(clamping: scale))
      }
      if number.isNaN { return head(0, 0, sign: 0xC000, scale: 0) }
      let exponent = Int(number.exponent)
      // Zeros at the end, so that groups of four digits end at the same places as the server's
      // groups.
      let zeros = ((exponent % 4) + 4) % 4
      var digits: [UInt8] = Array(repeating: 0, count: zeros)
      var rest = number.mantissa
      while rest > 0 {
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        digits.append(UInt8(digit))
        rest = quotient
      }
      var groups: [Int16] = []
      for start in stride(from: 0, to: digits.count, by: 4) {
        var group: Int16 = 0
        for digit in digits[start..<Swift.min(start + 4, digits.count)].reversed() { group = group * 10 + Int16(digit) }
        groups.append(group)
      }
      while groups.last == 0 { groups.removeLast() }
      let weight = (exponent - zeros) / 4 + groups.count - 1
      let kept = Array(groups.reversed())
      head(
        kept.count, kept.isEmpty ? 0 : weight, sign: number.isNegative ? 0x4000 : 0, scale: Swift.max(0, -exponent))
      for group in kept { append(group) }
    }
  }

  extension DecimalNumber {
    /// Nil if the bytes are not a number that fits.
    init?(_ reader: inout WireReader) {
      guard let count = reader.take(Int16.self), let weight = reader.take(Int16.self),
        let sign = reader.take(UInt16.self), reader.take(Int16.self) != nil, count >= 0
      else { return nil }
      if sign == 0xC000 {
        self = .nan
        return
      }
      guard sign == 0 || sign == 0x4000 else { return nil }
      var mantissa: UInt128 = 0
      var exponent = 4 * (Int(weight) + 1 - Int(count))
      var groups: [UInt128] = []
      for _ in 0..<count {
        guard let group = reader.take(Int16.self), (0...9999).contains(group) else { return nil }
        groups.append(UInt128(group))
      }
      while groups.last == 0 {
        groups.removeLast()
        exponent += 4
      }
      // The zeros at the end of the last group are left out, because 38 digits must suffice.
      var zeros = 0
      if var last = groups.last {
        while last % 10 == 0 {
          last /= 10
          zeros += 1
        }
      }
      for (place, group) in groups.enumerated() {
        let isLast = place == groups.count - 1
        let (factor, value) =
          isLast ? (Self.tenTo(4 - zeros), group / Self.tenTo(zeros)) : (10000, group)
        let (product, isLarge) = mantissa.multipliedReportingOverflow(by: factor)
        let (sum, isLarger) = product.addingReportingOverflow(value)
        if isLarge || isLarger { return nil }
        mantissa = sum
      }
      exponent += zeros
      // A large exponent becomes zeros of the mantissa, as far as they fit.
      while exponent > Int(Int8.max) {
        let (product, isLarge) = mantissa.multipliedReportingOverflow(by: 10)
        if isLarge { return nil }
        mantissa = product
        exponent -= 1
      }
      guard let small = Int8(exactly: mantissa == 0 ? 0 : exponent) else { return nil }
      self.init(mantissa: mantissa, exponent: small, isNegative: sign == 0x4000)
    }

    private static func tenTo(_ power: Int) -> UInt128 { (0..<power).reduce(1) { product, _ in product * 10 } }

    /// The number, if it is a whole number that is not negative and fits.
    var whole: UInt64? {
      if isNaN || isNegative { return nil }
      var (rest, exponent) = (mantissa, Int(exponent))
      if rest == 0 { return 0 }
      while exponent > 0 {
        let (product, isLarge) = rest.multipliedReportingOverflow(by: 10)
        if isLarge { return nil }
        rest = product
        exponent -= 1
      }
      while exponent < 0 {
        if rest % 10 != 0 { return nil }
        rest /= 10
        exponent += 1
      }
      return UInt64(exactly: rest)
    }
  }
#endif
