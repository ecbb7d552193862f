internal import Foundation
internal import RoostQuery

/// `+`, `-`, `*`, `/`, `%`.
extension PredicateExpressions.Arithmetic: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    let operation: Condition.Arithmetic =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: throw Untranslatable(self)
      }
    return try translator.arithmetic(operation, lhs, other: rhs)
  }
}

extension PredicateExpressions.IntDivision: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart { try translator.arithmetic(.divide, lhs, other: rhs) }
}

extension PredicateExpressions.FloatDivision: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart { try translator.arithmetic(.divide, lhs, other: rhs) }
}

extension PredicateExpressions.IntRemainder: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    try translator.arithmetic(.remainder, lhs, other: rhs)
  }
}

extension PredicateExpressions.UnaryMinus: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    TranslatedPart(.negate(try translator.value(of: wrapped)))
  }
}

extension Translator {
  fileprivate func arithmetic<One: PredicateExpression, Other: PredicateExpression>(
    _ operation: Condition.Arithmetic, _ one: One, other: Other
  ) throws -> TranslatedPart {
    let first = try value(of: one)
    return TranslatedPart(.arithmetic(operation, first, try value(of: other)))
  }
}
