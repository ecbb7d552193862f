/// The history: which transactions were committed when, and by which author.
extension ModelContext {
  /// Fetches the transactions of a descriptor, from all contexts and programs. Unsaved changes are
  /// not among them. Without an order the oldest come first.
  ///
  /// If the predicate certainly requires bounds, such as `$0.token > token && $0.author == name`,
  /// the fetch looks them up and reads no earlier transaction.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if the history after a token of the predicate
  ///   is not complete, and ``SwiftDataError/invalidTransactionFetchRequest`` if no store has
  ///   transactions of this type. ``RoostError`` with the code `historyOff` if no store records a
  ///   history, and `store` if it cannot be read.
  public func fetchHistory<T>(
    _ descriptor: HistoryDescriptor<T>, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [T] where T: HistoryTransaction { try transactions(descriptor, (fileID, line)) }

  /// Fetches the transactions of a descriptor, without the place of the call.
  ///
  /// - Throws: what ``fetchHistory(_:fileID:line:)`` throws.
  @_disfavoredOverload
  public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T] where T: HistoryTransaction {
    try transactions(descriptor, nil)
  }

  private func transactions<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ place: ContextState.CodePlace?
  ) throws -> [T] {
    let found = try state.traced(.history, place, note: { $1.found = $0.count }) { () throws -> [Any] in
      if let own = try state.stores.ownHistory(descriptor) { return own }
      return try container.history.transactions(try Self.known(descriptor))
    }
    guard let transactions = found as? [T] else { throw Self.unknown(T.self) }
    return transactions
  }

  /// Removes history, from its oldest transaction up to the bounds of the predicate. Transactions
  /// that a consumer has not read stay.
  ///
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if the predicate has conditions
  ///   other than upper bounds, if the order is not that of the commits, or if no store has transactions of
  ///   this type. ``RoostError`` with the code `store` if the store cannot be written.
  @discardableResult
  public func deleteHistory<T>(
    _ descriptor: HistoryDescriptor<T>, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> HistoryDeletion where T: HistoryTransaction { try remove(descriptor, (fileID, line)) }

  /// Removes history, and does not return which consumers kept some of it.
  ///
  /// - Throws: what ``deleteHistory(_:fileID:line:)`` throws.
  @_disfavoredOverload
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws where T: HistoryTransaction {
    _ = try remove(descriptor, nil)
  }

  private func remove<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ place: ContextState.CodePlace?
  ) throws -> HistoryDeletion {
    try state.traced(.history, place, note: { _, _ in }) {
      if let held = try state.stores.removeOwnHistory(descriptor) { return HistoryDeletion(heldBy: held) }
      return try container.history.delete(try Self.known(descriptor))
    }
  }

  private static func known<T>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> HistoryDescriptor<DefaultHistoryTransaction> {
    guard let known = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { throw unknown(T.self) }
    return known
  }

  private static func unknown(_ type: Any.Type) -> any Error {
    SwiftDataError.invalidTransactionFetchRequest.about(
      "this container's stores have no transactions of type \(type): use DefaultHistoryTransaction")
  }
}

extension ModelContainer {
  var history: HistoryFetch { HistoryFetch(stores: stores.stores) }

  /// The place after all commits. A fetch of later transactions begins here, after two look-ups.
  ///
  /// - Throws: ``RoostError`` with the code `historyOff` if no store records a history, and `store`
  ///   if a store cannot be read.
  public final var latestHistoryToken: DefaultHistoryToken {
    get throws { try history.latest() }
  }
}
