internal import Foundation

/// Writes expressions of predicates as one would in Swift, for errors and explanations.
struct PredicateText {
  private var names: [PredicateExpressions.VariableID: String] = [:]
  private var depth = 0

  /// Deeper parts are dots.
  private static let deepest = 24

  init() {}

  /// The variable is what the predicate is asked of: `$0`.
  init(_ variable: PredicateExpressions.VariableID) { bind(variable) }

  /// Gives a variable a name: that of those around it with the next number.
  mutating func bind(_ variable: PredicateExpressions.VariableID) { names[variable] = "$\(names.count)" }

  mutating func bind(_ variable: PredicateExpressions.VariableID, _ name: String) { names[variable] = name }

  func name(_ variable: PredicateExpressions.VariableID) -> String { names[variable] ?? "$?" }

  // MARK: Texts

  func text<Expression: PredicateExpression>(_ expression: Expression) -> String { wording(expression).text }

  /// The text of a whole predicate.
  func text<Input>(of predicate: Predicate<Input>) -> String {
    PredicateText(predicate.variable.key).text(predicate.expression)
  }

  /// As an operand of something that binds as strongly, in parentheses where it needs them.
  func operand<Expression: PredicateExpression>(_ expression: Expression, _ strength: Wording.Strength) -> String {
    let wording = wording(expression)
    return wording.strength < strength ? "(\(wording.text))" : wording.text
  }

  func wording<Expression: PredicateExpression>(_ expression: Expression) -> Wording {
    if depth > Self.deepest { return Wording("…", .postfix) }
    var inner = self
    inner.depth += 1
    if let known = ExpressionTypes.translatable(expression) { return known.wording(inner) }
    return Wording("\(Expression.self)", .postfix)
  }

  /// An operator between two operands, of which the right one must bind more strongly.
  func infix<One: PredicateExpression, Other: PredicateExpression>(
    _ one: One, _ sign: String, other: Other, strength: Wording.Strength
  ) -> Wording {
    Wording("\(operand(one, strength)) \(sign) \(operand(other, strength.above))", strength)
  }

  /// A closure that is given one value.
  func closure<Expression: PredicateExpression>(
    _ variable: PredicateExpressions.VariableID, _ body: Expression
  ) -> String {
    var inner = self
    inner.bind(variable)
    return "{ \(inner.text(body)) }"
  }
}

/// How an expression reads, and how strongly it holds together.
struct Wording {
  enum Strength: Int, Comparable {
    case choice, or, and, comparison, coalescing, casting, range, sum, product, prefix, postfix

    static func < (one: Strength, other: Strength) -> Bool { one.rawValue < other.rawValue }
    var above: Strength { Strength(rawValue: rawValue + 1) ?? .postfix }
  }

  var text: String
  var strength: Strength

  init(_ text: String, _ strength: Strength) {
    self.text = text
    self.strength = strength
  }
}
