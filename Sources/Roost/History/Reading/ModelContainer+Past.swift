public import Foundation
internal import RoostGraph
internal import RoostRecords

/// Earlier states of the stores.
extension ModelContainer {
  /// Makes a context that shows the stores at a place of their history, and that cannot save
  /// changes.
  ///
  /// ```swift
  /// let then = try container.snapshot(at: transaction.token)
  /// let old = try then.fetch(FetchDescriptor<Song>())
  /// ```
  /// The history must be full from that place on: make the container with
  /// ``ModelConfiguration/History/full``. The call undoes later transactions in memory, so it takes
  /// longer for older places. The stores themselves do not change. The context has a container of
  /// its own; otherwise it works like that of ``snapshot()``. ``ModelContext/restore(_:)`` restores
  /// its models. A store in memory, or in a container that allows no saves, is first copied into
  /// memory.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if the history since the place was removed,
  ///   was off, or was not full, or if the container's models cannot show that state.
  public func snapshot(at token: DefaultHistoryToken) throws -> ModelContext {
    try snapshot { history in
      if let place = token.place(in: history.number) { return place }
      throw RecordFault(.expired, "the token says nothing of the store \(history.number.text)")
    }
  }

  /// Makes a context that shows the stores directly before a moment. The clock of the machine that
  /// committed gives the times of commits.
  ///
  /// - Throws: what ``snapshot(at:)`` throws.
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
