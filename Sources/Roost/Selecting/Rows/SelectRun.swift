internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Selects values of the models of a descriptor.
///
/// The engine reads them from rows, and no models are made. For models with unsaved changes the
/// models themselves are read. If a column is computed, or if the engine cannot test or sort, all
/// models are fetched.
/// the engine cannot test or sort, all models are fetched.
struct SelectRun<Model: PersistentModel> {
  let descriptor: FetchDescriptor<Model>
  let state: ContextState
  let columns: [AnySelectedColumn<Model>]
  /// The restriction of a join. The engine may leave out all other rows.
  var restriction: SelectRestriction<Model>?

  let matches: [MatchRun<Model>]

  init(
    _ descriptor: FetchDescriptor<Model>, _ state: ContextState, columns: [AnySelectedColumn<Model>],
    matching matches: [MatchRun<Model>] = []
  ) {
    (self.descriptor, self.state, self.matches) = (descriptor, state, matches)
    self.columns = columns + matches.flatMap { $0.keys }
    for (number, column) in self.columns.enumerated() { column.number = number }
  }

  /// A row of the result.
  enum Row {
    case stored(ArraySlice<Value>)
    case model(Model)

    func value<Known>(_ column: SelectedColumn<Model, Known>) throws -> Known {
      switch self {
      case .stored(let values): try column.value(values[values.startIndex + column.number])
      case .model(let model): try column.value(model)
      }
    }

    /// Returns the value of a column whose type the caller knows.
    func value<Known>(_ column: AnySelectedColumn<Model>, as type: Known.Type) throws -> Known {
      try value(unsafeDowncast(column, to: SelectedColumn<Model, Known>.self))
    }

    /// Returns the stored form of a value; nil if a model has the value.
    func stored(_ column: AnySelectedColumn<Model>) -> Value? {
      guard case .stored(let values) = self else { return nil }
      return values[values.startIndex + column.number]
    }
  }

  /// Calls a closure with each row in order, until it returns false.
  func forEach(_ body: (Row) throws -> Bool) throws {
    if matches.isEmpty { return try forEachFound(body) }
    var rows: [Row] = []
    try forEachFound { row in
      rows.append(row)
      return true
    }
    for match in matches {
      rows = try match.filtered(rows, state, includePendingChanges: descriptor.includePendingChanges)
    }
    for row in rows { if try !body(row) { return } }
  }

  /// Calls a closure with each row of the descriptor, including rows that do not match.
  private func forEachFound(_ body: (Row) throws -> Bool) throws {
    let place = try state.stores.known(Model.self)
    let graph = state.graph(place.store)
    try graph.holdingSnapshot { try forEachFound(place, graph, body: body) }
  }

  private func forEachFound(_ place: StoreSet.Place, _ graph: GraphContext, body: (Row) throws -> Bool) throws {
    for keyPath in columns.compactMap({ $0.keyPath }) { try PathShelf.shared.checkUse(keyPath) }
    let run = FetchRun(descriptor, state)
    let placed = columns.compactMap { $0.placed(place.map, graph) }
    let passes = placed.flatMap { $0.passes }
    // In a working set, all rows of the other entities would have to be loaded.
    let isFar = graph.source != nil && !passes.isEmpty
    let part = try run.part(besides: isFar ? [] : passes)
    guard placed.count == columns.count, part.tests.isEmpty, part.orders != nil, !part.isBlind, !isFar else {
      try note(run, part, madeOf: unplaced(place.map, graph))
      let models = try run.models(part)
      for path in columns.compactMap({ $0.path }) where !path.references.isEmpty {
        graph.links.prefetch(place.map, models, along: path.references)
      }
      for model in models { if try !body(.model(model)) { return } }
      return
    }
    let conditions = placed.map { $0.condition }
    // All rows are read before the closure runs, because it may call code of the program.
    if part.isEngines {
      let wanted = try restriction?.restricted(part, placed)
      try note(run, wanted ?? part, isLookup: wanted != nil)
      let values = try part.graph.planner().values(
        (wanted ?? part).query(isSorted: true, offset: run.offset, limit: run.limit), conditions,
        memory: state.queryMemory)
      for start in stride(from: 0, to: values.count, by: columns.count) {
        if try !body(.stored(values[start..<start + columns.count])) { return }
      }
      return
    }
    try note(run, part)
    let places = try run.places(part)
    let stored = places.rows.filter { places.waiting[$0] == nil }
    let values = try part.graph.planner().values(
      stored.map { RowID($0) }, of: place.map.entity.name, conditions,
      memory: state.queryMemory)
    var start = 0
    for row in places.rows {
      if let model = places.waiting[row] {
        if try !body(.model(model)) { return }
      } else {
        if try !body(.stored(values[start..<start + columns.count])) { return }
        start += columns.count
      }
    }
  }

  // MARK: Explaining

  /// Returns the source text of the first column that rows do not have.
  private func unplaced(_ map: EntityMap, _ graph: GraphContext) -> String? {
    if state.notes == nil { return nil }
    return columns.first { $0.placed(map, graph) == nil }?.keyPath.map { PathNames.text($0) }
  }

  /// Notes for ``ModelContext/explain(call:)`` how the rows are read.
  private func note(
    _ run: FetchRun<Model>, _ part: FetchPart<Model>, isLookup: Bool = false, madeOf computed: String?? = .none
  ) throws {
    guard let notes = state.notes else { return }
    var told = try run.explanation(part)
    told.joining = isLookup ? .lookup : .none
    told.makesModels = computed != nil
    told.noteSelected(columns.compactMap { $0.keyPath })
    if let computed {
      told.addLine("models are made" + (computed.map { ", because rows do not have \($0)" } ?? ""))
    } else if part.isChanged {
      told.addLine("no models are made, beside those with unsaved changes")
    } else {
      told.addLine("no models are made")
    }
    notes.add(told)
  }
}

extension FetchExplanation {
  /// Names the properties that are read, each once.
  mutating func noteSelected(_ keyPaths: [AnyKeyPath]) {
    for keyPath in keyPaths {
      let name = PathNames.text(keyPath)
      if !selected.contains(name) { selected.append(name) }
    }
    if !selected.isEmpty { addLine("reads \(selected.joined(separator: ", "))") }
  }
}
