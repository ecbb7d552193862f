internal import Foundation

/// A type of Foundation's expressions, and what Roost knows of it.
///
/// No type conforms to it conditionally: a predicate with a part that Roost does not know is still translated around that part.
protocol Translatable: PredicateExpression {
  /// The description: which ``ExpressionNode`` it is. It reads every part, whatever the values are.
  static func node(_ parts: Parts<Self>) -> ExpressionNode
  /// How it is computed in memory: a ``Step`` of its output.
  func step(_ walker: Walker) throws -> AnyStep
}
