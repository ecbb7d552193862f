public import Foundation

/// `expression.evaluate(a, b)`: inputs and output may have any types and any number, so Foundation
/// computes it.
extension PredicateExpressions.ExpressionEvaluate {
  func step(_ walker: Walker) throws -> AnyStep { Step<Output> { try self.evaluate($0) } }
}

// An expression within a predicate. Foundation has this for codable expressions, and its
// expressions cannot be coded on Linux.
#if !canImport(Darwin)

  extension PredicateExpressions {
    /// `expression.evaluate(model)` within a predicate.
    public struct ModelExpression<Input: PredicateExpression, Output>: PredicateExpression {
      /// The expression that is evaluated.
      public let expression: Foundation.Expression<Input.Output, Output>
      /// The model that it is evaluated for.
      public let input: Input

      /// Makes the part of a predicate. `#Predicate` calls `build_evaluate` instead.
      public init(expression: Foundation.Expression<Input.Output, Output>, input: Input) {
        self.expression = expression
        self.input = input
      }

      public func evaluate(_ bindings: PredicateBindings) throws -> Output {
        try expression.evaluate(input.evaluate(bindings))
      }
    }

    /// Makes the part of a predicate for `expression.evaluate(model)`.
    public static func build_evaluate<Input, Output>(
      _ expression: Value<Foundation.Expression<Input.Output, Output>>, _ input: Input
    ) -> ModelExpression<Input, Output> { ModelExpression(expression: expression.value, input: input) }
  }

  extension PredicateExpressions.ModelExpression {
    func step(_ walker: Walker) throws -> AnyStep {
      let (input, variable) = (try walker.step(of: input), expression.variable)
      let other = try walker.step(of: expression.expression, binding: variable)
      return Step<Output> { try other.run($0.binding(variable, to: input.run($0))) }
    }
  }

  extension PredicateExpressions.ModelExpression: Sendable where Input: Sendable {}

  /// Foundation requires `Codable` of expressions, but cannot code an expression on Linux.
  extension PredicateExpressions.ModelExpression: StandardPredicateExpression, Codable
  where Input: StandardPredicateExpression {
    public init(from decoder: any Decoder) throws {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: Self.reason))
    }

    public func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: Self.reason))
    }

    private static var reason: String {
      "a predicate that evaluates an expression cannot be coded: write the expression into it"
    }
  }

#endif

extension PredicateExpressions {
  /// A negative number that is compared with an optional, as in `$0.width == -5`.
  ///
  /// Foundation's macro makes two parts of the number and loses the optional.
  @_disfavoredOverload
  public static func build_UnaryMinus<Number: SignedNumeric>(_ number: Value<Number>) -> Value<Number?> {
    Value(0 - number.value)
  }
}
