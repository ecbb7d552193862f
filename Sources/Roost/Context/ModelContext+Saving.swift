internal import RoostGraph

/// Saves, with the place of the call for traces.
extension ModelContext {
  /// Writes all unsaved changes. If it throws, it writes none, and the changes stay unsaved. With
  /// several stores, each checks the changes before the first one commits.
  ///
  /// ```swift
  /// song.year = 1976
  /// do { try context.save() } catch let error as RoostError {
  ///   for fault in error.faults { print(fault.property ?? "", fault.detail) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - fileID: the file of the call, for traces.
  ///   - line: the line of the call, for traces.
  /// - Throws: ``RoostError`` with all ``RoostError/faults`` if models are refused; its code is
  ///   that of the first fault, such as `notUnique`, `denied`, `badValue` or `invalid`. The code is
  ///   `conflict` if another context changed the same property and the policy is
  ///   ``ModelContext/MergePolicy/error``, and `store` if the file cannot be written.
  public func save(fileID: StaticString = #fileID, line: UInt = #line) throws {
    state.endPause()
    if !state.stores.isTraced { return try saveNow() }
    try tracedSave((fileID, line)) { try saveNow() }
  }

  /// Runs a closure, then saves this context.
  ///
  /// ```swift
  /// try context.transaction {
  ///   context.insert(Song(title: "Sound and Vision", year: 1977))
  /// }
  /// ```
  ///
  /// This is not a database transaction. The save is atomic, but other contexts may commit between
  /// a read and the save. Changes from before the call are saved too. If the closure throws,
  /// nothing is saved, and its changes stay unsaved until ``rollback()``. To read a value and write
  /// another one that depends on it, use `container.write`.
  ///
  /// - Parameters:
  ///   - fileID: the file of the call, for traces.
  ///   - line: the line of the call, for traces.
  ///   - block: changes models of this context.
  /// - Throws: what the closure throws, and what ``save(fileID:line:)`` throws.
  public func transaction(
    fileID: StaticString = #fileID, line: UInt = #line, block: () throws -> Void
  ) throws {
    try block()
    try save(fileID: fileID, line: line)
  }

  /// The name of this context in a ``TraceEvent``.
  public var name: String? {
    get { state.name }
    set { state.name = newValue }
  }

  /// Runs a save, and reports it to the tracer of each store that has changes.
  func tracedSave(_ place: ContextState.CodePlace?, _ body: () throws -> Void) throws {
    let before = state.traced.map { (graph: $0.graph, tracer: $0.tracer, counts: SaveCounts($0.graph)) }
      .filter { $0.counts.hasChanges }
    var failure: (any Error)?
    let start = before.first?.tracer.now ?? 0
    do { try body() } catch { failure = error }
    for (graph, tracer, counts) in before {
      var event = TraceEvent(.save, tracer.store, nanoseconds: tracer.now - start)
      state.sign(&event, place, failure: failure)
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

/// Counts the changes that a context is about to save, and the rows that it has written before.
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
  /// The graphs whose stores have a tracer.
  fileprivate var traced: [(graph: GraphContext, tracer: Tracer)] {
    open.compactMap { graph in stores.tracer(of: graph.store).map { (graph, $0) } }
  }
}
