internal import RoostRecords

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
    return try answers.answer(search, text) {
      guard let reader = try table(index.entity).text(index.id) else {
        throw ConditionFault(.unknown, "there is no full text index \(index.name)", in: "the search")
      }
      guard reader.isWhole else {
        throw ConditionFault(.unknown, "the full text index \(index.name) is still being built", in: "the search")
      }
      return try SearchAnswer(reader, search, text: text)
    }
  }
}
