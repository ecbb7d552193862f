public import Foundation
internal import RoostGraph
internal import RoostRecords

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

  /// A context that shows what the stores held at a place of their history, and changes nothing.
  ///
  /// ```swift
  /// let then = try container.snapshot(at: transaction.token)
  /// let old = try then.fetch(FetchDescriptor<Song>())
  /// ```
  /// The history must be full from there on: make the container with ``ModelConfiguration/History/full``. The transactions since are undone in
  /// memory, so it takes longer the further back it goes; the stores go on unchanged. The context has a container of its own, and is otherwise
  /// like that of ``snapshot()``. ``ModelContext/restore(_:)`` brings its models back.
  ///
  /// It throws ``SwiftDataError/historyTokenExpired`` where the past is not known: the history was removed, off or not full, or the models were
  /// other ones. A store in memory, or of a container that allows no saves, throws an error.
  public func snapshot(at token: DefaultHistoryToken) throws -> ModelContext {
    try snapshot { history in
      if let place = token.place(in: history.number) { return place }
      throw RecordFault(.expired, "the token says nothing of the store \(history.number.text)")
    }
  }

  /// The same as it was before a moment, by the clock of those who committed.
  public func snapshot(before date: Date) throws -> ModelContext {
    try snapshot { history in
      let oldest = try history.reader.oldestToken
      if oldest.transaction > 0, Date(oldest.stamp) >= date {
        throw RecordFault(.expired, "the history up to \(Date(oldest.stamp).ISO8601Format()) was removed")
      }
      return try history.reader.token(behind: history.last(olderThan: date))
    }
  }

  private func snapshot(at place: (OpenHistory) throws -> RoostRecords.HistoryPlace) throws -> ModelContext {
    try stores.checkOpen()
    if stores.hasWorkingSets { throw DataStoreError.unsupportedFeature }
    let past = try ModelContainer(pastOf: self) { store, models in
      do { return try store.past(at: place(OpenHistory(store)), models) } catch let fault as RecordFault
        where fault.code == .expired
      {
        throw SwiftDataError.historyTokenExpired.about(
          "\(fault.detail), so the models of that time are not known. To go back to any moment, keep a full history, or take backups",
          fault)
      }
    }
    return try past.snapshot()
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
