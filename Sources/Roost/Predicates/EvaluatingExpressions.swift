internal import Foundation

/// `expression.evaluate(model)`: what it takes and gives may be of any types and any number, so Foundation computes it.
extension PredicateExpressions.ExpressionEvaluate: Translatable {
  func piece(_ translator: Translator) throws -> Piece { throw Untranslatable(self) }
  func step(_ walker: Walker) throws -> AnyStep { Step<Output> { try self.evaluate($0) } }
  func wording(_ text: PredicateText) -> Wording { text.call(expression, "evaluate", "…") }
}
