internal import Foundation
internal import RoostGraph
internal import RoostQuery

/// `?:`.
extension Translator {
  func choice(_ test: Operand, _ one: Operand, other: Operand) throws -> TranslatedPart {
    let test = try value(of: test)
    let (one, other) = (try piece(one), try piece(other))
    let (first, second) = try values(one, other)
    return TranslatedPart(.conditional(test, first, second), one.row ?? other.row)
  }
}

extension TranslatedPart {
  /// Makes a part of a row if its entity is known, and of a value otherwise.
  init(_ expression: Condition, _ map: EntityMap?) { self.init(expression, map.map { .row($0) } ?? .value) }
}

extension Translator {
  /// Translates two operands. The meaning of one may follow from the other.
  func values(_ one: TranslatedPart, _ other: TranslatedPart) throws -> (Condition, Condition) {
    (try value(one, beside: other), try value(other, beside: one))
  }

  private func value(_ piece: TranslatedPart, beside other: TranslatedPart) throws -> Condition {
    guard let captured = piece.captured else { return try value(piece) }
    if let map = other.row { return try Constant.row(captured, of: map, graph, unknown: unknown) }
    if let map = other.rows { return try Constant.rows(captured, of: map, graph, unknown: unknown) }
    return try Constant.make(captured)
  }
}
