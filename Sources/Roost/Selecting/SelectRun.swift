internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Selected values of the models that a descriptor asks for.
///
/// The engine reads them from rows, and no models are made. Models with unsaved changes are asked themselves. If a column is computed, or if
/// the engine cannot test or sort, all models are fetched.
struct SelectRun<Model: PersistentModel> {
  private let descriptor: FetchDescriptor<Model>
  private let state: ContextState
  private let columns: [AnySelectedColumn<Model>]
  /// Some rows are not wanted, and the engine may leave them out.
  var restriction: SelectRestriction<Model>?
  /// Whether rows without an order come in that of their numbers, whatever the plan.
  var isInRowOrder = false

  init(_ descriptor: FetchDescriptor<Model>, _ state: ContextState, columns: [AnySelectedColumn<Model>]) {
    (self.descriptor, self.state, self.columns) = (descriptor, state, columns)
    for (number, column) in columns.enumerated() { column.number = number }
  }

  /// One row that was found.
  enum Row {
    case stored(ArraySlice<Value>)
    case model(Model)

    func value<Known>(_ column: SelectedColumn<Model, Known>) throws -> Known {
      switch self {
      case .stored(let values): try column.value(values[values.startIndex + column.number])
      case .model(let model): column.value(model)
      }
    }

    /// A value as it is stored; nil if a model has it.
    func stored(_ column: AnySelectedColumn<Model>) -> Value? {
      guard case .stored(let values) = self else { return nil }
      return values[values.startIndex + column.number]
    }
  }

  /// Calls a closure with each row in order, until it returns false.
  func forEach(_ body: (Row) throws -> Bool) throws {
    let place = try state.stores.known(Model.self)
    let graph = state.graph(place.store)
    for column in columns { try column.path?.checkUse() }
    let run = FetchRun(descriptor, state)
    let placed = columns.compactMap { $0.placed(place.map, graph.store) }
    var part = try run.part(besides: placed.flatMap(\.passes))
    if isInRowOrder, part.orders?.isEmpty == true { part.orders = [Order(.row)] }
    guard placed.count == columns.count, part.tests.isEmpty, part.orders != nil, !part.isBlind else {
      for model in try run.objects(part) { if try !body(.model(model)) { return } }
      return
    }
    let planner = try part.graph.planner()
    let conditions = placed.map(\.condition)
    // The closure may run code of users, so the rows are read before.
    if part.isEngines {
      let wanted = try restriction?.restricted(part, placed) ?? part
      let values = try planner.values(wanted.query(isSorted: true, offset: run.offset, limit: run.limit), conditions)
      for start in stride(from: 0, to: values.count, by: columns.count) {
        if try !body(.stored(values[start..<start + columns.count])) { return }
      }
      return
    }
    let places = try run.places(part)
    let stored = places.rows.filter { places.waiting[$0] == nil }
    let values = try planner.values(stored.map { RowID($0) }, of: place.map.entity.name, conditions)
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
}

/// Some values of a column are wanted.
struct SelectRestriction<Model: PersistentModel> {
  let column: AnySelectedColumn<Model>
  let values: [Value]
  let kind: Kind

  /// So many rows are read while an index finds one.
  private static var rowsPerSearch: Int { 4 }

  /// Nil if that would not spare much.
  func restricted(_ part: FetchPart<Model>, _ placed: [PlacedPath]) throws -> FetchPart<Model>? {
    let found = placed[column.number]
    guard found.kind.whole == kind.whole, kind.isSortable,
      try part.graph.planner().count(part.query(isSorted: false)) > Self.rowsPerSearch * values.count
    else { return nil }
    return part.plain.asking(.contains(.constant(.array(values), .array(found.kind)), found.condition))
  }
}
