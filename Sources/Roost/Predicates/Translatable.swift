internal import Foundation

/// One of Foundation's expression types, with its description for Roost.
///
/// No type conforms to it conditionally: a predicate with a part that Roost does not know is still translated around that part.
protocol Translatable: PredicateExpression {
  /// Describes the type as an ``ExpressionNode``. It reads every part, because a layout is made from one expression of the type.
  static func node(_ parts: Parts<Self>) -> ExpressionNode
  /// Returns the computation in memory: a ``Step`` of its output.
  func step(_ walker: Walker) throws -> AnyStep
}
