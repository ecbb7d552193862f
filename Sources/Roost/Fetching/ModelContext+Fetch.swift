internal import RoostFile
internal import RoostGraph
internal import RoostRecords

/// Finding models.
extension ModelContext {
  /// The models that a descriptor asks for.
  @_disfavoredOverload
  public func fetch<T>(_ descriptor: FetchDescriptor<T>) throws -> [T] where T: PersistentModel {
    try found(descriptor)
  }

  func found<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    try state.call(.fetching) {
      if let found = try PreparedFetch.objects(descriptor, state) { return found }
      return try FetchRun(descriptor, state).objects()
    }
  }

  /// The models that a descriptor asks for. At most four batches are in memory: see ``FetchResultsCollection``.
  public func fetch<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> FetchResultsCollection<T> where T: PersistentModel {
    try batches(descriptor, batchSize, place: (fileID, line))
  }

  /// The models that a descriptor asks for, in batches, without the place of the call.
  @_disfavoredOverload
  public func fetch<T>(_ descriptor: FetchDescriptor<T>, batchSize: Int) throws -> FetchResultsCollection<T>
  where T: PersistentModel { try batches(descriptor, batchSize, place: nil) }

  private func batches<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ batchSize: Int, place: ContextState.CodePlace?
  ) throws -> FetchResultsCollection<T> {
    try Self.check(batchSize)
    return try state.traced(.fetch, descriptor, place: place, note: { $1.found = $0.count }) {
      try state.call(.fetching) {
        let places = try FetchRun(descriptor, state).places()
        return FetchResultsCollection(ModelPages(places, size: batchSize, try places.graph.session.pin(), state: state))
      }
    }
  }

  private static func check(_ batchSize: Int) throws {
    if batchSize > 0 { return }
    throw RoostError(.badValue, "the batchSize is \(batchSize): give 1 or more")
  }

  /// Some models of a fetch, and where the next ones begin. An index that has the fetch's order finds the place at once, however
  /// far behind it is; `fetchOffset` would go on counting from the beginning, also when others insert and delete in front.
  ///
  /// ```swift
  /// var page = try context.fetchPage(descriptor)
  /// while let next = page.next { page = try context.fetchPage(descriptor, after: next) }
  /// ```
  ///
  /// A page has as many models as the descriptor's `fetchLimit` says, or 100.
  public func fetchPage<T>(
    _ descriptor: FetchDescriptor<T>, after cursor: FetchCursor? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws -> FetchPage<T> where T: PersistentModel {
    try state.traced(.fetch, descriptor, place: (fileID, line), note: { $1.found = $0.models.count }) {
      try state.call(.fetching) { try FetchRun(descriptor, state).page(after: cursor) }
    }
  }

  /// How many models there are. Where an index knows it no row is read.
  @_disfavoredOverload
  public func fetchCount<T>(_ descriptor: FetchDescriptor<T>) throws -> Int where T: PersistentModel {
    try counted(descriptor)
  }

  func counted<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    try state.call(.fetching) {
      if let count = try PreparedFetch.count(descriptor, state) { return count }
      return try FetchRun(descriptor, state).count()
    }
  }

  /// The identifiers of the models that a descriptor asks for, in its order. No model is read or made.
  @_disfavoredOverload
  public func fetchIdentifiers<T>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel {
    try identified(descriptor)
  }

  func identified<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier] {
    try state.call(.fetching) { try FetchRun(descriptor, state).identifiers() }
  }

  /// The identifiers of the models that a descriptor asks for. Eight bytes are kept for each; an identifier is made
  /// when it is read.
  ///
  /// - Parameters:
  ///   - descriptor: the predicate, the order, the limit and the offset.
  ///   - batchSize: checked to be positive, as in SwiftData, and otherwise without effect here.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel {
    try Self.check(batchSize)
    return try state.call(.fetching) {
      FetchResultsCollection(IdentifierPages(try FetchRun(descriptor, state).places()))
    }
  }

  /// Carries a fetch out and says how: by which index, what is tested on rows, and what on models, which takes longer; how many rows
  /// that reads, and which index would spare most of them.
  public func explain<T>(_ descriptor: FetchDescriptor<T>) throws -> FetchExplanation where T: PersistentModel {
    try state.call(.fetching) { try FetchRun(descriptor, state).explanation() }
  }

  /// Carries out one call that selects or aggregates, and says how:
  ///
  ///     print(try context.explain { try $0.select(Bill.self, \.number, \.place?.city) })
  ///
  /// It says how each class is read, which properties, whether models are made, how rows are joined and how groups are found. The rows are read
  /// twice, once for the numbers of the explanation.
  public func explain<R>(call: (ModelContext) throws -> R) throws -> FetchExplanation {
    if state.explaining != nil { throw RoostError(.badValue, "explain is called inside of explain: explain one call") }
    let notes = ExplanationNotes()
    state.explaining = notes
    defer { state.explaining = nil }
    _ = try call(self)
    if let only = notes.calls.first, notes.calls.count == 1 { return only }
    throw RoostError(
      .badValue,
      "explain saw \(notes.calls.count) selections and aggregates in its closure: write one call of select, selectDistinct, aggregate, sum, average, minimum or maximum there. For a fetch write explain(descriptor)"
    )
  }

  /// Calls a closure with each model, and keeps at most one batch of models that were not changed. The call finds the models at its
  /// beginning, and leaves out those that are deleted before their turn.
  ///
  /// ```swift
  /// try context.enumerate(FetchDescriptor<Song>(), batchSize: 1000) { song in
  ///   song.title = song.title.uppercased()
  /// }
  /// try context.save()
  /// ```
  ///
  /// - Parameters:
  ///   - fetch: the predicate, the order, the limit and the offset.
  ///   - batchSize: how many models are read at a time.
  ///   - allowEscapingMutations: accepted as in SwiftData, without effect: changes are always kept.
  ///   - fileID: the file of the call, for traces.
  ///   - line: the line of the call, for traces.
  ///   - block: called with each model in turn. Its error ends the call.
  public func enumerate<T>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    fileID: StaticString = #fileID, line: UInt = #line, block: (_ model: T) throws -> Void
  ) throws where T: PersistentModel {
    try each(of: fetchIdentifiers(fetch, fileID: fileID, line: line), batchSize, block)
  }

  /// Calls a closure with each model, without the place of the call.
  @_disfavoredOverload
  public func enumerate<T>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws where T: PersistentModel { try each(of: identified(fetch), batchSize, block) }

  private func each<T: PersistentModel>(
    of identifiers: [PersistentIdentifier], _ batchSize: Int, _ block: (_ model: T) throws -> Void
  ) throws {
    let size = max(1, batchSize)
    var counter = InterruptCounter()
    var start = 0
    while start < identifiers.count {
      let end = min(identifiers.count, start.addingReportingOverflow(size).partialValue)
      let batch = identifiers[start..<max(end, start + 1)]
      var models = try state.call(.fetching) { try filled(batch, as: T.self) }
      start += batch.count
      models.reverse()
      while let model = models.popLast() {
        try counter.step()
        try block(model)
      }
    }
  }

  /// The models of identifiers, read together. Those that were deleted meanwhile are left out.
  private func filled<T>(_ identifiers: ArraySlice<PersistentIdentifier>, as type: T.Type) throws -> [T]
  where T: PersistentModel {
    var faults: [Int: (place: StoreSet.Place, rows: [RowID])] = [:]
    for identifier in identifiers {
      guard let (place, row) = state.stores.row(of: identifier) else { continue }
      let map = state.stores.stores[place.store].maps.firstIndex { $0 === place.map } ?? 0
      faults[place.store << 32 | map, default: (place, [])].rows.append(RowID(row))
    }
    // Held until each identifier has its model.
    var read: [any _ModelObject] = []
    for (place, rows) in faults.values {
      read += try state.graph(place.store).objects.read(rows, place.map)
    }
    return try withExtendedLifetime(read) {
      try identifiers.compactMap { identifier in
        guard let (place, row) = state.stores.row(of: identifier) else { return nil }
        return try state.graph(place.store).existing(place.map, RowID(row)) as? T
      }
    }
  }
}
