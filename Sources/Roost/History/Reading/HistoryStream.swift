internal import Foundation
internal import RoostGraph
internal import RoostRecords

/// The transactions of a container's stores in the order of their commits, or reversed.
///
/// Each store has its own history. This merges them by time.
final class HistoryStream {
  private let stores: [OpenHistory]
  private let lowest: [StoreNumber: RoostRecords.HistoryPlace]
  private let isReversed: Bool
  private let predicate: Predicate<DefaultHistoryTransaction>?
  private var heads: [Head] = []

  private struct Head {
    let store: OpenHistory
    let cursor: HistoryCursor
    var next: RoostRecords.HistoryCommit?
  }

  /// - Parameter entities: the relevant entities of a store; nil for all.
  init(
    _ all: [OpenHistory], _ bounds: HistoryBounds, predicate: Predicate<DefaultHistoryTransaction>? = nil,
    isReversed: Bool = false, of entities: ((GraphStore) -> Set<EntityID>?)? = nil
  ) throws {
    // If a store is off now, it may have changed after a token. Then the stream throws.
    let stores = all.filter { $0.isOn || bounds.hasLowerToken && bounds.names($0.number) }
    self.stores = stores
    try Self.check(all, bounds)
    self.isReversed = isReversed
    let isLoose = all.count > 1 && bounds.meansOneTransaction
    self.predicate = bounds.isExact && !isLoose ? nil : predicate
    var lowest: [StoreNumber: RoostRecords.HistoryPlace] = [:]
    for store in stores {
      var range = try store.range(bounds, isLoose: isLoose && predicate != nil)
      range.isReversed = isReversed
      range.entities = entities?(store.store)
      if let wanted = bounds.stores, !wanted.contains(store.store.identifier) { continue }
      if stores.count > 1 { lowest[store.number] = try store.reader.token(behind: range.after) }
      let cursor = try store.reader.history(range)
      heads.append(Head(store: store, cursor: cursor, next: try cursor.move()))
    }
    self.lowest = lowest
  }

  /// Throws if no transaction can be returned.
  private static func check(_ stores: [OpenHistory], _ bounds: HistoryBounds) throws {
    for case .token(let token) in bounds.bounds.map(\.edge)
    where !stores.contains(where: { token.place(in: $0.number) != nil }) {
      throw SwiftDataError.historyTokenExpired.about(
        "the token belongs to other stores than this container's: begin again at latestHistoryToken")
    }
    if !bounds.hasLowerToken, !stores.contains(where: \.isOn) { throw RoostError.historyOff(stores.map(\.store)) }
  }

  func next() throws -> DefaultHistoryTransaction? {
    while let place = place() {
      guard let found = heads[place].next else { return nil }
      let store = heads[place].store
      heads[place].next = try heads[place].cursor.move()
      // This commit only made room for models.
      if found.entry.entities.isEmpty { continue }
      let account = try HistoryAccount(store.store, found, reader: store.reader)
      let token = try token(found, store)
      if let predicate {
        let asked = DefaultHistoryTransaction(account, token.asked(in: store.number))
        guard try Self.passes(asked, predicate) else { continue }
      }
      return DefaultHistoryTransaction(account, token)
    }
    return nil
  }

  /// Returns the index of the store with the next transaction.
  private func place() -> Int? {
    var best: Int?
    for (place, head) in heads.enumerated() {
      guard let next = head.next else { continue }
      guard let other = best.map({ heads[$0] }), let known = other.next else {
        best = place
        continue
      }
      let isEarlier = (next.stamp, head.store.number) < (known.stamp, other.store.number)
      if isEarlier != isReversed { best = place }
    }
    return best
  }

  private func token(
    _ transaction: RoostRecords.HistoryCommit, _ store: OpenHistory
  ) throws -> DefaultHistoryToken {
    if stores.count == 1 { return DefaultHistoryToken(transaction.token) }
    return DefaultHistoryToken(
      try stores.map { other in
        if other === store { return transaction.token }
        let place = try other.place(at: transaction.stamp, of: store.number)
        // A clock may have been set back. Transactions that are no longer relevant do not come
        // again.
        guard let least = lowest[other.number], least.transaction > place.transaction else { return place }
        return least
      })
  }

  private static func passes(
    _ transaction: DefaultHistoryTransaction, _ predicate: Predicate<DefaultHistoryTransaction>
  ) throws -> Bool {
    do { return try predicate.evaluate(transaction) } catch {
      throw SwiftDataError.unsupportedPredicate.about("\(error), in \(predicate)", error)
    }
  }
}
