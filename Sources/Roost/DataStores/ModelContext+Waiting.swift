internal import RoostGraph
internal import RoostFile

/// Fetching from a server without blocking the thread.
///
/// A function here gives its thread back while a server is waited for, so it fits the main actor and tasks. Code that is reached in the
/// meantime may use the context. The result is that of a fetch at the end of the wait: it includes what that code changed. If the task is
/// cancelled, the question to the server is cancelled too, and the function throws `CancellationError`. A store in a file answers on the
/// caller's thread, and a cancelled task ends its work between two rows.
extension ModelContext {
  /// The models that a descriptor asks for, as `fetch` returns them.
  ///
  /// ```swift
  /// let songs = try await context.fetching(FetchDescriptor<Song>())
  /// ```
  public func fetching<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Model] {
    try await waiting(for: Model.self) { try found(descriptor) }
  }

  /// How many models there are, as `fetchCount` returns it.
  public func fetchingCount<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Int {
    try await waiting(for: Model.self) { try counted(descriptor) }
  }

  /// Loads models, and those that a relationship of them references, so that reading their properties does not wait for the server.
  ///
  /// ```swift
  /// try await context.loading(playlists, \.songs)
  /// for playlist in playlists { print(playlist.songs.map(\.title)) }
  /// ```
  ///
  /// For a longer path, call it again with the models that the first call loaded.
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

  /// Runs a call of this context, which may run more than once. What it needs from the network is fetched on another thread.
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
  /// Runs calls of this context, and ends them with `CancellationError` if the task is cancelled.
  ///
  /// ```swift
  /// let found = try await context.withCancellation { try context.fetch(recent) }
  /// ```
  ///
  /// A call that reads a file is ended between two rows, and one that waits for a server while it waits. A bulk update or insertion that is
  /// ended changes nothing. A save is ended before it begins to write, or while a server has not answered; its changes then wait as before.
  ///
  /// The closure runs on the caller's actor, and keeps its thread while it runs. Tasks that it begins are not ended.
  public func withCancellation<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () throws -> Result
  ) async throws -> Result {
    let interrupt = CallInterrupt()
    return try await withTaskCancellationHandler {
      // Without it the closure would leave the caller's actor.
      _ = isolation
      return try CallInterrupt.with(interrupt, body)
    } onCancel: {
      interrupt.raise()
    }
  }
}
