package import RoostRecords

extension Ground {
  /// The answer to the question of a search, or of its rank.
  func answer(_ term: Term) throws -> SearchAnswer {
    guard case .search(let index) = term.target, case .string(let text) = term.operands[1].constant else {
      throw ConditionFault(.unknown, "the question has no value", in: "the search")
    }
    let search: RowSearch
    switch term.expression {
    case .search(let own, _, _), .rank(let own, _, _): search = own
    default: throw ConditionFault(.unknown, "it is no search", in: "the search")
    }
    return try answer(search, text, index: index)
  }

  private func answer(_ search: RowSearch, _ text: String, index: FullTextIndex) throws -> SearchAnswer {
    try answers.answer(search, text) {
      guard let reader = try table(index.entity).text(index.id) else {
        throw ConditionFault(.unknown, "there is no full text index \(index.name)", in: "the search")
      }
      guard reader.isWhole else {
        throw ConditionFault(.unknown, "the full text index \(index.name) is still being built", in: "the search")
      }
      return try SearchAnswer(reader, search, text: text)
    }
  }

  /// The score of a stored row; 0 if it does not match. A query of this ground that sorted by the
  /// rank has already computed the scores of its rows.
  package func score(
    _ search: RowSearch, _ question: String, index: FullTextIndex, row: RowID
  ) throws -> Double {
    -(try answer(search, question, index: index).rank(row))
  }
}
