internal import RoostGraph
internal import RoostQuery
internal import RoostRecords
internal import RoostText

extension Translator {
  /// Translates a search in the full text index of a row's class. Without an index in the store,
  /// memory searches.
  func search(_ row: Operand, _ question: Operand) throws -> TranslatedPart {
    let part = try piece(row)
    guard let map = part.row, let index = try graph.session.catalog().textIndex(.words, of: map) else {
      throw Untranslatable(row.expression)
    }
    return TranslatedPart(.search(RowSearch(index.id), part.expression, try value(of: question)))
  }
}
