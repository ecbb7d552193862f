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
