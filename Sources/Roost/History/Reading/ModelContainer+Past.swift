public import Foundation
internal import RoostGraph
internal import RoostRecords

/// What stores held before.
extension ModelContainer {
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
  /// Throws ``SwiftDataError/historyTokenExpired`` if the past is not known: the history was removed, off or not full at some time since, or
  /// the models of today cannot show it. A store in memory, or of a container that allows no saves, is copied into memory first.
  public func snapshot(at token: DefaultHistoryToken) throws -> ModelContext {
    try snapshot { history in
      if let place = token.place(in: history.number) { return place }
      throw RecordFault(.expired, "the token says nothing of the store \(history.number.text)")
    }
  }

  /// A context that shows what the stores held just before a moment. The moments of commits are those of the committing machine's clock.
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
          "the state of that time cannot be shown: \(fault.detail)", fault)
      }
    }
    return try past.snapshot()
  }
}
