/// What was committed when, by whom.
extension ModelContext {
  /// The transactions of the history that a descriptor asks for, by whichever context they were made; what waits to be saved is not among
  /// them. Without a descriptor's order the oldest come first.
  ///
  /// Bounds that the predicate surely asks for, as `$0.token > token && $0.author == name`, are looked up, so nothing in front of them is
  /// read. What is behind a token must be known without a gap: else ``SwiftDataError/historyTokenExpired`` is thrown.
  public func fetchHistory<T>(
    _ descriptor: HistoryDescriptor<T>, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [T] where T: HistoryTransaction { try transactions(descriptor, (fileID, line)) }

  /// The transactions of the history that a descriptor asks for, without the place of the call.
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

  /// Removes history, from its oldest transaction on and up to what the predicate says. Consumers keep what they have not read.
  ///
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if the predicate has other than upper bounds.
  @discardableResult
  public func deleteHistory<T>(
    _ descriptor: HistoryDescriptor<T>, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> HistoryDeletion where T: HistoryTransaction { try remove(descriptor, (fileID, line)) }

  /// Removes history without telling who holds some of it back.
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

  /// The place behind everything that is committed. What comes later is read from here, in the time of two look-ups.
  public final var latestHistoryToken: DefaultHistoryToken {
    get throws { try history.latest() }
  }
}
