internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// A join that reads both sides along indexes in the order of an equal key. Only the rows of one
/// key are in memory at a time.
///
/// It reads the first side in blocks of equal keys. For each block it looks the key up in the other
/// index, so it skips keys that only the other side has. It tests the other keys of the join.
struct MergeJoin<Model: PersistentModel, Result> {
  private let side: JoinSide<Model>
  private let keys: [AnyJoinColumn<Model>]
  private let number: Int
  private let keepsAll: Bool
  private let run: SelectRun<Model>
  private let own: SelectRun<Model>.Blocks
  private let other: JoinBlocks<Result>

  /// Returns nil if no two indexes have the order of an equal key, or if the result needs another
  /// order.
  init?(
    _ join: Join<Model, Result>, _ keys: [AnyJoinColumn<Model>], of run: SelectRun<Model>, includePendingChanges: Bool
  ) throws {
    (side, self.keys, self.run, keepsAll) = (join.side, keys, run, join.keepsAll)
    guard let number = side.keys.firstIndex(where: { $0.comparison == .equal }) else { return nil }
    self.number = number
    guard let own = try run.blocks(by: keys[number]) else { return nil }
    let question = JoinQuestion(
      side, [], columns: keys, state: run.state, includePendingChanges: includePendingChanges)
    guard let other = try join.blocks(question, number), other.kind.whole == own.kind.whole else { return nil }
    (self.own, self.other) = (own, other)
  }

  /// Whether this join costs less than the other kinds.
  func isPreferred(limit: Int?) throws -> Bool {
    if let forced = ForcedWay.mergesJoins { return forced }
    let graph = run.state.graph(try run.state.stores.known(Model.self).store)
    return try graph.planner().prefersMerge(
      own.stream, with: other.stream, of: (own.query, other.query), limit: limit)
  }

  /// Calls a closure with each row and a matching result, until it returns false. The result is nil
  /// if the row has no match.
  func forEach(_ body: @escaping (SelectRun<Model>.Row, Result?) throws -> Bool) throws {
    let memory = run.state.queryMemory
    let (width, place) = (own.values.count, keys[number].number)
    var block: [(keys: [AnyHashable]?, result: Result)] = []
    var (hasBegun, wantsMore) = (false, true)
    var count = 0
    try own.stream.forEach(own.values) { values in
      guard wantsMore else { return }
      if !hasBegun {
        hasBegun = true
        block = try other.rows(values[place])
      }
      let mark = memory?.mark ?? 0
      let bytes = QueryMemory.joinedRow + QueryMemory.joinedKey * keys.count + MemoryLayout<Result>.stride
      try memory?.take(bytes * block.count + QueryMemory.value * values.count, for: .join)
      memory?.giveBack(to: mark)
      for start in stride(from: 0, to: values.count, by: width) {
        let row = SelectRun<Model>.Row.stored(values[start..<start + width])
        var isMatched = false
        if let mine = try row.keys(keys) {
          for candidate in block {
            guard let theirs = candidate.keys, belong(mine, theirs) else { continue }
            isMatched = true
            count += 1
            try JoinRun<Model, Result>.check(pairs: count)
            try memory?.take(2 * QueryMemory.value + MemoryLayout<Result>.stride, for: .join)
            wantsMore = try body(row, .some(candidate.result))
            if !wantsMore { return }
          }
        }
        if !isMatched, keepsAll {
          try memory?.take(2 * QueryMemory.value + MemoryLayout<Result>.stride, for: .join)
          wantsMore = try body(row, nil)
        }
        if !wantsMore { return }
      }
    } end: { _ in
      hasBegun = false
      block = []
      return wantsMore
    }
    note()
  }

  private func belong(_ own: [AnyHashable], _ other: [AnyHashable]) -> Bool {
    side.keys.indices.allSatisfy { side.keys[$0].test.holds(own[$0], other[$0]) }
  }

  /// Reports the indexes that were read to ``ModelContext/explain(call:)``.
  private func note() {
    guard let notes = run.state.notes else { return }
    notes.add(run.told(own))
    var told = other.explain()
    told.joining = .merge
    notes.add(told)
  }
}
