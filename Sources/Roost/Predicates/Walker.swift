internal import Foundation
internal import RoostQuery

/// Makes steps of a predicate's parts.
///
/// Foundation computes predicates too, but traps where Swift does: at a sum that is too large, a division by zero, an element that is not
/// there. So each of its expressions is computed here, by the same rules and with such things as errors. What a type of the
/// program's own says of itself is asked as it is.
final class Walker {
  private var text: PredicateText
  private var depth = 0

  /// What is deeper is refused, so that nothing runs out of stack.
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

  /// The step of something that has a variable.
  func step<Value, Expression: PredicateExpression>(
    of expression: Expression, binding variable: PredicateExpressions.Variable<Value>
  ) throws -> Step<Expression.Output> {
    let before = text
    defer { text = before }
    text.bind(variable.key)
    return try step(of: expression)
  }

  /// How an expression is told of, if a value proves to be at fault. It is written only then.
  func blame(_ expression: some PredicateExpression) -> Blame {
    let text = text
    return Blame { text.text(expression) }
  }

  /// Who is at fault.
  struct Blame {
    private let part: () -> String

    init(_ part: @escaping () -> String) { self.part = part }

    func fault(_ code: ConditionFault.Code, _ detail: String) -> ConditionFault {
      ConditionFault(code, detail, in: part())
    }
  }
}
