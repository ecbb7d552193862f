internal import RoostGraph
internal import RoostQuery

/// Runs an operation and reports it as a ``TraceEvent``.
extension ContextState {
  /// The place of a call in the program's source.
  typealias CodePlace = (fileID: StaticString, line: UInt)

  /// Runs an operation on the models of one class, and reports it.
  func traced<T: PersistentModel, Result>(
    _ kind: TraceEvent.Kind, of model: T.Type, _ place: CodePlace?, plan: LazyText?,
    note: (Result, inout TraceEvent) -> Void, body: () throws -> Result
  ) throws -> Result {
    guard let tracer = stores.tracer(of: T.self), let store = stores.place(of: T.self)?.store else { return try body() }
    let graph = graph(store)
    let (read, filled) = (graph.session.readCount, graph.session.statistics.objectsFilled)
    let (pages, bytes) = (graph.session.statistics.pagesWritten, graph.session.statistics.bytesWritten)
    defer { tracer.tellRepairs(stores.stores[store]) }
    return try traced(kind, tracer, place: place, note: note, body: body) { event in
      event.entity = T._$type.name
      event.rowsRead = graph.session.readCount.rows - read.rows
      event.entriesRead = graph.session.readCount.entries - read.entries
      event.modelsFilled = graph.session.statistics.objectsFilled - filled
      event.pages = graph.session.statistics.pagesWritten - pages
      event.bytes = graph.session.statistics.bytesWritten - bytes
      event.lazyPlan = plan
    }
  }

  /// Runs an operation on all stores, and reports it to the first tracer.
  func traced<Result>(
    _ kind: TraceEvent.Kind, _ place: CodePlace?, note: (Result, inout TraceEvent) -> Void,
    body: () throws -> Result
  ) throws -> Result {
    guard let tracer = stores.tracers?.lazy.compactMap({ $0 }).first else { return try body() }
    return try traced(kind, tracer, place: place, note: note, body: body) { _ in }
  }

  private func traced<Result>(
    _ kind: TraceEvent.Kind, _ tracer: Tracer, place: CodePlace?, note: (Result, inout TraceEvent) -> Void,
    body: () throws -> Result, fill: (inout TraceEvent) -> Void
  ) throws -> Result {
    let start = tracer.now
    let result = Swift.Result { try body() }
    var event = TraceEvent(kind, tracer.store, nanoseconds: tracer.now - start)
    fill(&event)
    switch result {
    case .success(let result):
      note(result, &event)
      sign(&event, place, failure: nil)
    case .failure(let failure): sign(&event, place, failure: failure)
    }
    tracer.tell(event)
    return try result.get()
  }

  func sign(_ event: inout TraceEvent, _ place: CodePlace?, failure: (any Error)?) {
    event.author = editingState.author
    event.context = name
    event.fileID = place.map { "\($0.fileID)" }
    event.line = place.map { Int($0.line) }
    event.error = failure
  }
}
