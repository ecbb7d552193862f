public import Foundation
internal import RoostQuery

// Foundation has these on Apple's systems only, but its macro writes calls of them everywhere. They
// give the same answers as the engine.
#if !canImport(Darwin)

  extension PredicateExpressions {
    /// `localizedStandardContains`: whether a text contains another one, ignoring case and
    /// diacritics.
    public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
      PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      public typealias Output = Bool

      /// The text to search in.
      public let root: Root
      /// The text to search for.
      public let other: Other

      /// Makes the part of a predicate. `#Predicate` calls `build_localizedStandardContains` instead.
      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        Self.answer(String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
      }

      static func answer(_ text: String, _ other: String) -> Bool {
        TextComparing.test(.containsLoosely, text, other: other)
      }
    }

    /// `localizedCompare`: compares two texts in the order that readers expect.
    public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      public typealias Output = ComparisonResult

      /// The text on the left.
      public let root: Root
      /// The text on the right.
      public let other: Other

      /// Makes the part of a predicate. `#Predicate` calls `build_localizedCompare` instead.
      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
        Self.answer(String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
      }

      static func answer(_ text: String, _ other: String) -> ComparisonResult {
        ComparisonResult(.localized, text, other: other)
      }
    }

    /// `caseInsensitiveCompare`: compares two texts, ignoring case.
    public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
      PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      public typealias Output = ComparisonResult

      /// The text on the left.
      public let root: Root
      /// The text on the right.
      public let other: Other

      /// Makes the part of a predicate. `#Predicate` calls `build_caseInsensitiveCompare` instead.
      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
        Self.answer(String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
      }

      static func answer(_ text: String, _ other: String) -> ComparisonResult {
        ComparisonResult(.caseless, text, other: other)
      }
    }

    /// Makes the part of a predicate for `text.localizedStandardContains(other)`.
    public static func build_localizedStandardContains<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> { StringLocalizedStandardContains(root: root, other: other) }

    /// Makes the part of a predicate for `text.localizedCompare(other)`.
    public static func build_localizedCompare<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringLocalizedCompare<Root, Other> { StringLocalizedCompare(root: root, other: other) }

    /// Makes the part of a predicate for `text.caseInsensitiveCompare(other)`.
    public static func build_caseInsensitiveCompare<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringCaseInsensitiveCompare<Root, Other> { StringCaseInsensitiveCompare(root: root, other: other) }
  }

  extension ComparisonResult {
    fileprivate init(_ order: Condition.TextOrder, _ one: String, other: String) {
      let sign = TextComparing.order(order, one, other: other)
      self = sign < 0 ? .orderedAscending : sign > 0 ? .orderedDescending : .orderedSame
    }
  }

  // MARK: Requirements of Foundation

  extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}
  extension PredicateExpressions.StringLocalizedCompare: Sendable where Root: Sendable, Other: Sendable {}
  extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable where Root: Sendable, Other: Sendable {}

  extension PredicateExpressions.StringLocalizedStandardContains: Encodable where Root: Encodable, Other: Encodable {}
  extension PredicateExpressions.StringLocalizedCompare: Encodable where Root: Encodable, Other: Encodable {}
  extension PredicateExpressions.StringCaseInsensitiveCompare: Encodable where Root: Encodable, Other: Encodable {}

  extension PredicateExpressions.StringLocalizedStandardContains: Decodable where Root: Decodable, Other: Decodable {}
  extension PredicateExpressions.StringLocalizedCompare: Decodable where Root: Decodable, Other: Decodable {}
  extension PredicateExpressions.StringCaseInsensitiveCompare: Decodable where Root: Decodable, Other: Decodable {}

  extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
  extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
  extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

#endif
