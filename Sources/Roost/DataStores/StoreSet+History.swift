/// The history of stores of a program's own.
extension StoreSet {
  /// The transactions of the first store that provides such a history; nil if none does.
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

  /// Removes history from the first store that provides such a history; false if none does.
  func removeOwnHistory<Transaction: HistoryTransaction>(_ descriptor: HistoryDescriptor<Transaction>) throws -> Bool {
    func open<Store: HistoryProviding>(_ store: Store) throws -> Bool {
      guard let descriptor = descriptor as? HistoryDescriptor<Store.HistoryType> else { return false }
      try store.deleteHistory(descriptor)
      return true
    }
    for case let set as WorkingSet in stores.compactMap(\.backing) {
      guard let provider = set.store as? any HistoryProviding else { continue }
      if try set.exclusively({ try open(provider) }) { return true }
    }
    return false
  }
}
