internal import Foundation

/// Writes expressions of predicates as Swift source, for errors and explanations.
struct PredicateText {
  private var names: [PredicateExpressions.VariableID: String] = [:]
  private var depth = 0

  /// Deeper parts become dots.
  private static let deepest = 24

  init() {}

  /// The variable is the model: `$0`.
  init(_ variable: PredicateExpressions.VariableID) { bind(variable) }

  /// Names a variable: `$` and the next number.
  mutating func bind(_ variable: PredicateExpressions.VariableID) { names[variable] = "$\(names.count)" }

  mutating func bind(_ variable: PredicateExpressions.VariableID, _ name: String) { names[variable] = name }

  func name(_ variable: PredicateExpressions.VariableID) -> String { names[variable] ?? "$?" }

  // MARK: Texts

  func text(_ expression: any PredicateExpression) -> String { text(Operand(expression)) }
  func text(_ operand: Operand) -> String { wording(operand).text }

  /// Writes an operand of an operator, in parentheses if its precedence needs them.
  func operand(_ operand: Operand, _ strength: Wording.Strength) -> String {
    let wording = wording(operand)
    return wording.strength < strength ? "(\(wording.text))" : wording.text
  }

  func wording(_ operand: Operand) -> Wording {
    if depth > Self.deepest { return Wording("…", .postfix) }
    var inner = self
    inner.depth += 1
    return inner.wording(operand.node, of: operand)
  }
}

/// The text of an expression, and its precedence.
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
