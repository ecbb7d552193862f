internal import Foundation
internal import RoostGraph
internal import RoostQuery

/// A type of Foundation's expressions, and what Roost knows of it.
///
/// No type conforms to it conditionally: a predicate with a part that Roost does not know is still translated around that part.
protocol Translatable {
  /// The engine's words for it.
  func piece(_ translator: Translator) throws -> TranslatedPart
  /// How it is computed in memory: a ``Step`` of its output.
  func step(_ walker: Walker) throws -> AnyStep
  /// How one would write it.
  func wording(_ text: PredicateText) -> Wording

  /// Where its parts stand. Values must be laid in the order in which the translator comes to them: see `piece(_:)` of the same
  /// expression.
  static func lay(_ layout: inout LeafLayout, at offset: Int)

  /// What it joins, if it is `&&` or `||`.
  var joined: JoinedExpressions? { get }
  /// The variable at the beginning, if it is properties behind properties, and nothing else.
  var chainKey: PredicateExpressions.VariableID? { get }
  /// The bounds, if it is a range of expressions.
  func bounds(_ translator: Translator) throws -> RangeBounds?
}

/// Conditions that stand beside each other.
struct JoinedExpressions {
  enum Joint { case and, or }
  var joint: Joint
  var parts: [any PredicateExpression<Bool>]
}

struct RangeBounds {
  var low: Condition
  var high: Condition
  var isClosed: Bool
}

extension Translatable {
  static func lay(_ layout: inout LeafLayout, at offset: Int) { layout.giveUp() }
  var joined: JoinedExpressions? { nil }
  var chainKey: PredicateExpressions.VariableID? { nil }
  func bounds(_ translator: Translator) throws -> RangeBounds? { nil }
}

extension JoinedExpressions {
  /// The parts of a chain of `&&`, or of `||`, in order. It is gone through without recursion, since chains may be long.
  static func parts(
    of whole: any PredicateExpression<Bool>, _ joint: Joint
  ) -> [any PredicateExpression<Bool>] {
    var parts: [any PredicateExpression<Bool>] = []
    var waiting = [whole]
    while let next = waiting.popLast() {
      if let joined = ExpressionTypes.translatable(next)?.joined, joined.joint == joint {
        waiting += joined.parts.reversed()
      } else {
        parts.append(next)
      }
    }
    return parts
  }
}
