internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// The result of a fetch: row numbers, in order.
struct FetchedPlaces<Model: PersistentModel> {
  let graph: GraphContext
  let map: EntityMap
  private(set) var rows: [UInt64] = []
  /// The number of each row's map, if the class has subclasses.
  private var classes: [Int32] = []
  /// The unsaved models in the result.
  private(set) var waiting: [UInt64: Model] = [:]

  init(_ graph: GraphContext, _ map: EntityMap) {
    self.graph = graph
    self.map = map
  }

  mutating func append(_ row: UInt64, _ own: EntityMap) {
    rows.append(row)
    if map.family != nil { classes.append(Int32(own.number)) }
  }

  mutating func append(_ model: Model) {
    append(model._$state.row, model.entityMap ?? map)
    if model.isPending { waiting[model._$state.row] = model }
  }

  mutating func insert(_ model: Model, at place: Int) {
    rows.insert(model._$state.row, at: place)
    if map.family != nil { classes.insert(Int32((model.entityMap ?? map).number), at: place) }
    waiting[model._$state.row] = model
  }

  /// Keeps only a range of the result.
  mutating func keep(_ wanted: Range<Int>) {
    let wanted = wanted.clamped(to: 0..<rows.count)
    if wanted.count == rows.count { return }
    rows = Array(rows[wanted])
    if map.family != nil { classes = Array(classes[wanted]) }
  }

  func identifier(_ place: Int) -> PersistentIdentifier {
    let row = rows[place]
    // An unsaved model has its own identifier.
    if let model = waiting[row] { return model.persistentModelID }
    let type = map.family == nil ? map.type : graph.store.maps[Int(classes[place])].type
    return graph.store.identifier(type.name, row)
  }
}

extension FetchRun {
  func places() throws -> FetchedPlaces<Model> { try places(part()) }

  /// Finds the row numbers of the models. It makes only models with unsaved changes.
  func places(_ part: FetchPart<Model>) throws -> FetchedPlaces<Model> {
    var places = FetchedPlaces<Model>(part.graph, part.map)
    guard part.tests.isEmpty, part.orders != nil else {
      for model in try objects(part) { places.append(model) }
      return places
    }
    if part.isEngines {
      for (map, row) in try part.graph.rows(part.query(isSorted: true, offset: offset, limit: limit), part.map) {
        places.append(row.number, map)
      }
      return places
    }
    let asked = part.excluded.isEmpty ? part : part.withoutExcluded
    for (map, row) in try part.graph.rows(asked.query(isSorted: true, limit: enough(part)), part.map) {
      places.append(row.number, map)
    }
    try merge(part.pending, into: &places, part)
    let end = limit.map { offset.addingReportingOverflow($0) }
    places.keep(min(offset, places.rows.count)..<max(offset, end.map { $0.overflow ? .max : $0.partialValue } ?? .max))
    return places
  }

  /// Merges unsaved models into the sorted rows by binary search. Only rows that the search compares are loaded.
  private func merge(_ pending: [Model], into places: inout FetchedPlaces<Model>, _ part: FetchPart<Model>) throws {
    if rules.isEmpty {
      for model in pending { places.append(model) }
      return
    }
    var next = 0
    for model in pending.sorted(by: rules.precedes) {
      let place = try rules.place(of: model, from: next, to: places.rows.count) { place in
        let row = places.rows[place]
        guard let other = try part.graph.objects.read([RowID(row)], part.map).first as? Model else {
          throw RoostError(.unreadable, "row \(row) of \(part.map.type.name) was found, but does not exist")
        }
        return other
      }
      places.insert(model, at: place)
      next = place + 1
    }
  }
}
