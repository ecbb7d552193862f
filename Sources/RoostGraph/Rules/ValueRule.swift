package import RoostRecords

/// A rule for the values of a property. Nil fulfils every rule.
package struct ValueRule: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Between two bounds; a bound may be nil.
    case range(lower: Value?, upper: Value?, includesUpper: Bool)
    /// The number of characters, bytes or elements; `upper` nil means no maximum.
    case length(lower: Int, upper: Int?)
    /// The regular expression matches the whole text.
    case pattern(String)
    /// A text has more than white space.
    case notEmpty
    case oneOf([Value])
    /// A bound or a listed value that no field can hold, by the name of its type.
    case unknown(String)
  }

  package var kind: Kind
  /// The program's message for the error.
  package var message: String?

  package init(_ kind: Kind, message: String? = nil) {
    self.kind = kind
    self.message = message
  }

  /// The rule as Swift code.
  package var text: String {
    switch kind {
    case .range(let lower, let upper, let includesUpper):
      "range(\(Self.rangeText(lower?.brief, upper?.brief, includesUpper: includesUpper)))"
    case .length(let lower, let upper): "length(\(Self.lengthText(lower, upper)))"
    case .pattern(let pattern): "pattern(\"\(pattern)\")"
    case .notEmpty: "notEmpty"
    case .oneOf(let values): "oneOf([\(Self.list(values))])"
    case .unknown(let type): "a rule over \(type)"
    }
  }

  static func rangeText(_ lower: String?, _ upper: String?, includesUpper: Bool) -> String {
    "\(lower ?? "")\(upper == nil || includesUpper ? "..." : "..<")\(upper ?? "")"
  }

  static func lengthText(_ lower: Int, _ upper: Int?) -> String {
    if lower == upper { return "\(lower)" }
    return upper.map { "\(lower)...\($0)" } ?? "\(lower)..."
  }

  static func list(_ values: [Value]) -> String {
    values.prefix(10).map(\.brief).joined(separator: ", ") + (values.count > 10 ? ", …" : "")
  }
}

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
    case .uuid(let uuid): "\(uuid)"
    case .array(let values): "an array of \(values.count)"
    case .set(let values): "a set of \(values.count)"
    case .dictionary(let values): "a dictionary of \(values.count)"
    case .structure: kind
    }
  }
}

extension DecimalNumber {
  /// The digits, with a decimal point if it is among or close to them.
  fileprivate var text: String {
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
