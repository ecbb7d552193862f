package import RoostRecords

/// What a condition, or a key to sort by, is made of. It is written without looking at a store; ``Checker`` looks.
///
/// It means what the same words mean in Swift: `==` on optionals knows nil, `&&` stops at the first false, a number too large
/// for its type is a fault.
package indirect enum Expression: Hashable, Sendable {
  case constant(Value, Kind)
  /// A constant that is not known yet, by its number: see ``Question``. It is put in its place before anything is planned.
  case parameter(Int, Kind)
  /// A row or a value that something further out binds. The row that a condition is about is variable 0.
  case variable(Int)
  /// A field of a row. Where the row may be nil, so may be this: it is Swift's `?.`.
  case field(Expression, FieldID)
  /// A part of a struct that stands in a collection.
  case part(Expression, Int)
  /// The rows that a relationship to many leads to.
  case many(Expression, RelationshipID)

  case not(Expression)
  case and([Expression])
  case or([Expression])
  case compare(Comparison, Expression, Expression)
  case conditional(Expression, Expression, Expression)
  /// Swift's `??`.
  case coalesce(Expression, Expression)
  /// Swift's `!` behind a value: nil is a fault.
  case unwrap(Expression)
  /// `if let` the variable be the value: then the first, else the second. With nil as the second it is `flatMap`.
  case ifLet(Int, Expression, Expression, Expression)

  case arithmetic(Arithmetic, Expression, Expression)
  case negate(Expression)
  /// Whether the last lies between the first two; the flag says whether the upper bound belongs to it.
  case within(Expression, Expression, Bool, Expression)

  case text(TextTest, Expression, Expression)
  /// How the first text stands to the second: -1, 0 or 1.
  case textOrder(TextOrder, Expression, Expression)
  case changed(TextChange, Expression)
  /// A part of a date in UTC.
  case datePart(DatePart, Expression)
  /// Whether a regular expression finds something in the text.
  case matches(Expression, String)

  case contains(Expression, Expression)
  case count(Expression)
  case isEmpty(Expression)
  case first(Expression)
  case last(Expression)
  case minimum(Expression)
  case maximum(Expression)
  /// An array's element. Outside of it is a fault.
  case element(Expression, Expression)
  /// A dictionary's value, or nil.
  case lookup(Expression, Expression)
  /// Whether some or all of a collection's elements, each bound to the variable, fulfil the test.
  case quantified(Quantifier, Int, Expression, Expression)
  case filter(Int, Expression, Expression)

  /// Whether a full text index finds the row by a question. The question is a constant or a parameter.
  case search(RowSearch, Expression, Expression)
  /// The rank of the row for a question: the score with the sign turned over, so the best row has the least. It is 0 if the row does not match.
  case rank(RowSearch, Expression, Expression)

  package enum Comparison: UInt8, Hashable, Sendable, CaseIterable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  package enum Arithmetic: UInt8, Hashable, Sendable, CaseIterable { case add, subtract, multiply, divide, remainder }

  package enum TextTest: UInt8, Hashable, Sendable, CaseIterable {
    /// By characters, as Swift's functions do it.
    case contains, starts, hasPrefix, hasSuffix
    /// Whatever the case and the marks on the letters. The empty text is in none.
    case containsLoosely
  }

  package enum TextOrder: UInt8, Hashable, Sendable, CaseIterable {
    /// Whatever the case.
    case caseless
    /// As readers expect it: letters first, then their marks, then their case.
    case localized
  }

  package enum TextChange: UInt8, Hashable, Sendable, CaseIterable {
    case lowercased, uppercased
    /// Without the case, and without the marks on the letters.
    case folded
  }

  package enum Quantifier: UInt8, Hashable, Sendable, CaseIterable { case some, all }
}

extension Expression {
  /// The row that the condition is about.
  package static let row = Expression.variable(0)

  /// Deeper expressions are refused, so that no function that walks one runs out of stack.
  package static let deepest = 200

  package static func && (one: Expression, other: Expression) -> Expression {
    // A chain becomes one list, so that its length is not its depth.
    if case .and(let parts) = one { return .and(parts + [other]) }
    return .and([one, other])
  }

  package static func || (one: Expression, other: Expression) -> Expression {
    if case .or(let parts) = one { return .or(parts + [other]) }
    return .or([one, other])
  }

  /// What it is made of, in the order in which it is computed.
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
      .filter(_, let one, let two), .search(_, let one, let two), .rank(_, let one, let two):
      [one, two]
    case .conditional(let one, let two, let three), .ifLet(_, let one, let two, let three),
      .within(let one, let two, _, let three):
      [one, two, three]
    }
  }
}
