internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// `is` and `as?`, where the class is known: a query is asked of one entity at a time.
extension PredicateExpressions.TypeCheck: Translatable {
  func piece(_ translator: Translator) throws -> Piece {
    let inner = try translator.piece(input)
    guard let map = inner.row, inner.expression == .row else { throw Untranslatable(self) }
    return Piece(.constant(.bool(map.type.model is Desired.Type), .bool))
  }
}

extension PredicateExpressions.ConditionalCast: Translatable {
  func piece(_ translator: Translator) throws -> Piece {
    let inner = try translator.piece(input)
    guard let map = inner.row, inner.expression == .row, map.type.model is Desired.Type else {
      throw Untranslatable(self)
    }
    return inner
  }
}
