extension Value {
  /// The value for a message; a long text is shortened.
  package var brief: String {
    switch self {
    case .null: "nil"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .uint(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value), .url(let value): "\"\(value.prefix(60))\(value.count > 60 ? "…" : "")\""
    case .reference(let row): "row \(row.number)"
    case .data(let bytes): "\(bytes.count) bytes"
    case .date(let seconds): DateText.text(seconds)
    case .decimal(let number): number.text
    case .uuid(let uuid): uuid.text
    case .array(let values): "an array of \(values.count)"
    case .set(let values): "a set of \(values.count)"
    case .dictionary(let values): "a dictionary of \(values.count)"
    case .structure: kind
    }
  }
}

extension DecimalNumber {
  /// The digits, with a decimal point if it is among or close to them.
  package var text: String {
    if isNaN { return "NaN" }
    let digits = "\(mantissa)"
    let sign = isNegative ? "-" : ""
    if exponent == 0 || mantissa == 0 { return sign + digits }
    if exponent > 20 || exponent < -40 { return "\(sign)\(digits)e\(exponent)" }
    if exponent > 0 { return sign + digits + String(repeating: "0", count: Int(exponent)) }
    let places = -Int(exponent)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return "\(sign)\(padded.dropLast(places)).\(padded.suffix(places))"
  }
}
