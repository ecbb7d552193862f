internal import RoostFile
internal import RoostGraph
internal import RoostRecords

/// Fetches of models.
extension ModelContext {
  /// Fetches the models of a descriptor, without the place of the call.
  ///
  /// - Throws: what ``fetch(_:fileID:line:)`` throws.
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

  /// Fetches the models of a descriptor in batches. At most four batches are in memory: see
  /// ``FetchResultsCollection``.
  ///
  /// - Throws: what ``fetch(_:fileID:line:)`` throws, and ``RoostError`` with the code `badValue`
  ///   if the batch size is less than 1.
  public func fetch<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> FetchResultsCollection<T> where T: PersistentModel {
    try batches(descriptor, batchSize, place: (fileID, line))
  }

  /// Fetches the models of a descriptor in batches, without the place of the call.
  ///
  /// - Throws: what ``fetch(_:batchSize:fileID:line:)`` throws.
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

  /// Fetches one page of models, and the cursor of the next page. If an index has the order of the
  /// fetch, it finds the beginning of any page directly. `fetchOffset` would count from the
  /// beginning, and shift when other contexts insert and delete earlier models.
  ///
  /// ```swift
  /// var page = try context.fetchPage(descriptor)
  /// while let next = page.next { page = try context.fetchPage(descriptor, after: next) }
  /// ```
  ///
  /// A page has `fetchLimit` models, or 100 without a limit.
  ///
  /// - Throws: what ``fetch(_:fileID:line:)`` throws. ``RoostError`` with the code `badValue` if
  ///   the descriptor has an offset, or if the cursor belongs to another fetch, and
  ///   `pendingChanges` if a page without unsaved changes is not possible.
  ///   ``SwiftDataError/unsupportedSortDescriptor`` if the order is not one of stored properties.
  public func fetchPage<T>(
    _ descriptor: FetchDescriptor<T>, after cursor: FetchCursor? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws -> FetchPage<T> where T: PersistentModel {
    try state.traced(.fetch, descriptor, place: (fileID, line), note: { $1.found = $0.models.count }) {
      try state.call(.fetching) { try FetchRun(descriptor, state).page(after: cursor) }
    }
  }

  /// Counts the models of a descriptor, without the place of the call.
  ///
  /// - Throws: what ``fetchCount(_:fileID:line:)`` throws.
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

  /// Fetches the identifiers of the models of a descriptor, without the place of the call.
  ///
  /// - Throws: what ``fetchIdentifiers(_:fileID:line:)`` throws.
  @_disfavoredOverload
  public func fetchIdentifiers<T>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel {
    try identified(descriptor)
  }

  func identified<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier] {
    try state.call(.fetching) { try FetchRun(descriptor, state).identifiers() }
  }

  /// Fetches the identifiers of the models of a descriptor as a collection. It keeps eight bytes
  /// for each; an identifier is made when you read it.
  ///
  /// - Parameters:
  ///   - descriptor: the predicate, the order, the limit and the offset.
  ///   - batchSize: must be positive, as in SwiftData. It has no other effect.
  /// - Throws: what ``fetchIdentifiers(_:fileID:line:)`` throws, and ``RoostError`` with the code
  ///   `badValue` if the batch size is less than 1.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel {
    try Self.check(batchSize)
    return try state.call(.fetching) {
      FetchResultsCollection(IdentifierPages(try FetchRun(descriptor, state).places()))
    }
  }

  /// Runs a fetch and explains it: which index it uses, which conditions it tests on rows and which
  /// on models (which takes longer), how many rows it reads, and which index would avoid most of
  /// them.
  ///
  /// - Throws: what ``fetch(_:fileID:line:)`` throws.
  public func explain<T>(_ descriptor: FetchDescriptor<T>) throws -> FetchExplanation where T: PersistentModel {
    try state.call(.fetching) { try FetchRun(descriptor, state).explanation() }
  }

  /// Runs one call that selects or aggregates, and explains it:
  ///
  ///     print(try context.explain { try $0.select(Bill.self, \.number, \.place?.city) })
  ///
  /// It says how each class is read, which properties, whether models are made, how rows are joined
  /// and how groups are formed. The rows are read twice, once for the numbers of the explanation.
  ///
  /// - Throws: what the closure throws. ``RoostError`` with the code `badValue` if the closure does
  ///   not make exactly one such call, or if it calls `explain`.
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

  /// Calls a closure with each model, and keeps at most one batch of unchanged models in memory.
  /// The call finds the models at its beginning, and skips models that are deleted before their
  /// turn.
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
  ///   - batchSize: how many models are read together.
  ///   - allowEscapingMutations: accepted as in SwiftData, without effect: changes are always kept.
  ///   - fileID: the file of the call, for traces.
  ///   - line: the line of the call, for traces.
  ///   - block: called with each model in turn. If it throws, the call ends with that error.
  /// - Throws: what the closure throws, and what ``fetch(_:fileID:line:)`` throws.
  public func enumerate<T>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    fileID: StaticString = #fileID, line: UInt = #line, block: (_ model: T) throws -> Void
  ) throws where T: PersistentModel {
    try each(of: fetchIdentifiers(fetch, fileID: fileID, line: line), batchSize, block)
  }

  /// Calls a closure with each model, without the place of the call.
  ///
  /// - Throws: what the closure throws, and what ``fetch(_:fileID:line:)`` throws.
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

  /// Returns the models of identifiers, read together. Models that were deleted meanwhile are left
  /// out.
  private func filled<T>(_ identifiers: ArraySlice<PersistentIdentifier>, as type: T.Type) throws -> [T]
  where T: PersistentModel {
    var faults: [Int: (place: StoreSet.Place, rows: [RowID])] = [:]
    for identifier in identifiers {
      guard let (place, row) = state.stores.row(of: identifier) else { continue }
      let map = state.stores.stores[place.store].maps.firstIndex { $0 === place.map } ?? 0
      faults[place.store << 32 | map, default: (place, [])].rows.append(RowID(row))
    }
    // Keeps the models alive until each identifier has its model.
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
