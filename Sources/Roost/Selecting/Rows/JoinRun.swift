internal import RoostGraph
internal import RoostQuery

/// Joins rows with the rows of another side.
struct JoinRun<Model: PersistentModel, Result> {
  private let join: Join<Model, Result>
  let keys: [AnyJoinColumn<Model>]
  /// Whether rows of the other side without a match are included.
  private let keepsOthers: Bool

  /// More pairs than this are probably a mistake.
  static var mostRows: Int { 10_000_000 }

  init(_ join: Join<Model, Result>, keepsOthers: Bool = false) throws {
    self.join = join
    self.keepsOthers = keepsOthers
    keys = join.side.keys.map { $0.column() }
    if keys.isEmpty {
      throw RoostError(
        .badValue,
        "a join needs a key: write on: .equal(…), with a key path of each side, or on: .all for each model with all others"
      )
    }
  }

  static func check(pairs count: Int) throws {
    guard count > mostRows else { return }
    throw RoostError(.badValue, "the join has more than \(mostRows) pairs: add a predicate, a limit, or another key")
  }

  /// Calls a closure with each row and a matching result, until it returns false. The result is nil
  /// if the row has no match, and the row is nil if the result has none.
  ///
  /// - Parameter enough: the number of pairs that suffice; nil for all.
  func forEach(
    _ rows: [SelectRun<Model>.Row], _ state: ContextState, includePendingChanges: Bool, enough: Int? = nil,
    body: (SelectRun<Model>.Row?, Result?) throws -> Bool
  ) throws {
    var question = JoinQuestion(
      join.side, rows, columns: keys, state: state, includePendingChanges: includePendingChanges,
      wantsAll: keepsOthers)
    if join.side.isAll, !keepsOthers { question.limit = enough }
    let found = try join.select(question)
    if join.side.isAll {
      // For `.all` the number of pairs is known in advance.
      let (all, isTooLarge) = rows.count.multipliedReportingOverflow(by: found.count)
      try Self.check(pairs: min(isTooLarge ? .max : all, enough ?? .max))
    }
    var index = JoinIndex(join.side, found.map { $0.keys })
    state.notes?.changeLast { if $0.joining == .none || index.joining != .table { $0.joining = index.joining } }
    var count = 0
    // A number, and a row of results with at least one value besides the joined ones.
    let bytes = 2 * QueryMemory.value + MemoryLayout<Result>.stride
    var isMatched = keepsOthers ? Array(repeating: false, count: found.count) : []
    for row in rows {
      var own: [Int] = []
      if let keys = try row.keys(keys) {
        // Unless the pairs are sorted afterwards, one row needs at most as many as the whole
        // result.
        let most = index.joining == .sorted || keepsOthers ? .max : enough ?? .max
        try index.forEach(keys) { place in
          count += 1
          try Self.check(pairs: count)
          try state.queryMemory?.take(bytes, for: .join)
          own.append(place)
          return own.count < most
        }
      }
      if index.joining == .sorted { own.sort() }
      for place in own {
        if keepsOthers { isMatched[place] = true }
        if try !body(row, .some(found[place].result)) { return }
      }
      if own.isEmpty, join.keepsAll || keepsOthers, try !body(row, nil) { return }
    }
    guard keepsOthers else { return }
    for place in found.indices where !isMatched[place] { if try !body(nil, .some(found[place].result)) { return } }
  }
}
