package import RoostGraph
internal import RoostRecords

/// A rule for the values of one property, checked before each write.
///
/// ```swift
/// @Model final class Review {
///   @Validate(.range(1...5)) var stars: Int
///   @Validate(.notEmpty, .length(...200)) var title: String
///
///   init(stars: Int, title: String) {
///     self.stars = stars
///     self.title = title
///   }
/// }
/// ```
/// `nil` fulfils every rule: declare a property as not optional if it must have a value.
public struct ValidationRule: Hashable, Sendable, CustomStringConvertible {
  package var stored: ValueRule

  package init(_ stored: ValueRule) { self.stored = stored }

  private init(_ kind: ValueRule.Kind) { stored = ValueRule(kind) }

  /// The rule as Swift source, such as `range(1...5)`.
  public var description: String { stored.text }

  /// The message of the rule, which an error shows instead of its own sentence; nil if the rule has
  /// none.
  public var message: String? {
    get { stored.message }
    set { stored.message = newValue }
  }

  // MARK: Ranges

  /// The number or date is in a range.
  public static func range<Bound: Comparable & Codable>(_ range: ClosedRange<Bound>) -> ValidationRule {
    between(range.lowerBound, range.upperBound)
  }

  /// The number or date is in a range without its upper bound.
  public static func range<Bound: Comparable & Codable>(_ range: Range<Bound>) -> ValidationRule {
    between(range.lowerBound, range.upperBound, includesUpper: false)
  }

  /// The number or date is a bound or larger.
  public static func range<Bound: Comparable & Codable>(_ range: PartialRangeFrom<Bound>) -> ValidationRule {
    between(range.lowerBound, nil)
  }

  /// The number or date is a bound or smaller.
  public static func range<Bound: Comparable & Codable>(_ range: PartialRangeThrough<Bound>) -> ValidationRule {
    between(nil, range.upperBound)
  }

  /// The number or date is smaller than a bound.
  public static func range<Bound: Comparable & Codable>(_ range: PartialRangeUpTo<Bound>) -> ValidationRule {
    between(nil, range.upperBound, includesUpper: false)
  }

  private static func between<Bound: Comparable & Codable>(
    _ lower: Bound?, _ upper: Bound?, includesUpper: Bool = true
  ) -> ValidationRule {
    let (low, high) = (lower.map { value($0) }, upper.map { value($0) })
    if low == .some(nil) || high == .some(nil) { return ValidationRule(.unknown("\(Bound.self)")) }
    return ValidationRule(.range(lower: low ?? nil, upper: high ?? nil, includesUpper: includesUpper))
  }

  // MARK: Lengths

  /// The length is in a range. A text has its number of characters, data its number of bytes, and
  /// an array, a set, a dictionary or a to-many relationship its number of elements.
  public static func length(_ range: ClosedRange<Int>) -> ValidationRule {
    ValidationRule(.length(lower: range.lowerBound, upper: range.upperBound))
  }

  /// The length is in a range without its upper bound.
  public static func length(_ range: Range<Int>) -> ValidationRule {
    ValidationRule(.length(lower: range.lowerBound, upper: range.upperBound &- 1))
  }

  /// The length is a number or more.
  public static func length(_ range: PartialRangeFrom<Int>) -> ValidationRule {
    ValidationRule(.length(lower: range.lowerBound, upper: nil))
  }

  /// The length is a number or less.
  public static func length(_ range: PartialRangeThrough<Int>) -> ValidationRule {
    ValidationRule(.length(lower: 0, upper: range.upperBound))
  }

  /// The length is exactly a number.
  public static func length(_ length: Int) -> ValidationRule {
    ValidationRule(.length(lower: length, upper: length))
  }

  // MARK: Texts and lists

  /// A regular expression of Swift matches the whole text. An invalid pattern is an error when the
  /// container is made.
  public static func pattern(_ pattern: String) -> ValidationRule { ValidationRule(.pattern(pattern)) }

  /// The text contains something besides white space.
  public static var notEmpty: ValidationRule { ValidationRule(.notEmpty) }

  /// The value is in a list. Enums with raw values are compared by their raw values.
  public static func oneOf<Value: Codable>(_ values: [Value]) -> ValidationRule {
    let stored = values.map { value($0) }
    return stored.contains(nil)
      ? ValidationRule(.unknown("\(Value.self)")) : ValidationRule(.oneOf(stored.compactMap(\.self)))
  }

  /// Returns the value of a field; nil if no field can store it.
  private static func value<Known: Codable>(_ known: Known) -> RoostRecords.Value? {
    PlainType.of(Known.self)?.value(any: known) ?? CoderShelf.shared.value(any: known)
  }
}

extension [ValidationRule] {
  /// Adds the message of a declaration to its rules.
  package init(_ rules: [ValidationRule], message: String?) {
    self = rules
    if let message { for place in indices { self[place].message = message } }
  }
}
