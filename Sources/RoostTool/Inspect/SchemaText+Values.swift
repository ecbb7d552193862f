import RoostRecords

/// Values as Swift has them.
extension SchemaText {
  /// A value as Swift code; nil if it is not shown.
  static func text(_ value: Value) -> String? {
    switch value {
    case .null: "nil"
    case .string(let text): text.debugDescription
    case .url(let text): "URL(string: \(text.debugDescription))!"
    case .bool(let flag): "\(flag)"
    case .int(let number): "\(number)"
    case .uint(let number): "\(number)"
    case .float(let number): text(Double(number), "\(number)")
    case .double(let number): text(number, "\(number)")
    case .date(let seconds): seconds.isFinite ? "Date(timeIntervalSinceReferenceDate: \(seconds))" : nil
    case .uuid(let number): "UUID(uuidString: \"\(number.text)\")!"
    case .decimal(let number): number.isNaN ? "Decimal.nan" : "Decimal(string: \"\(number.text)\")!"
    case .data(let bytes): "Data([" + bytes.map { "\($0)" }.joined(separator: ", ") + "])"
    case .array(let values) where values.isEmpty: "[]"
    case .set(let values) where values.isEmpty: "[]"
    case .dictionary(let values) where values.isEmpty: "[:]"
    default: nil
    }
  }

  private static func text(_ number: Double, _ digits: String) -> String? {
    if number.isFinite { return digits }
    return number.isNaN ? ".nan" : number > 0 ? ".infinity" : "-.infinity"
  }
}
