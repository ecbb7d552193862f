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
    guard state.stores.isTraced else { return try found(descriptor) }
    return try state.traced(.fetch, descriptor, (fileID, line), { $1.found = $0.count }) { try found(descriptor) }
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
    guard state.stores.isTraced else { return try counted(descriptor) }
    return try state.traced(.count, descriptor, (fileID, line), { $1.found = $0 }) { try counted(descriptor) }
  }

  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    guard state.stores.isTraced else { return try identified(descriptor) }
    return try state.traced(.identifiers, descriptor, (fileID, line), { $1.found = $0.count }) {
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

  /// Runs a closure, then saves this context.
  ///
  /// This is no transaction of a database. The save is atomic, but other contexts may commit between a read and the save. Changes
  /// made before the call are saved too. If the closure throws, nothing is saved, and its changes stay pending until
  /// ``rollback()``. To read a value and write another one that depends on it, use
  /// `container.write`.
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

  /// Runs a save, and tells of it for each store that it is about.
  func tracedSave(_ place: ContextState.CodePlace?, _ body: () throws -> Void) throws {
    let before = state.traced.map { (graph: $0.graph, tracer: $0.tracer, counts: SaveCounts($0.graph)) }
      .filter { $0.counts.hasChanges }
    var failure: (any Error)?
    let start = before.first?.tracer.now ?? 0
    do { try body() } catch { failure = error }
    for (graph, tracer, counts) in before {
      var event = TraceEvent(.save, tracer.store, nanoseconds: tracer.now - start)
      state.sign(&event, place, failure)
      if failure == nil {
        (event.inserted, event.updated, event.deleted) = (counts.inserted, counts.updated, counts.deleted)
      }
      event.bytes = graph.session.statistics.bytesWritten - counts.bytes
      event.pages = graph.session.statistics.pagesWritten - counts.pages
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
    inserted = graph.changes.insertedObjects.count
    updated = graph.changes.changedObjects.count
    deleted = graph.changes.deletedObjects.count + graph.deletedRows.count
    bytes = graph.session.statistics.bytesWritten
    pages = graph.session.statistics.pagesWritten
    hasChanges = inserted + updated + deleted > 0 || graph.objects.failure != nil || graph.changes.hasChanges
  }
}

extension ContextState {
  /// The contexts of stores of which somebody wants to know.
  fileprivate var traced: [(graph: GraphContext, tracer: Tracer)] {
    open.compactMap { graph in stores.tracer(of: graph.store).map { (graph, $0) } }
  }
}

extension StoreSet {
  /// Whether somebody wants to know of any of the stores; nearly always nobody.
  var isTraced: Bool { tracers != nil }

  /// Whoever wants to know of a model's store.
  func tracer(of model: any _ModelObject.Type) -> Tracer? {
    guard let tracers else { return nil }
    return place(of: model).flatMap { tracers[$0.store] }
  }

  func tracer(of store: GraphStore) -> Tracer? {
    guard let tracers, let place = stores.firstIndex(where: { $0 === store }) else { return nil }
    return tracers[place]
  }
}
