internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// The query of the other side of a join.
struct JoinQuestion<Model: PersistentModel> {
  let state: ContextState
  let includePendingChanges: Bool
  private let side: JoinSide<Model>
  private let rows: [SelectRun<Model>.Row]
  private let columns: [AnyJoinColumn<Model>]
  /// Whether rows of the other side without a match are needed too.
  let wantsAll: Bool
  /// The number of rows of the other side that suffice; nil for all.
  var limit: Int?

  /// - Parameters:
  ///   - rows: all rows of the first side.
  ///   - columns: the keys of the first side.
  init(
    _ side: JoinSide<Model>, _ rows: [SelectRun<Model>.Row], columns: [AnyJoinColumn<Model>], state: ContextState,
    includePendingChanges: Bool, wantsAll: Bool = false
  ) {
    (self.side, self.rows, self.columns, self.state) = (side, rows, columns, state)
    (self.includePendingChanges, self.wantsAll) = (includePendingChanges, wantsAll)
  }

  /// Returns the rows of the other side. A row with a nil key has no keys.
  func rows<Other: PersistentModel, Result>(
    _ keys: [AnyJoinColumn<Other>], _ columns: [AnySelectedColumn<Other>], of descriptor: FetchDescriptor<Other>,
    make: (SelectRun<Other>.Row) throws -> Result
  ) throws -> [(keys: [AnyHashable]?, result: Result)] {
    var descriptor = descriptor
    descriptor.includePendingChanges = includePendingChanges
    descriptor.fetchLimit = limit
    var run = SelectRun(descriptor, state, columns: keys + columns)
    run.restriction = wantsAll ? nil : restriction(keys)
    var rows: [(keys: [AnyHashable]?, result: Result)] = []
    let bytes = QueryMemory.joinedRow + QueryMemory.joinedKey * keys.count + MemoryLayout<Result>.stride
    try run.forEach { row in
      let own = try row.keys(keys)
      if own != nil || wantsAll {
        try state.queryMemory?.take(bytes, for: .join)
        rows.append((own, try make(row)))
      }
      return true
    }
    return rows
  }

  /// Returns the rows of the other side in blocks with equal values of one key.
  ///
  /// - Parameter number: the number of the key.
  func blocks<Other: PersistentModel, Result>(
    _ keys: [AnyJoinColumn<Other>], _ columns: [AnySelectedColumn<Other>], by number: Int,
    of descriptor: FetchDescriptor<Other>, make: @escaping (SelectRun<Other>.Row) throws -> Result
  ) throws -> JoinBlocks<Result>? {
    guard descriptor.sortBy.isEmpty else { return nil }
    var descriptor = descriptor
    descriptor.includePendingChanges = includePendingChanges
    let run = SelectRun(descriptor, state, columns: keys + columns)
    guard let blocks = try run.blocks(by: keys[number]) else { return nil }
    let (lookup, width) = (try blocks.stream.lookup(blocks.values), blocks.values.count)
    return JoinBlocks(kind: blocks.kind, stream: blocks.stream, query: blocks.query, pin: blocks.pin) { key in
      let values = try lookup(key)
      return try stride(from: 0, to: values.count, by: width).map { start in
        let row = SelectRun<Other>.Row.stored(values[start..<start + width])
        return (try row.keys(keys), try make(row))
      }
    } explain: {
      run.told(blocks)
    }
  }

  /// Returns nil if all rows of the other side are needed, or if the first side has unsaved models,
  /// whose stored values are not known.
  private func restriction<Other>(_ keys: [AnyJoinColumn<Other>]) -> SelectRestriction<Other>? {
    var restriction = SelectRestriction<Other>()
    if let number = side.keys.firstIndex(where: { $0.comparison == .equal }), let kind = columns[number].kind {
      let values = rows.map { $0.stored(columns[number]) }
      if values.allSatisfy({ $0 != nil }) {
        restriction.wanted = .init(
          column: keys[number], values: values.compactMap { $0 }.filter { !$0.isNull }, kind: kind)
      }
    }
    if rows.count <= SelectRestriction<Other>.mostRanges { restriction.ranges = ranges(keys) ?? [] }
    return restriction.wanted == nil && restriction.ranges.isEmpty ? nil : restriction
  }

  /// Returns the bounds of each row of the first side; nil if some row has none.
  private func ranges<Other>(_ keys: [AnyJoinColumn<Other>]) -> [[SelectRestriction<Other>.Bound]]? {
    var all: [[SelectRestriction<Other>.Bound]] = []
    for row in rows {
      var bounds: [SelectRestriction<Other>.Bound] = []
      var hasNil = false
      for (number, key) in side.keys.enumerated() {
        guard let value = row.stored(columns[number]) else { return nil }
        if value.isNull { hasNil = true }
        guard let comparison = key.comparison.turned, let kind = columns[number].kind else { continue }
        bounds.append(.init(column: keys[number], comparison: comparison, value: value, kind: kind))
      }
      // A row with a nil key matches nothing.
      if hasNil { continue }
      if bounds.isEmpty { return nil }
      all.append(bounds)
    }
    return all
  }
}

extension SelectRun.Row {
  /// Returns the keys of a row; nil if one of them is nil, so that the row has no match.
  func keys(_ columns: [AnyJoinColumn<Model>]) throws -> [AnyHashable]? {
    var keys: [AnyHashable] = []
    for column in columns {
      guard let key = try column.key(self) else { return nil }
      keys.append(key)
    }
    return keys
  }
}
