public import Foundation
internal import RoostQuery
internal import RoostRecords

// Only Apple's newer systems have these in Foundation.
#if !canImport(Darwin)

  extension Predicate {
    /// Makes a predicate that is true if all of these are true. Without predicates it is true.
    public init(all predicates: [Predicate<repeat each Input>]) {
      self.init { (variables: repeat PredicateExpressions.Variable<each Input>) in
        PredicateJoint.expression(predicates, isAll: true, repeat each variables)
      }
    }

    /// Makes a predicate that is true if any of these is true. Without predicates it is false.
    public init(any predicates: [Predicate<repeat each Input>]) {
      self.init { (variables: repeat PredicateExpressions.Variable<each Input>) in
        PredicateJoint.expression(predicates, isAll: false, repeat each variables)
      }
    }
  }

  private enum PredicateJoint {
    static func expression<each Input>(
      _ predicates: [Predicate<repeat each Input>], isAll: Bool,
      _ variables: repeat PredicateExpressions.Variable<each Input>
    ) -> any StandardPredicateExpression<Bool> {
      let several = PredicateExpressions.SeveralPredicates(predicates, isAll: isAll, repeat each variables)
      // The engine evaluates only predicates of one model.
      func one<Only>(_ variable: PredicateExpressions.Variable<Only>) -> (any StandardPredicateExpression<Bool>)? {
        guard let predicates = predicates as? [Predicate<Only>] else { return nil }
        return PredicateExpressions.JoinedPredicates(predicates, isAll: isAll, variable)
      }
      for variable in repeat each variables { return one(variable) ?? several }
      return several
    }
  }

  extension PredicateExpressions {
    /// Predicates of one model, joined by `&&` or `||`.
    public struct JoinedPredicates<Input>: PredicateExpression {
      public typealias Output = Bool

      let predicates: [Predicate<Input>]
      let isAll: Bool
      let variable: Variable<Input>
      /// The position of this part's first predicate among all predicates of the whole expression.
      let first: Int

      init(_ predicates: [Predicate<Input>], isAll: Bool, _ variable: Variable<Input>, first: Int = 0) {
        self.predicates = predicates
        self.first = first
        self.isAll = isAll
        self.variable = variable
      }

      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        let model = try variable.evaluate(bindings)
        for predicate in predicates where try predicate.evaluate(model) != isAll { return !isAll }
        return isAll
      }
    }

    /// Joined predicates of several values. The store cannot test them: they are tested on models.
    public struct SeveralPredicates<each Input>: PredicateExpression {
      public typealias Output = Bool

      private let predicates: [Predicate<repeat each Input>]
      private let isAll: Bool
      private let variables: (repeat Variable<each Input>)

      init(_ predicates: [Predicate<repeat each Input>], isAll: Bool, _ variables: repeat Variable<each Input>) {
        self.predicates = predicates
        self.isAll = isAll
        self.variables = (repeat each variables)
      }

      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        for predicate in predicates {
          let result = try predicate.evaluate(repeat (each variables).evaluate(bindings))
          if result != isAll { return !isAll }
        }
        return isAll
      }
    }
  }

  extension PredicateExpressions.JoinedPredicates {
    func step(_ walker: Walker) throws -> AnyStep {
      let (input, isAll) = (try walker.step(of: variable), isAll)
      let steps = try predicates.map { predicate in
        (predicate.variable, try walker.step(of: predicate.expression, binding: predicate.variable))
      }
      return Step<Bool> { bindings in
        let model = try input.run(bindings)
        for (variable, step) in steps where try step.run(bindings.binding(variable, to: model)) != isAll {
          return !isAll
        }
        return isAll
      }
    }

    /// The predicates one by one, because each is translated by itself.
    var each: [any PredicateExpression] {
      predicates.enumerated().map { Self([$1], isAll: isAll, variable, first: first + $0) }
    }
  }

  // Foundation requires `Codable` of expressions, but cannot code a predicate on Linux. Predicates
  // are Sendable.

  extension PredicateExpressions.JoinedPredicates: StandardPredicateExpression, Codable {
    public init(from decoder: any Decoder) throws { throw PredicateCoding.refusal(decoder) }
    public func encode(to encoder: any Encoder) throws { throw PredicateCoding.refusal(self, encoder) }
  }

  extension PredicateExpressions.SeveralPredicates: @unchecked Sendable {}

  extension PredicateExpressions.SeveralPredicates: StandardPredicateExpression, Codable {
    public init(from decoder: any Decoder) throws { throw PredicateCoding.refusal(decoder) }
    public func encode(to encoder: any Encoder) throws { throw PredicateCoding.refusal(self, encoder) }
  }

  private enum PredicateCoding {
    static let reason = "a predicate that joins others cannot be coded: write their conditions into one"

    static func refusal(_ decoder: any Decoder) -> any Error {
      DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
    }

    static func refusal(_ value: Any, _ encoder: any Encoder) -> any Error {
      EncodingError.invalidValue(value, .init(codingPath: encoder.codingPath, debugDescription: reason))
    }
  }

#endif
