public import Foundation
internal import RoostGraph
internal import RoostQuery

/// The same functions with the place where they are called, which the compiler prefers. The others are there for who names them
/// without calling them, as `context.fetch`.
extension ModelContext {
  /// The models that a descriptor asks for.
  @inlinable
  public func fetch<T>(
    _ descriptor: FetchDescriptor<T>, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [T] where T: PersistentModel {
    // This stands in the caller's code, which knows the types that generic code would have to look up.
    if let predicate = descriptor.predicate, descriptor.sortBy.isEmpty,
      descriptor.relationshipKeyPathsForPrefetching.isEmpty,
      let found = try knownObjects(
        T.self, predicate.expression, predicate.variable.key, descriptor.includePendingChanges,
        descriptor.fetchOffset, descriptor.fetchLimit)
    {
      // An array of objects is the same in memory whatever their class.
      return unsafeBitCast(found, to: [T].self)
    }
    return try fetchAny(descriptor, fileID, line)
  }

  @usableFromInline
  func fetchAny<T>(_ descriptor: FetchDescriptor<T>, _ fileID: StaticString, _ line: UInt) throws -> [T]
  where T: PersistentModel {
    guard let tracer = state.stores.tracer(of: T.self) else { return try found(descriptor) }
    return try traced(.fetch, descriptor, tracer, (fileID, line), \.count) {
      try found(descriptor)
    }
  }

  /// How many models there are. Where an index knows it no row is read.
  @inlinable
  public func fetchCount<T>(
    _ descriptor: FetchDescriptor<T>, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> Int where T: PersistentModel {
    if let predicate = descriptor.predicate, descriptor.sortBy.isEmpty, descriptor.fetchLimit == nil,
      descriptor.fetchOffset == nil,
      let count = try knownCount(
        T.self, predicate.expression, predicate.variable.key, descriptor.includePendingChanges)
    {
      return count
    }
    return try countAny(descriptor, fileID, line)
  }

  @usableFromInline
  func countAny<T>(_ descriptor: FetchDescriptor<T>, _ fileID: StaticString, _ line: UInt) throws -> Int
  where T: PersistentModel {
    guard let tracer = state.stores.tracer(of: T.self) else { return try counted(descriptor) }
    return try traced(.count, descriptor, tracer, (fileID, line), \.self) {
      try counted(descriptor)
    }
  }

  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    guard let tracer = state.stores.tracer(of: T.self) else { return try identified(descriptor) }
    return try traced(.identifiers, descriptor, tracer, (fileID, line), \.count) {
      try identified(descriptor)
    }
  }

  /// Writes all changes; or none, if it throws: then they wait as before. Each store of the container is asked whether it
  /// takes them before the first of them commits.
  public func save(fileID: StaticString = #fileID, line: UInt = #line) throws {
    state.endPause()
    if !state.stores.isTraced { return try saveNow() }
    try tracedSave((fileID, line)) { try saveNow() }
  }

  /// Runs a closure and saves what it changed.
  public func transaction(
    fileID: StaticString = #fileID, line: UInt = #line, block: () throws -> Void
  ) throws {
    try block()
    try save(fileID: fileID, line: line)
  }

  /// What ``TraceEvent`` calls this context.
  public var name: String? {
    get { state.name }
    set { state.name = newValue }
  }

  // MARK: Where all is known

  @usableFromInline
  func knownObjects(
    _ model: any PersistentModel.Type, _ expression: any PredicateExpression<Bool>,
    _ variable: PredicateExpressions.VariableID, _ includesPending: Bool, _ offset: Int?, _ limit: Int?
  ) throws -> [AnyObject]? {
    if state.stores.isTraced { return nil }
    let asked = PreparedFetch.Asked(
      model: model, expression: expression, variable: variable, includesPending: includesPending)
    return try state.call(.fetching) { try PreparedFetch.objects(asked, offset, limit, state) }
  }

  @usableFromInline
  func knownCount(
    _ model: any PersistentModel.Type, _ expression: any PredicateExpression<Bool>,
    _ variable: PredicateExpressions.VariableID, _ includesPending: Bool
  ) throws -> Int? {
    if state.stores.isTraced { return nil }
    let asked = PreparedFetch.Asked(
      model: model, expression: expression, variable: variable, includesPending: includesPending)
    return try state.call(.fetching) { try PreparedFetch.count(asked, state) }
  }

  // MARK: Telling

  typealias Place = (fileID: StaticString, line: UInt)

  /// Runs something that reads, and tells of it.
  func traced<T: PersistentModel, Result>(
    _ kind: TraceEvent.Kind, _ descriptor: FetchDescriptor<T>, _ tracer: Tracer, _ place: Place?,
    _ count: (Result) -> Int, _ body: () throws -> Result
  ) throws -> Result {
    guard let store = state.stores.place(of: T.self)?.store else { return try body() }
    let graph = state.graph(store)
    let (read, filled, start) = (graph.readCount, graph.statistics.objectsFilled, tracer.now)
    var result: Result?
    var failure: (any Error)?
    do { result = try body() } catch { failure = error }
    var event = TraceEvent(kind, tracer.store, nanoseconds: tracer.now - start)
    event.entity = T._$type.name
    event.rowsRead = graph.readCount.rows - read.rows
    event.entriesRead = graph.readCount.entries - read.entries
    event.modelsFilled = graph.statistics.objectsFilled - filled
    event.found = result.map(count) ?? 0
    sign(&event, place, failure)
    let plan = LazyText { [state] in
      try? state.call(.fetching) { try FetchRun(descriptor, state).planText() }
    }
    event.lazyPlan = plan
    tracer.tell(event)
    if let failure { throw failure }
    guard let result else { preconditionFailure("what did not fail has a result") }
    return result
  }

  private func sign(_ event: inout TraceEvent, _ place: Place?, _ failure: (any Error)?) {
    event.author = state.editingState.author
    event.context = state.name
    event.fileID = place.map { "\($0.fileID)" }
    event.line = place.map { Int($0.line) }
    event.error = failure
  }

  /// Runs a save, and tells of it for each store that it is about.
  func tracedSave(_ place: Place?, _ body: () throws -> Void) throws {
    let before = state.traced.map { (graph: $0.graph, tracer: $0.tracer, counts: SaveCounts($0.graph)) }
      .filter { $0.counts.hasChanges }
    var failure: (any Error)?
    let start = before.first?.tracer.now ?? 0
    do { try body() } catch { failure = error }
    for (graph, tracer, counts) in before {
      var event = TraceEvent(.save, tracer.store, nanoseconds: tracer.now - start)
      sign(&event, place, failure)
      if failure == nil {
        (event.inserted, event.updated, event.deleted) = (counts.inserted, counts.updated, counts.deleted)
      }
      event.bytes = graph.statistics.bytesWritten - counts.bytes
      event.pages = graph.statistics.pagesWritten - counts.pages
      tracer.tell(event)
    }
    if let failure { throw failure }
  }
}

/// What a context is about to save.
private struct SaveCounts {
  let inserted: Int
  let updated: Int
  let deleted: Int
  let bytes: Int
  let pages: Int
  let hasChanges: Bool

  init(_ graph: GraphContext) {
    graph.processPendingChanges()
    inserted = graph.insertedObjects.count
    updated = graph.changedObjects.count
    deleted = graph.deletedObjects.count + graph.deletedRows.count
    bytes = graph.statistics.bytesWritten
    pages = graph.statistics.pagesWritten
    hasChanges = inserted + updated + deleted > 0 || graph.failure != nil || graph.hasChanges
  }
}

extension ContextState {
  /// The contexts of stores of which somebody wants to know.
  fileprivate var traced: [(graph: GraphContext, tracer: Tracer)] {
    open.compactMap { graph in stores.tracer(of: graph.store).map { (graph, $0) } }
  }
}

extension StoreSet {
  var isTraced: Bool { tracers != nil }

  /// Whoever wants to know of a model's store; nearly always nobody.
  @inline(__always)
  func tracer(of model: any _ModelObject.Type) -> Tracer? {
    guard let tracers else { return nil }
    return place(of: model).flatMap { tracers[$0.store] }
  }

  func tracer(of store: GraphStore) -> Tracer? {
    guard let tracers, let place = stores.firstIndex(where: { $0 === store }) else { return nil }
    return tracers[place]
  }
}

extension FetchRun {
  /// How it would be carried out now, without doing so.
  fileprivate func planText() throws -> String {
    let part = try part()
    let isAlone = part.isEngines
    let query = part.query(isSorted: true, offset: isAlone ? offset : 0, limit: isAlone ? limit : nil)
    var lines = [try part.graph.planner().plan(query).explanation]
    for test in part.tests { lines.append("  test in memory \(test)") }
    return lines.joined(separator: "\n")
  }
}
