internal import Foundation
internal import RoostQuery

/// Makes steps of a predicate's parts.
///
/// Foundation computes predicates too, but traps like Swift: at an overflow, at a division by zero,
/// and at an index out of bounds. So Roost computes each of Foundation's expressions by the same
/// rules, and throws errors instead. Operators of the program's own types are called as they are.
final class Walker {
  private var text: PredicateText
  private var depth = 0

  /// Deeper expressions are refused, so that the stack does not overflow.
  static let deepest = 500

  init(_ text: PredicateText) { self.text = text }

  func step<Expression: PredicateExpression>(of expression: Expression) throws -> Step<Expression.Output> {
    guard depth < Self.deepest else {
      throw ConditionFault(
        .tooDeep,
        "it is nested more than \(Self.deepest) deep: join its parts with '&&' and '||' in one row, or shorten it",
        in: text.text(expression))
    }
    guard let known = ExpressionTypes.translatable(expression) else { return Step { try expression.evaluate($0) } }
    depth += 1
    defer { depth -= 1 }
    // Each type makes a step of its own output.
    return unsafeDowncast(try known.step(self), to: Step<Expression.Output>.self)
  }

  /// Makes the step of an expression with a variable.
  func step<Value, Expression: PredicateExpression>(
    of expression: Expression, binding variable: PredicateExpressions.Variable<Value>
  ) throws -> Step<Expression.Output> {
    let before = text
    defer { text = before }
    text.bind(variable.key)
    return try step(of: expression)
  }

  /// Returns the description of an expression for the error of a value. The text is made only for
  /// an error.
  func blame(_ expression: some PredicateExpression) -> Blame {
    let text = text
    return Blame { text.text(expression) }
  }

  /// The expression that an error names.
  struct Blame {
    private let part: () -> String

    init(_ part: @escaping () -> String) { self.part = part }

    func fault(_ code: ConditionFault.Code, _ detail: String) -> ConditionFault {
      ConditionFault(code, detail, in: part())
    }
  }
}
