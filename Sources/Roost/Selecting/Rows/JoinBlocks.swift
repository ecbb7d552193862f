internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// The other side of a join, read along an index in blocks of rows with equal keys.
struct JoinBlocks<Result> {
  /// The type in which the engine reads the key.
  let kind: Kind
  let stream: GroupStream
  let query: Query
  let pin: SnapshotPin
  /// Returns the rows with a key, and perhaps some with other keys.
  let rows: (Value) throws -> [(keys: [AnyHashable]?, result: Result)]
  let explain: () -> FetchExplanation

  init(
    kind: Kind, stream: GroupStream, query: Query, pin: SnapshotPin,
    rows: @escaping (Value) throws -> [(keys: [AnyHashable]?, result: Result)],
    explain: @escaping () -> FetchExplanation
  ) {
    (self.kind, self.stream, self.query, self.pin) = (kind, stream, query, pin)
    (self.rows, self.explain) = (rows, explain)
  }
}

extension SelectRun {
  /// Rows of an index that has the order of one column.
  struct Blocks {
    let stream: GroupStream
    let query: Query
    /// The values that are read from each row.
    let values: [Condition]
    let kind: Kind
    /// Code of the program runs between two blocks, and may save. The pin keeps the state in which
    /// the blocks began.
    let pin: SnapshotPin
  }

  /// Returns nil if no index has the order, or if models must be read.
  func blocks(by column: AnySelectedColumn<Model>) throws -> Blocks? {
    let place = try state.stores.known(Model.self)
    let graph = state.graph(place.store)
    guard graph.source == nil, matches.isEmpty else { return nil }
    for keyPath in columns.compactMap({ $0.keyPath }) { try PathShelf.shared.checkUse(keyPath) }
    let placed = columns.compactMap { $0.placed(place.map, graph) }
    guard placed.count == columns.count, let kind = column.kind, kind.isSortable else { return nil }
    let part = try FetchRun(descriptor, state).part(besides: placed.flatMap { $0.passes })
    let (key, query) = (placed[column.number].condition, part.query(isSorted: false))
    guard part.isEngines, !part.isBlind, let stream = try part.graph.planner().groupStream(query, by: [key]) else {
      return nil
    }
    // The order must be that of the index, with equal rows in the order of their numbers.
    if let orders = part.orders, !orders.isEmpty, orders != [Order(key)] || !stream.keepsRowOrder { return nil }
    return Blocks(
      stream: stream, query: query, values: placed.map { $0.condition }, kind: kind, pin: try graph.session.pin())
  }

  /// Explains how the rows were read.
  func told(_ blocks: Blocks) -> FetchExplanation {
    var told = FetchExplanation()
    let facts = blocks.stream.facts
    (told.found, told.rowsRead, told.entriesRead) = (facts.found, facts.rowsRead, facts.entriesRead)
    (told.rowCount, told.indexes, told.testedOnRows) = (facts.rowCount, [blocks.stream.indexName], facts.test)
    (told.makesModels, told.sorting) = (false, descriptor.sortBy.isEmpty ? .none : .index)
    told.description = blocks.stream.explanation
    told.noteSelected(columns.compactMap { $0.keyPath })
    told.addLine("no models are made")
    return told
  }
}
