package import RoostRecords

/// A rule for a field of a known type, ready to test values.
package struct CompiledRule: Sendable {
  package let rule: ValueRule
  private let pattern: RulePattern?

  /// Throws ``Unfit`` if the rule does not fit the field.
  package init(_ rule: ValueRule, for type: FieldType) throws(Unfit) {
    self.rule = rule
    var pattern: RulePattern?
    switch rule.kind {
    case .range(let lower, let upper, _):
      for bound in [lower, upper].compactMap(\.self) { try Self.checkBound(bound, rule, type: type) }
    case .length(let lower, let upper):
      guard type.hasLength else {
        throw Unfit("\(rule.text) is for texts, data and collections, and it is \(type.shown)")
      }
      guard lower >= 0, upper.map({ $0 >= lower }) ?? true else { throw Unfit("\(rule.text) has no length") }
    case .pattern(let text):
      guard type.isText else { throw Unfit("\(rule.text) is for texts, and it is \(type.shown)") }
      do { pattern = try RulePattern.of(text) } catch {
        throw Unfit("\(rule.text) is not a regular expression: \(error)")
      }
    case .notEmpty:
      guard type.isText else { throw Unfit("notEmpty is for texts, and it is \(type.shown)") }
    case .oneOf(let values):
      guard !values.isEmpty else { throw Unfit("oneOf([]) allows no value: list the values") }
      for value in values where !type.takes(value) {
        throw Unfit("\(rule.text) lists \(value.kind), and it is \(type.shown)")
      }
    case .unknown(let type): throw Unfit("a rule cannot have values of type \(type): use numbers, dates or texts")
    }
    self.pattern = pattern
  }

  private static func checkBound(_ bound: Value, _ rule: ValueRule, type: FieldType) throws(Unfit) {
    guard type.isOrdered else { throw Unfit("\(rule.text) is for numbers and dates, and it is \(type.shown)") }
    guard NumberOrder.isOrdered(bound), NumberOrder.order(bound, type.sample) != nil else {
      throw Unfit("\(rule.text) has \(bound.kind) as a bound, and it is \(type.shown)")
    }
  }

  /// The error about a value: the message of the rule or a description; nil if the value fulfils
  /// the rule.
  package func shownFault(_ value: Value, matches: RuleMatches? = nil) -> String? {
    guard let fault = fault(value, matches: matches) else { return nil }
    return rule.message ?? fault
  }

  var hasPattern: Bool { pattern != nil }

  /// Matches a text with the rule's pattern and keeps the result.
  func note(_ value: Value, in matches: RuleMatches) {
    guard let pattern, let own = value.words, own.utf8.count <= RulePattern.mostBytes else { return }
    matches.note(own, pattern)
  }

  /// Why a value breaks the rule, as a clause; nil if it fulfils the rule.
  package func fault(_ value: Value, matches: RuleMatches? = nil) -> String? {
    if value == .null { return nil }
    switch rule.kind {
    case .range(let lower, let upper, let includesUpper):
      let isHigh = lower.map { NumberOrder.order(value, $0).map { $0 >= 0 } ?? false } ?? NumberOrder.isOrdered(value)
      let isLow = upper.map { NumberOrder.order(value, $0).map { $0 < 0 || includesUpper && $0 == 0 } ?? false } ?? true
      if isHigh, isLow { return nil }
      let range = ValueRule.rangeText(lower?.brief, upper?.brief, includesUpper: includesUpper)
      return "it is \(value.brief), and must be in \(range)"
    case .length(let lower, let upper):
      guard let (count, unit) = value.length else { return nil }
      if count >= lower, count <= upper ?? .max { return nil }
      return "it has \(count) \(unit), and must have \(ValueRule.lengthText(lower, upper))"
    case .pattern(let text):
      guard let pattern, let own = value.words else { return nil }
      let count = own.utf8.count
      if count > RulePattern.mostBytes {
        return "it has \(count) bytes, and a text with a pattern may have \(RulePattern.mostBytes)"
      }
      let isMatch = matches?.matches(own, pattern) ?? pattern.matches(own)
      return isMatch ? nil : "it is \(value.brief), and must match \(text)"
    case .notEmpty:
      guard let own = value.words, own.allSatisfy(\.isWhitespace) else { return nil }
      return own.isEmpty ? "it is empty, and must have a text" : "it has only white space, and must have a text"
    case .oneOf(let values):
      if values.contains(where: { $0 == value || NumberOrder.order($0, value) == 0 }) { return nil }
      return "it is \(value.brief), and must be one of \(ValueRule.list(values))"
    case .unknown: return nil
    }
  }

  /// Why a rule does not fit a field, as a clause.
  package struct Unfit: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
  }
}

extension Value {
  fileprivate var words: String? {
    switch self {
    case .string(let text), .url(let text): text
    default: nil
    }
  }

  fileprivate var length: (Int, String)? {
    switch self {
    case .string(let text), .url(let text): (text.count, text.count == 1 ? "character" : "characters")
    case .data(let bytes): (bytes.count, bytes.count == 1 ? "byte" : "bytes")
    case .array(let values): (values.count, values.count == 1 ? "element" : "elements")
    case .set(let values): (values.count, values.count == 1 ? "element" : "elements")
    case .dictionary(let values): (values.count, values.count == 1 ? "element" : "elements")
    default: nil
    }
  }
}

extension FieldType {
  fileprivate var isText: Bool { self == .string || self == .url }

  fileprivate var hasLength: Bool {
    switch self {
    case .string, .url, .data, .array, .set, .dictionary: true
    default: false
    }
  }

  fileprivate var isOrdered: Bool { NumberOrder.isOrdered(sample) }

  /// A value that can be ordered; nil if the value has no order.
  fileprivate var sample: Value {
    switch self {
    case .int8, .int16, .int32, .int64: .int(0)
    case .uint8, .uint16, .uint32, .uint64: .uint(0)
    case .float: .float(0)
    case .double: .double(0)
    case .decimal: .decimal(DecimalNumber(0))
    case .date: .date(0)
    default: .null
    }
  }

  /// Whether a listed value can be equal to a value of the type.
  fileprivate func takes(_ value: Value) -> Bool {
    switch (self, value) {
    case (.bool, .bool), (.string, .string), (.data, .data), (.uuid, .uuid), (.url, .url), (.array, .array),
      (.set, .set),
      (.dictionary, .dictionary):
      true
    default: NumberOrder.order(sample, value) != nil
    }
  }

  /// The type for a message.
  fileprivate var shown: String {
    switch self {
    case .bool: "a Bool"
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: "an integer"
    case .float: "a Float"
    case .double: "a Double"
    case .decimal: "a Decimal"
    case .string: "a String"
    case .data: "Data"
    case .date: "a Date"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .reference: "a relationship"
    case .presence: "a struct"
    case .array: "an array"
    case .set: "a set"
    case .dictionary: "a dictionary"
    }
  }
}
