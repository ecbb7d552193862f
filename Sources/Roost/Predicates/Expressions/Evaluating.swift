public import Foundation

// A predicate within a predicate. Foundation has this on Apple's systems only.
#if !canImport(Darwin)

  extension PredicateExpressions {
    /// `predicate.evaluate(model)` within another predicate.
    public struct PredicateEvaluate<Input: PredicateExpression>: PredicateExpression {
      public typealias Output = Bool

      /// The predicate that is evaluated.
      public let predicate: Predicate<Input.Output>
      /// The model that it is evaluated for.
      public let input: Input

      /// Makes the part of a predicate. `#Predicate` calls `build_evaluate` instead.
      public init(predicate: Predicate<Input.Output>, input: Input) {
        self.predicate = predicate
        self.input = input
      }

      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        try predicate.evaluate(input.evaluate(bindings))
      }
    }

    /// Makes the part of a predicate for `predicate.evaluate(model)`.
    public static func build_evaluate<Input>(
      _ predicate: Value<Predicate<Input.Output>>, _ input: Input
    ) -> PredicateEvaluate<Input> { PredicateEvaluate(predicate: predicate.value, input: input) }
  }

  extension PredicateExpressions.PredicateEvaluate {
    func step(_ walker: Walker) throws -> AnyStep {
      let (input, variable) = (try walker.step(of: input), predicate.variable)
      let other = try walker.step(of: predicate.expression, binding: variable)
      return Step<Bool> { try other.run($0.binding(variable, to: input.run($0))) }
    }
  }

  extension PredicateExpressions.PredicateEvaluate: Sendable where Input: Sendable {}

  /// Foundation requires `Codable` of expressions, but cannot code a predicate on Linux.
  extension PredicateExpressions.PredicateEvaluate: StandardPredicateExpression, Codable
  where Input: StandardPredicateExpression {
    public init(from decoder: any Decoder) throws {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: Self.reason))
    }

    public func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: Self.reason))
    }

    private static var reason: String {
      "a predicate that evaluates another one cannot be coded: write the other one's condition into it"
    }
  }

#endif
