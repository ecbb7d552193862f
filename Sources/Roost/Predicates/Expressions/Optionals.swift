internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// `?.`, `??`, `!`, `if let`.
extension PredicateExpressions.NilCoalesce: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    let (one, other) = (try translator.piece(lhs), try translator.piece(rhs))
    if let captured = one.captured {
      guard let value = FlatValue.of(captured.value) else { return other }
      guard let value = value as? RHS.Output else { throw Untranslatable(self) }
      return TranslatedPart(captured: value)
    }
    // A relationship to many is never nil in a store.
    if one.rows != nil { return one }
    let (first, second) = try translator.values(one, other)
    return TranslatedPart(.coalesce(first, second), one.row ?? other.row)
  }
}

extension PredicateExpressions.ForcedUnwrap: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    let inner = try translator.piece(inner)
    switch inner.meaning {
    case .rows: return inner
    case .captured(let captured):
      guard let value = captured.value as? Wrapped else { throw Untranslatable(self) }
      return TranslatedPart(captured: value)
    case .parts: throw Untranslatable(self)
    case .value, .row, .structure: return TranslatedPart(.unwrap(inner.expression), inner.meaning)
    }
  }
}

extension PredicateExpressions.OptionalFlatMap: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    let inner = try translator.piece(wrapped)
    switch inner.meaning {
    case .captured(let captured):
      guard let value = FlatValue.of(captured.value) else { return TranslatedPart(captured: Result?.none) }
      guard let value = value as? Wrapped else { throw Untranslatable(self) }
      translator.bind(variable.key, TranslatedPart(captured: value))
      return try translator.piece(transform)
    case .rows:
      translator.bind(variable.key, inner)
      return try translator.piece(transform)
    case .row where isChain:
      // What stands behind a row that may be nil may be nil itself: that is `?.`.
      translator.bind(variable.key, inner)
      return try translator.piece(transform)
    case .row(let map): return try bound(inner.expression, .row(map), translator: translator)
    case .value:
      // A struct in a collection is taken apart by its type.
      return try bound(inner.expression, .element(of: Wrapped.self), translator: translator)
    case .structure(let coder): return try bound(inner.expression, .structure(coder), translator: translator)
    case .parts(let parts):
      guard let presence = parts.presence else { throw Untranslatable(self) }
      translator.bind(variable.key, inner)
      let result = try translator.value(of: transform)
      let isThere = Condition.compare(.notEqual, presence, .constant(.null, .optional(.plain(.presence))))
      return TranslatedPart(.conditional(isThere, result, try Constant.null(Result.self)))
    }
  }

  private var isChain: Bool { ExpressionTypes.translatable(transform)?.chainKey == variable.key }

  var chainKey: PredicateExpressions.VariableID? {
    isChain ? ExpressionTypes.translatable(wrapped)?.chainKey : nil
  }

  private func bound(
    _ value: Condition, _ meaning: TranslatedPart.Meaning, translator: Translator
  ) throws -> TranslatedPart {
    let number = translator.newVariable()
    translator.bind(variable.key, TranslatedPart(.variable(number), meaning))
    let result = try translator.piece(transform)
    if let map = result.row {
      return TranslatedPart(.ifLet(number, value, result.expression, Constant.null(of: map)), .row(map))
    }
    return TranslatedPart(.ifLet(number, value, try translator.value(result), try Constant.null(Result.self)))
  }
}

extension PredicateExpressions.Variable {
  var chainKey: PredicateExpressions.VariableID? { key }
}

extension PredicateExpressions.KeyPath {
  var chainKey: PredicateExpressions.VariableID? {
    // Parts of a struct that is not there are not nil by themselves.
    guard Root.Output.self is any PersistentModel.Type else { return nil }
    return ExpressionTypes.translatable(root)?.chainKey
  }
}
