package import RoostRecords

/// Why a text is not a value of a type.
package struct ValueFault: Error, Hashable, Sendable {
  package var code: TransferFault.Code
  /// A clause without a full stop.
  package var detail: String
  /// The invalid text, shortened; nil if only its position is known.
  var found: String?

  /// The detail with the invalid value. `place` is the text at the error.
  func words(_ place: String?) -> String {
    guard code == .wrongType || code == .outOfRange, let found = found ?? place else { return detail }
    return detail + ", found \(found)"
  }

  package init(_ code: TransferFault.Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }
}

/// Numbers as text.
package enum NumberText {
  /// An integer: digits, with a sign before them.
  package static func integer<Number: FixedWidthInteger>(
    _ bytes: UnsafeRawBufferPointer, as type: Number.Type = Number.self
  ) throws(ValueFault) -> Number {
    var rest = bytes[...]
    let isNegative = rest.first == Byte.minus
    if isNegative || rest.first == Byte.plus { rest = rest.dropFirst() }
    guard !rest.isEmpty else { throw ValueFault(.wrongType, "an integer is expected") }
    var (number, isTooLarge) = (Number.zero, false)
    for byte in rest {
      guard Byte.isDigit(byte) else { throw ValueFault(.wrongType, "an integer is expected") }
      let (tens, overflows) = number.multipliedReportingOverflow(by: 10)
      let digit = Number(truncatingIfNeeded: byte &- Byte.zero)
      let sum = isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
      isTooLarge = isTooLarge || overflows || sum.overflow
      number = sum.partialValue
    }
    if isTooLarge { throw ValueFault(.outOfRange, "the number does not fit into \(Number.self)") }
    return number
  }

  /// A number with a point or an exponent, `inf`, `-inf` or `nan`.
  package static func double(_ bytes: UnsafeRawBufferPointer) throws(ValueFault) -> Double {
    if let number = short(bytes) { return number }
    guard let first = bytes.first, first > Byte.space, bytes.count < 2000,
      let number = Double(String(decoding: bytes, as: UTF8.self)), isSpelled(bytes)
    else { throw ValueFault(.wrongType, "a number is expected") }
    if number.isInfinite, bytes.contains(where: Byte.isDigit) {
      throw ValueFault(.outOfRange, "the number is too large for a Double")
    }
    return number
  }

  package static func float(_ bytes: UnsafeRawBufferPointer) throws(ValueFault) -> Float {
    let wide = try double(bytes)
    // With Double in between some numbers would be rounded twice.
    let number = Float(String(decoding: bytes, as: UTF8.self)) ?? Float(wide)
    if number.isInfinite, !wide.isInfinite {
      throw ValueFault(.outOfRange, "the number is too large for a Float")
    }
    return number
  }

  /// Swift also accepts hexadecimal numbers and payloads of NaN; other programs do not.
  private static func isSpelled(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if bytes.contains(where: Byte.isDigit) {
      return bytes.indices.allSatisfy { place in
        let byte = bytes[place]
        if byte != Byte.point {
          return Byte.isDigit(byte) || byte | 0x20 == UInt8(ascii: "e") || byte == Byte.minus || byte == Byte.plus
        }
        return place > 0 && place + 1 < bytes.count && Byte.isDigit(bytes[place - 1]) && Byte.isDigit(bytes[place + 1])
      }
    }
    return ["inf", "-inf", "nan", "+inf"].contains(String(decoding: bytes, as: UTF8.self).lowercased())
  }

  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21,
    1e22,
  ]

  /// A number of at most fifteen digits without an exponent. Both it and its power of ten are
  /// exact, so there is only one rounding.
  private static func short(_ bytes: UnsafeRawBufferPointer) -> Double? {
    guard bytes.count <= 16 else { return nil }
    var (number, digits, behind): (UInt64, Int, Int?) = (0, 0, nil)
    var at = bytes.first == Byte.minus ? 1 : 0
    let isNegative = at == 1
    while at < bytes.count {
      let byte = bytes[at]
      if Byte.isDigit(byte) {
        number = number &* 10 &+ UInt64(byte &- Byte.zero)
        digits += 1
        if let count = behind { behind = count + 1 }
      } else if byte == Byte.point, behind == nil, digits > 0 {
        behind = 0
      } else {
        return nil
      }
      at += 1
    }
    guard digits > 0, digits <= 15, behind != 0 else { return nil }
    let whole = Double(number) / powers[behind ?? 0]
    return isNegative ? -whole : whole
  }

  package static func text(_ number: Double) -> String { number.isNaN ? "nan" : number.description }
  package static func text(_ number: Float) -> String { number.isNaN ? "nan" : number.description }
}

/// Decimal numbers as text.
package enum DecimalText {
  package static func decimal(_ bytes: UnsafeRawBufferPointer) throws(ValueFault) -> DecimalNumber {
    let wrong = ValueFault(.wrongType, "a decimal number is expected")
    if bytes.count == 3, String(decoding: bytes, as: UTF8.self).lowercased() == "nan" { return .nan }
    var rest = bytes[...]
    let isNegative = rest.first == Byte.minus
    if isNegative || rest.first == Byte.plus { rest = rest.dropFirst() }
    var (mantissa, exponent, digits): (UInt128, Int, Int) = (0, 0, 0)
    // Zeros whose weight is known only when another digit or the end follows.
    var zeros = 0
    var isBehindPoint = false
    while let byte = rest.first, byte | 0x20 != UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if byte == Byte.point, !isBehindPoint {
        isBehindPoint = true
        continue
      }
      guard Byte.isDigit(byte) else { throw wrong }
      digits += 1
      if isBehindPoint { exponent -= 1 }
      if byte == Byte.zero {
        zeros += 1
        continue
      }
      try add(&mantissa, zeros: zeros, byte &- Byte.zero)
      zeros = 0
    }
    guard digits > 0 else { throw wrong }
    // As many of the last zeros as there is room for, to keep the written precision.
    while zeros > 0, mantissa <= UInt128.max / 10 {
      mantissa *= 10
      zeros -= 1
    }
    exponent += zeros
    if !rest.isEmpty {
      let number: Int = try integer(exponent: UnsafeRawBufferPointer(rebasing: rest.dropFirst()), wrong)
      exponent += number
    }
    if mantissa == 0 { return DecimalNumber(mantissa: 0, exponent: 0) }
    // A number with a too large exponent may be written with more digits.
    while exponent > Int(Int8.max), mantissa <= UInt128.max / 10 {
      mantissa *= 10
      exponent -= 1
    }
    guard let small = Int8(exactly: exponent) else {
      throw ValueFault(.outOfRange, "the exponent does not fit into a Decimal")
    }
    return DecimalNumber(mantissa: mantissa, exponent: small, isNegative: isNegative)
  }

  private static func add(_ mantissa: inout UInt128, zeros: Int, _ digit: UInt8) throws(ValueFault) {
    if mantissa == 0 {
      mantissa = UInt128(digit)
      return
    }
    for step in 0...zeros {
      let (tens, overflows) = mantissa.multipliedReportingOverflow(by: 10)
      let (sum, isTooLarge) = tens.addingReportingOverflow(step == zeros ? UInt128(digit) : 0)
      if overflows || isTooLarge { throw ValueFault(.outOfRange, "a Decimal has at most 38 digits") }
      mantissa = sum
    }
  }

  private static func integer(exponent: UnsafeRawBufferPointer, _ wrong: ValueFault) throws(ValueFault) -> Int {
    let number: Int
    do throws(ValueFault) { number = try NumberText.integer(exponent) } catch { throw wrong }
    guard number.magnitude < 1_000_000 else {
      throw ValueFault(.outOfRange, "the exponent does not fit into a Decimal")
    }
    return number
  }

  /// Digits with a point if there are not too many, else with an exponent.
  package static func text(_ number: DecimalNumber) -> String {
    if number.isNaN { return "nan" }
    let sign = number.isNegative ? "-" : ""
    let digits = String(number.mantissa)
    let exponent = Int(number.exponent)
    if number.mantissa == 0 { return "0" }
    if exponent == 0 { return sign + digits }
    if exponent > 0 {
      return digits.count + exponent <= 21
        ? sign + digits + String(repeating: "0", count: exponent) : sign + digits + "e\(exponent)"
    }
    if digits.count + exponent > 0 {
      return sign + digits.dropLast(-exponent) + "." + digits.suffix(-exponent)
    }
    if exponent < -30 { return sign + digits + "e\(exponent)" }
    return sign + "0." + String(repeating: "0", count: -exponent - digits.count) + digits
  }
}
