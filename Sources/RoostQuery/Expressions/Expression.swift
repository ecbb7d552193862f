package import RoostRecords

/// A condition or sort key as a tree. It does not depend on a store; ``Checker`` checks it against
/// one.
///
/// It has the meaning of the same Swift code: `==` on optionals accepts nil, `&&` stops at the
/// first false, and overflow is an error.
package indirect enum Expression: Hashable, Sendable {
  case constant(Value, Kind)
  /// A constant with this number whose value comes later: see ``Question``. The value replaces it
  /// before planning.
  case parameter(Int, Kind)
  /// A row or a value that an enclosing expression binds. Variable 0 is the row that the condition
  /// tests.
  case variable(Int)
  /// A field of a row. It may be nil if the row may be nil, like Swift's `?.`.
  case field(Expression, FieldID)
  /// A part of a struct that is an element of a collection.
  case part(Expression, Int)
  /// The rows of a to-many relationship.
  case many(Expression, RelationshipID)

  case not(Expression)
  case and([Expression])
  case or([Expression])
  case compare(Comparison, Expression, Expression)
  case conditional(Expression, Expression, Expression)
  /// Swift's `??`.
  case coalesce(Expression, Expression)
  /// Swift's `!` after a value: nil is an error.
  case unwrap(Expression)
  /// `if let`: binds the value to the variable and yields the first expression, or the second if
  /// the value is nil. With nil as the second it is `flatMap`.
  case ifLet(Int, Expression, Expression, Expression)

  case arithmetic(Arithmetic, Expression, Expression)
  case negate(Expression)
  /// Whether the last operand lies between the first two; the flag includes the upper bound.
  case within(Expression, Expression, Bool, Expression)

  case text(TextTest, Expression, Expression)
  /// Compares two texts: -1, 0 or 1.
  case textOrder(TextOrder, Expression, Expression)
  case changed(TextChange, Expression)
  /// A part of a date in UTC.
  case datePart(DatePart, Expression)
  /// Whether a regular expression matches a part of the text.
  case matches(Expression, String)

  case contains(Expression, Expression)
  case count(Expression)
  case isEmpty(Expression)
  case first(Expression)
  case last(Expression)
  case minimum(Expression)
  case maximum(Expression)
  /// An array's element. An index out of bounds is an error.
  case element(Expression, Expression)
  /// A dictionary's value, or nil.
  case lookup(Expression, Expression)
  /// Whether some or all elements of a collection fulfil the test, which finds each in the
  /// variable.
  case quantified(Quantifier, Int, Expression, Expression)
  case filter(Int, Expression, Expression)
  /// A sum, an average or a bound of a value of each element, which is bound to the variable. Values that are nil are left out.
  case aggregate(Aggregation, Int, Expression, Expression)

  /// Whether a full text index finds the row for a question. The question is a constant or a
  /// parameter.
  case search(RowSearch, Expression, Expression)
  /// The rank of the row for a question: the negated score, so the best row has the least. It is 0
  /// if the row does not match.
  case rank(RowSearch, Expression, Expression)

  package enum Comparison: UInt8, Hashable, Sendable, CaseIterable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  package enum Arithmetic: UInt8, Hashable, Sendable, CaseIterable { case add, subtract, multiply, divide, remainder }

  package enum TextTest: UInt8, Hashable, Sendable, CaseIterable {
    /// Compares characters, as Swift's functions do.
    case contains, starts, hasPrefix, hasSuffix
    /// Ignores case and diacritics. No text contains the empty one.
    case containsLoosely
  }

  package enum TextOrder: UInt8, Hashable, Sendable, CaseIterable {
    /// Ignores case.
    case caseless
    /// By letters first, then by diacritics, then by case.
    case localized
  }

  package enum TextChange: UInt8, Hashable, Sendable, CaseIterable {
    case lowercased, uppercased
    /// Without the case, and without the marks on the letters.
    case folded
  }

  package enum Quantifier: UInt8, Hashable, Sendable, CaseIterable { case some, all }

  package enum Aggregation: UInt8, Hashable, Sendable, CaseIterable { case sum, average, min, max }
}

extension Expression {
  /// The row that the condition tests.
  package static let row = Expression.variable(0)

  /// The checker rejects deeper expressions, so that no recursive function overflows the stack.
  package static let deepest = 200

  package static func && (one: Expression, other: Expression) -> Expression {
    // A chain becomes one list, so that a long chain is not deep.
    if case .and(let parts) = one { return .and(parts + [other]) }
    return .and([one, other])
  }

  package static func || (one: Expression, other: Expression) -> Expression {
    if case .or(let parts) = one { return .or(parts + [other]) }
    return .or([one, other])
  }

  /// Its operands, in the order in which they are computed.
  package var operands: [Expression] {
    switch self {
    case .constant, .parameter, .variable: []
    case .and(let all), .or(let all): all
    case .field(let one, _), .part(let one, _), .many(let one, _), .not(let one), .unwrap(let one), .negate(let one),
      .changed(_, let one), .datePart(_, let one), .matches(let one, _), .count(let one), .isEmpty(let one),
      .first(let one), .last(let one),
      .minimum(let one), .maximum(let one):
      [one]
    case .compare(_, let one, let two), .coalesce(let one, let two), .arithmetic(_, let one, let two),
      .text(_, let one, let two), .textOrder(_, let one, let two), .contains(let one, let two),
      .element(let one, let two), .lookup(let one, let two), .quantified(_, _, let one, let two),
      .filter(_, let one, let two), .aggregate(_, _, let one, let two), .search(_, let one, let two),
      .rank(_, let one, let two):
      [one, two]
    case .conditional(let one, let two, let three), .ifLet(_, let one, let two, let three),
      .within(let one, let two, _, let three):
      [one, two, three]
    }
  }
}
