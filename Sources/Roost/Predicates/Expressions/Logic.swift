internal import Foundation
internal import RoostGraph
internal import RoostQuery

/// `&&`, `||`, `!`, `?:`.
extension PredicateExpressions.Conjunction: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    TranslatedPart(.and(try JoinedExpressions.parts(of: self, .and).map { try translator.condition($0) }))
  }

  var joined: JoinedExpressions? { JoinedExpressions(joint: .and, parts: [lhs, rhs]) }
}

extension PredicateExpressions.Disjunction: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    TranslatedPart(.or(try JoinedExpressions.parts(of: self, .or).map { try translator.condition($0) }))
  }

  var joined: JoinedExpressions? { JoinedExpressions(joint: .or, parts: [lhs, rhs]) }
}

extension PredicateExpressions.Negation: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    TranslatedPart(.not(try translator.value(of: wrapped)))
  }
}

extension PredicateExpressions.Conditional: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    let test = try translator.value(of: test)
    let (one, other) = (try translator.piece(trueBranch), try translator.piece(falseBranch))
    let (first, second) = try translator.values(one, other)
    return TranslatedPart(.conditional(test, first, second), one.row ?? other.row)
  }
}

extension TranslatedPart {
  /// A row, if it is known of which entity, or else a value.
  init(_ expression: Condition, _ map: EntityMap?) { self.init(expression, map.map { .row($0) } ?? .value) }
}

extension Translator {
  /// Two pieces of which one may say what the other one is.
  func values(_ one: TranslatedPart, _ other: TranslatedPart) throws -> (Condition, Condition) {
    (try value(one, beside: other), try value(other, beside: one))
  }

  private func value(_ piece: TranslatedPart, beside other: TranslatedPart) throws -> Condition {
    guard let captured = piece.captured else { return try value(piece) }
    if let map = other.row { return try Constant.row(captured, of: map, graph) }
    if let map = other.rows { return try Constant.rows(captured, of: map, graph) }
    return try Constant.make(captured)
  }
}
