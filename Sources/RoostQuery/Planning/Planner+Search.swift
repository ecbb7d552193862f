internal import RoostRecords

/// Accesses over full text indexes.
extension Planner {
  /// The rows that the searches of a condition find.
  func searching(_ conjunction: Conjunction) throws -> [Candidate] {
    var found: [Candidate] = []
    for (number, part) in conjunction.parts.enumerated() where part.isOwnSearch {
      let answer = try ground.answer(part)
      let count = try answer.estimate()
      found.append(
        Candidate(
          access: .searched(answer), count: count, isCountExact: false, cost: Cost.seek + Double(count) * Cost.entry,
          covered: PartSet(number)))
    }
    return found
  }

  /// The rows that contain the trigrams of texts which the condition searches for. The condition is
  /// tested on these rows.
  func substrings(_ table: TableReader, _ conjunction: Conjunction) throws -> [Candidate] {
    var found: [Candidate] = []
    for reader in table.texts where reader.isWhole && reader.index.findsSubstrings {
      for part in conjunction.parts {
        var finder = SubstringFinder()
        guard let (field, test, text) = finder.find(part), reader.index.fields.contains(field),
          test != .containsLoosely || reader.index.foldsAll, let question = SubstringFinder.question(text)
        else { continue }
        let search = RowSearch(reader.index.id)
        let answer = try ground.answers.answer(search, question) { try SearchAnswer(reader, search, text: question) }
        let count = try answer.estimate()
        found.append(
          Candidate(
            access: .searched(answer), count: count, isCountExact: false, cost: Cost.seek + Double(count) * Cost.entry,
            covered: PartSet()))
      }
    }
    return found
  }

  /// The rows of a search in the order of their ranks; nil if the query asks for another order.
  func ranking(_ conjunction: Conjunction, _ order: [SortTerm]) throws -> Candidate? {
    guard order.count == 1, let key = order.first?.key, !order[0].isDescending,
      case .rank(let rank, .variable(0), let question) = key.expression
    else { return nil }
    for (number, part) in conjunction.parts.enumerated() where part.isOwnSearch {
      guard case .search(let search, _, question) = part.expression, search.index == rank.index else { continue }
      let answer = try ground.answer(key)
      let count = try answer.estimate()
      let cost = Cost.seek + Double(count) * Cost.entry
      return Candidate(
        access: .ranked(answer), count: count, isCountExact: false, cost: cost, covered: PartSet(number),
        fixedCost: cost)
    }
    return nil
  }
}

extension Term {
  /// Whether it searches for the row itself and its question is known.
  var isOwnSearch: Bool {
    if case .search(_, .variable(0), _) = expression { operands[1].isConstant } else { false }
  }

  /// The reference whose row is searched for; nil if the search is for another row.
  var searchedReference: FieldID? {
    if case .search(_, .field(.variable(0), let id), _) = expression { id } else { nil }
  }
}
