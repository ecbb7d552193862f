internal import RoostGraph
internal import RoostFile

/// Fetches from a server without blocking the thread.
///
/// These functions release the thread while they wait for a server, so you can call them on the
/// main actor and in tasks. Other code may use the context meanwhile. The result is that of a fetch
/// at the end of the wait, so it includes changes by that code. If the task is cancelled, the
/// request to the server is cancelled too, and the function throws `CancellationError`. A store in
/// a file answers on the caller's thread; a cancelled task ends that work between two rows.
extension ModelContext {
  /// Fetches the models of a descriptor, as `fetch` does.
  ///
  /// ```swift
  /// let songs = try await context.fetching(FetchDescriptor<Song>())
  /// ```
  ///
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws, and `CancellationError` if the
  ///   task is cancelled.
  public func fetching<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Model] {
    try await waiting(for: Model.self) { try found(descriptor) }
  }

  /// Counts models, as `fetchCount` does.
  ///
  /// - Throws: what ``ModelContext/fetchCount(_:fileID:line:)`` throws, and `CancellationError` if
  ///   the task is cancelled.
  public func fetchingCount<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Int {
    try await waiting(for: Model.self) { try counted(descriptor) }
  }

  /// Loads models and the models that one of their relationships references, so that reads of their
  /// properties do not wait for the server.
  ///
  /// ```swift
  /// try await context.loading(playlists, \.songs)
  /// for playlist in playlists { print(playlist.songs.map(\.title)) }
  /// ```
  ///
  /// For a longer path, call it again with the models that the first call loaded.
  ///
  /// - Throws: ``RoostError`` if a model belongs to another context or cannot be loaded, and
  ///   `CancellationError` if the task is cancelled.
  public func loading<Model: PersistentModel, Value>(
    _ models: [Model], _ relationship: KeyPath<Model, Value>, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await waiting(for: Model.self) {
      let graph = state.graph(try state.stores.known(Model.self).store)
      try graph.load(unloaded: Self.rows(models), lists: Value.self is any RelationshipCollection.Type)
      for model in models {
        let value = model[keyPath: relationship]
        try graph.load(
          unloaded: Self.rows((value as? [any PersistentModel]) ?? [value as? any PersistentModel].compactMap { $0 }))
      }
    }
  }

  private static func rows(_ models: [any PersistentModel]) -> [(map: EntityMap, row: UInt64)] {
    models.compactMap { model in
      guard model.isStored, let map = model.entityMap else { return nil }
      return (map, model._$state.row)
    }
  }

  /// Runs a call of this context, which may run more than once. Another thread fetches the parts
  /// that need the network.
  private func waiting<Model: PersistentModel, Result>(
    for model: Model.Type, isolation: isolated (any Actor)? = #isolation, _ body: () throws -> Result
  ) async throws -> Result {
    let graph = state.graph(try state.stores.known(model).store)
    guard let set = graph.source as? WorkingSet, set.mayWait else { return try await withCancellation(body) }
    let asked = AskedAhead()
    while true {
      try Task.checkCancellation()
      let (result, work) = try state.call(.fetching) {
        state.asked = asked
        defer { state.asked = nil }
        return try graph.trying(NetworkWork.self, body)
      }
      if let result { return result }
      if let work { try await set.waiting(work.body) }
    }
  }
}

extension ModelContext {
  /// Runs calls of this context, and ends them if the task is cancelled.
  ///
  /// ```swift
  /// let found = try await context.withCancellation { try context.fetch(recent) }
  /// ```
  ///
  /// A call that reads a file ends between two rows, and a call that waits for a server ends while
  /// it waits. A bulk update or insertion that is ended changes nothing. A save is ended before it
  /// begins to write, or while a server has not answered; its changes then stay unsaved.
  ///
  /// The closure runs on the caller's actor, and blocks its thread while it runs. Tasks that it
  /// starts are not ended.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, and what the closure throws.
  public func withCancellation<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () throws -> Result
  ) async throws -> Result {
    let interrupt = CallInterrupt()
    return try await withTaskCancellationHandler {
      // Without it the closure would run outside of the caller's actor.
      _ = isolation
      return try CallInterrupt.with(interrupt, body)
    } onCancel: {
      interrupt.raise()
    }
  }
}
