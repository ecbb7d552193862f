internal import RoostRecords

extension Interpreter {
  /// Whether a full text search finds a row, or the row's rank. A nil reference is not found and
  /// has rank 0.
  mutating func search(_ term: Term) throws -> Value {
    let answer = try ground.answer(term)
    let row = try value(term.operands[0])
    var isRank = false
    if case .rank = term.expression { isRank = true }
    guard case .reference(let row) = row else { return isRank ? .double(0) : .bool(false) }
    return isRank ? .double(try answer.rank(row)) : .bool(try answer.contains(row))
  }
}
