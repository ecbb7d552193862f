internal import RoostRecords

/// Full text searches.
extension Checker {
  /// The term of a search or of its rank. It rejects a constant question that cannot be parsed.
  mutating func search(_ search: RowSearch, _ expression: Expression) throws(ConditionFault) -> Term {
    let parts = try terms(expression.operands)
    guard let index = catalog.textIndex(search.index) else {
      throw unknown(expression, "there is no full text index with the number \(search.index.number)")
    }
    guard parts[0].kind.entity == index.entity else {
      throw wrong(expression, "the full text index \(index.name) has no rows of \(parts[0].kind)")
    }
    guard parts[1].kind == .string, parts[1].isConstant || parts[1].isParameter else {
      throw wrong(expression, "the question must be a constant text")
    }
    if case .string(let text) = parts[1].constant {
      do throws(FullTextFault) { try index.check(question: text, of: catalog) } catch {
        throw ConditionFault(.badPattern, error.detail, in: describer.text(expression))
      }
    }
    let kind: Kind = if case .rank = expression { .plain(.double) } else { .bool }
    return Term(expression, kind, operands: .two(parts[0], parts[1]), target: .search(index))
  }
}

extension Term {
  fileprivate var isParameter: Bool { if case .parameter = expression { true } else { false } }
}
