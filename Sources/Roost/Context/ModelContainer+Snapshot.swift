internal import RoostGraph

extension ModelContainer {
  /// A context that shows the present, whatever is committed later, and changes nothing.
  ///
  /// ```swift
  /// let then = try container.snapshot()
  /// let report = try then.fetch(FetchDescriptor<Song>())
  /// ```
  /// It blocks no writer. Its fetches, counts, aggregates and relationships all read one state, also over several stores: each of them was the
  /// newest at the same moment. A save with changes, and every write in bulk, throws an error whose ``RoostError/storeError`` is `readOnly`.
  ///
  /// The files keep the pages of that state as long as the context or one of its models is in use.
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
  /// So often all stores are read again, because one of them was committed to meanwhile.
  private static var mostTurns: Int { 1000 }

  /// Stays at the newest state of all stores.
  fileprivate func stay() throws {
    let graphs = stores.stores.indices.map { graph($0) }
    for _ in 0..<Self.mostTurns {
      for graph in graphs { try graph.session.stay() }
      // Then all of them were the newest at this moment.
      if graphs.count == 1 || graphs.allSatisfy(\.session.isNewest) { return }
    }
    throw GraphFault(.conflict, "the stores were committed to without a pause: take the snapshot again")
  }
}
