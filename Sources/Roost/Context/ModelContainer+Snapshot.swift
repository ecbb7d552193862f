internal import RoostGraph

extension ModelContainer {
  /// Makes a context that keeps showing the current state. Later commits do not change it, and it
  /// cannot save changes.
  ///
  /// ```swift
  /// let then = try container.snapshot()
  /// let report = try then.fetch(FetchDescriptor<Song>())
  /// ```
  /// It blocks no writer. Its fetches, counts, aggregates and relationships all read one state.
  /// With several stores, the states were the newest ones at the same moment. A save with changes
  /// and every bulk write throw an error whose ``RoostError/storeError`` is `readOnly`.
  ///
  /// The files keep the pages of that state until the context and its models are released.
  ///
  /// - Throws: ``RoostError`` with the code `closed` after ``ModelContainer/close()``, and
  ///   `conflict` if the stores are committed to without a pause.
  ///   ``DataStoreError/unsupportedFeature`` if the container has a store of your program's own.
  public func snapshot() throws -> ModelContext {
    try stores.checkOpen()
    if stores.hasWorkingSets { throw DataStoreError.unsupportedFeature }
    let state = ContextState(stores, isMain: false)
    try Doorway.pass { try state.stay() }
    let context = ModelContext(self, state)
    state.show(context, of: self)
    return context
  }
}

extension ContextState {
  /// How often all stores are read again because one of them was committed to meanwhile.
  private static var mostTurns: Int { 1000 }

  /// Pins the newest state of all stores.
  fileprivate func stay() throws {
    let graphs = stores.stores.indices.map { graph($0) }
    for _ in 0..<Self.mostTurns {
      for graph in graphs { try graph.session.stay() }
      // Each state was the newest of its store at this moment.
      if graphs.count == 1 || graphs.allSatisfy(\.session.isNewest) { return }
    }
    throw GraphFault(.conflict, "the stores were committed to without a pause: take the snapshot again")
  }
}
