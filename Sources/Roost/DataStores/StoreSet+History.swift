/// The history of stores of the program's own.
extension StoreSet {
  /// Returns the transactions of the first store with such a history; nil if none has one.
  func ownHistory<Transaction: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<Transaction>
  ) throws -> [Transaction]? {
    func open<Store: HistoryProviding>(_ store: Store) throws -> [Transaction]? {
      guard let descriptor = descriptor as? HistoryDescriptor<Store.HistoryType> else { return nil }
      return try store.fetchHistory(descriptor) as? [Transaction]
    }
    for case let set as WorkingSet in stores.compactMap(\.backing) {
      guard let provider = set.store as? any HistoryProviding else { continue }
      if let found = try set.exclusively({ try open(provider) }) { return found }
    }
    return nil
  }

  /// Removes history from the first store with such a history. Returns the consumers that still
  /// need some of it; nil if no store has such a history.
  func removeOwnHistory<Transaction: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<Transaction>
  ) throws -> [String]? {
    func open<Store: HistoryProviding>(_ store: Store) throws -> [String]? {
      guard let wanted = descriptor as? HistoryDescriptor<Store.HistoryType> else { return nil }
      if let consumed = store as? any ConsumedHistory<Transaction> { return try consumed.delete(descriptor) }
      try store.deleteHistory(wanted)
      return []
    }
    for case let set as WorkingSet in stores.compactMap(\.backing) {
      guard let provider = set.store as? any HistoryProviding else { continue }
      if let held = try set.exclusively({ try open(provider) }) { return held }
    }
    return nil
  }

  /// Calls the first store that keeps consumers of such transactions. Returns nil if none does.
  func consumed<Transaction: HistoryTransaction, Result>(
    _ transactions: Transaction.Type, _ body: (any ConsumedHistory<Transaction>) throws -> Result
  ) throws -> Result? {
    for case let set as WorkingSet in stores.compactMap(\.backing) {
      guard let history = set.store as? any ConsumedHistory<Transaction> else { continue }
      return try set.exclusively { try body(history) }
    }
    return nil
  }
}
