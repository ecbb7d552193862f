public import Foundation
internal import RoostQuery

extension PredicateExpressions {
  /// `orders.average(\.amount)`: a sum, an average or a bound of a property of models.
  public struct SequenceAggregate<Models: PredicateExpression, Body: PredicateExpression, Result>: PredicateExpression
  where Models.Output: Sequence {
    /// One of the models.
    public typealias Element = Models.Output.Element
    public typealias Output = Result

    /// The models.
    public let models: Models
    /// The variable that stands for each model.
    public let variable: Variable<Element>
    /// The value that is read from each model.
    public let body: Body
    let aggregation: SequenceAggregation

    init(_ aggregation: SequenceAggregation, _ models: Models, body build: (Variable<Element>) -> Body) {
      (self.aggregation, self.models, variable) = (aggregation, models, Variable())
      body = build(variable)
    }

    public func evaluate(_ bindings: PredicateBindings) throws -> Result {
      var values: [Any] = []
      for element in try models.evaluate(bindings) {
        values.append(try body.evaluate(bindings.binding(variable, to: element)))
      }
      if let result = aggregation.result(of: values, Body.Output.self, as: Result.self) { return result }
      throw PredicateError.invalidInput
    }
  }

  /// Makes the part of a predicate for `models.sum(\.property)`.
  public static func build_sum<Models, Body>(
    _ models: Models, _ body: (Variable<Models.Output.Element>) -> Body
  ) -> SequenceAggregate<Models, Body, Body.Output.Sum> where Body.Output: Summable {
    SequenceAggregate(.sum, models, body: body)
  }

  /// Makes the part of a predicate for `models.sum(\.property)` of an optional property.
  public static func build_sum<Models, Body, Number: Summable>(
    _ models: Models, _ body: (Variable<Models.Output.Element>) -> Body
  ) -> SequenceAggregate<Models, Body, Number.Sum> where Body.Output == Number? {
    SequenceAggregate(.sum, models, body: body)
  }

  /// Makes the part of a predicate for `models.average(\.property)`.
  public static func build_average<Models, Body>(
    _ models: Models, _ body: (Variable<Models.Output.Element>) -> Body
  ) -> SequenceAggregate<Models, Body, Body.Output.Average?> where Body.Output: Summable {
    SequenceAggregate(.average, models, body: body)
  }

  /// Makes the part of a predicate for `models.average(\.property)` of an optional property.
  public static func build_average<Models, Body, Number: Summable>(
    _ models: Models, _ body: (Variable<Models.Output.Element>) -> Body
  ) -> SequenceAggregate<Models, Body, Number.Average?> where Body.Output == Number? {
    SequenceAggregate(.average, models, body: body)
  }

  /// Makes the part of a predicate for `models.min(\.property)`.
  public static func build_min<Models, Body>(
    _ models: Models, _ body: (Variable<Models.Output.Element>) -> Body
  ) -> SequenceAggregate<Models, Body, Body.Output?> where Body.Output: Comparable {
    SequenceAggregate(.min, models, body: body)
  }

  /// Makes the part of a predicate for `models.min(\.property)` of an optional property.
  public static func build_min<Models, Body, Value: Comparable>(
    _ models: Models, _ body: (Variable<Models.Output.Element>) -> Body
  ) -> SequenceAggregate<Models, Body, Value?> where Body.Output == Value? {
    SequenceAggregate(.min, models, body: body)
  }

  /// Makes the part of a predicate for `models.max(\.property)`.
  public static func build_max<Models, Body>(
    _ models: Models, _ body: (Variable<Models.Output.Element>) -> Body
  ) -> SequenceAggregate<Models, Body, Body.Output?> where Body.Output: Comparable {
    SequenceAggregate(.max, models, body: body)
  }

  /// Makes the part of a predicate for `models.max(\.property)` of an optional property.
  public static func build_max<Models, Body, Value: Comparable>(
    _ models: Models, _ body: (Variable<Models.Output.Element>) -> Body
  ) -> SequenceAggregate<Models, Body, Value?> where Body.Output == Value? {
    SequenceAggregate(.max, models, body: body)
  }
}

extension PredicateExpressions.SequenceAggregate: Sendable where Models: Sendable, Body: Sendable {}
extension PredicateExpressions.SequenceAggregate: Encodable where Models: Encodable, Body: Encodable {}
extension PredicateExpressions.SequenceAggregate: Decodable where Models: Decodable, Body: Decodable {}
extension PredicateExpressions.SequenceAggregate: StandardPredicateExpression
where Models: StandardPredicateExpression, Body: StandardPredicateExpression {}

extension PredicateExpressions.SequenceAggregate: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    let aggregation = parts.sign(\.aggregation)
    return .aggregate(
      aggregation.words, parts.operand(\.models), parts.variable(\.variable), parts.operand(\.body))
  }

  func step(_ walker: Walker) throws -> AnyStep {
    let (models, body) = (try walker.step(of: models), try walker.step(of: body, binding: variable))
    let (variable, aggregation, blame) = (variable, aggregation, walker.blame(self))
    return Step<Result> { bindings in
      var values: [Any] = []
      for element in try models.run(bindings) { values.append(try body.run(bindings.binding(variable, to: element))) }
      if let result = aggregation.result(of: values, Body.Output.self, as: Result.self) { return result }
      throw blame.fault(.overflow, "the sum does not fit into \(Result.self)")
    }
  }
}

/// The function over the values of a sequence.
enum SequenceAggregation: UInt8, Codable, Sendable {
  case sum, average, min, max

  var words: Condition.Aggregation {
    switch self {
    case .sum: .sum
    case .average: .average
    case .min: .min
    case .max: .max
    }
  }

  /// The result for values of a type, or of an optional of it. Nil says that it does not fit.
  func result<Result>(of values: [Any], _ type: Any.Type, as result: Result.Type) -> Result? {
    let whole = TypeFacts.whole(type)
    switch self {
    case .sum, .average:
      func added<Number: Summable>(_ type: Number.Type) -> Result? {
        var sum = _NumberSum()
        for case let number as Number in values {
          sum.count += 1
          number._add(to: &sum)
        }
        if self == .sum { return Number._sum(sum) as? Result }
        let average: Number.Average? = sum.count == 0 ? nil : Number._average(sum)
        return average as? Result
      }
      return (whole as? any Summable.Type).flatMap { added($0) }
    case .min, .max:
      func bound<Value: Comparable>(_ type: Value.Type) -> Result? {
        var best: Value?
        for case let value as Value in values {
          if let found = best, found == found {
            guard value == value, self == .min ? value < found : found < value else { continue }
          }
          best = value
        }
        return best as? Result
      }
      return (whole as? any Comparable.Type).flatMap { bound($0) }
    }
  }
}
