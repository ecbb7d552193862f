package import RoostRecords

/// Swift's `==` and `<` on values of one kind.
package enum ValueOrder {
  package static func holds(_ comparison: Expression.Comparison, _ one: Value, other: Value) -> Bool {
    switch comparison {
    case .equal: one == other
    case .notEqual: one != other
    case .less: isLess(one, other)
    case .lessOrEqual: isAtMost(one, other)
    case .greater: isLess(other, one)
    case .greaterOrEqual: isAtMost(other, one)
    }
  }

  /// Whether it has no place in the order: it is NaN.
  static func isUnordered(_ value: Value) -> Bool {
    switch value {
    case .float(let number): number.isNaN
    case .double(let number), .date(let number): number.isNaN
    default: false
    }
  }

  /// Whether two values are equal in the order.
  package static func isSame(_ one: Value, _ other: Value) -> Bool {
    one == other || isUnordered(one) && isUnordered(other)
  }

  private static func isLess(_ one: Value, _ other: Value) -> Bool {
    switch (one, other) {
    case (.int(let one), .int(let other)): one < other
    case (.uint(let one), .uint(let other)): one < other
    case (.float(let one), .float(let other)): one < other
    case (.double(let one), .double(let other)), (.date(let one), .date(let other)): one < other
    case (.decimal(let one), .decimal(let other)): one < other
    case (.string(let one), .string(let other)): TextComparing.isLess(one, other)
    case (.uuid(let one), .uuid(let other)): one < other
    default: false
    }
  }

  private static func isAtMost(_ one: Value, _ other: Value) -> Bool {
    switch (one, other) {
    case (.float(let one), .float(let other)): one <= other
    case (.double(let one), .double(let other)), (.date(let one), .date(let other)): one <= other
    default: !isLess(other, one)
    }
  }
}
