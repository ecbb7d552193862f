internal import Foundation
internal import RoostGraph
internal import RoostRecords

/// A query of the history of a container's stores.
struct HistoryFetch {
  let stores: [GraphStore]

  private func open() throws -> [OpenHistory] { try stores.map { try OpenHistory($0) } }

  // MARK: Reading

  func transactions(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try Doorway.pass {
      let bounds = HistoryBounds(descriptor.predicate)
      let order = natural(descriptor.sortBy)
      let stream = try HistoryStream(
        open(), bounds, predicate: descriptor.predicate, isReversed: order == .reverse)
      let limit = descriptor.fetchLimit == 0 ? Int.max : Int(clamping: descriptor.fetchLimit)
      var found: [DefaultHistoryTransaction] = []
      while order == nil || found.count < limit, let next = try stream.next() { found.append(next) }
      if order != nil { return found }
      return Array(found.sorted(using: descriptor.sortBy).prefix(limit))
    }
  }

  /// Returns whether the order is that of the commits, or its reverse; nil if it is neither.
  private func natural(_ sortBy: [SortDescriptor<DefaultHistoryTransaction>]) -> SortOrder? {
    guard let first = sortBy.first else { return .forward }
    guard let property = first.keyPath.flatMap({ HistoryProperty($0) }) else { return nil }
    switch property {
    case .token: return first.order
    case .number: return stores.count == 1 ? first.order : nil
    // Several transactions may have one time. They keep the order of their commits.
    case .timestamp: return sortBy.count == 1 && first.order == .forward ? .forward : reversedTime(sortBy)
    case .author, .program, .process, .store: return nil
    }
  }

  /// If sorting would leave transactions of one time in the order of their commits, this reverses
  /// that order too: the caller has not specified it.
  private func reversedTime(_ sortBy: [SortDescriptor<DefaultHistoryTransaction>]) -> SortOrder? {
    sortBy.count == 1 ? .reverse : nil
  }

  /// Returns at most `limit` transactions after a place; with nil, from the beginning.
  func transactions(
    after token: DefaultHistoryToken?, atMost limit: Int, of entities: ((GraphStore) -> Set<EntityID>?)? = nil
  ) throws -> [DefaultHistoryTransaction] {
    try Doorway.pass {
      let stream = try HistoryStream(open(), HistoryBounds(after: token), of: entities)
      var found: [DefaultHistoryTransaction] = []
      while found.count < limit, let next = try stream.next() { found.append(next) }
      return found
    }
  }

  /// Returns the place after all commits.
  func latest() throws -> DefaultHistoryToken {
    try Doorway.pass {
      let on = try open().filter(\.isOn)
      if on.isEmpty { throw RoostError.historyOff(stores) }
      return DefaultHistoryToken(try on.map { try $0.reader.latestToken })
    }
  }

  // MARK: Removing

  func delete(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> HistoryDeletion {
    try Doorway.pass {
      let bounds = HistoryBounds(descriptor.predicate)
      guard bounds.isExact, !bounds.leavesGaps, bounds.bounds.allSatisfy(\.isUpper) else {
        throw SwiftDataError.invalidTransactionFetchRequest.about(
          "the history is removed from its oldest transaction on, so a predicate for that may compare with < or <= a token, a timestamp"
            + " or a transactionIdentifier, and name a storeIdentifier with ==")
      }
      if !descriptor.sortBy.isEmpty, natural(descriptor.sortBy) != .forward {
        throw SwiftDataError.invalidTransactionFetchRequest.about(
          "the history is removed from its oldest transaction on: leave sortBy empty")
      }
      var places: [(store: GraphStore, through: UInt64)] = []
      do {
        let open = try open()
        for token in bounds.bounds.compactMap(\.token)
        where !open.contains(where: { token.place(in: $0.number) != nil }) {
          throw SwiftDataError.historyTokenExpired.about("the token belongs to other stores than this container's")
        }
        var most: [StoreNumber: UInt64] = [:]
        if descriptor.fetchLimit > 0 { most = try first(descriptor.fetchLimit, open, bounds: bounds) }
        for one in open {
          if let wanted = bounds.stores, !wanted.contains(one.store.identifier) { continue }
          var through = try one.range(bounds).through
          if descriptor.fetchLimit > 0 { through = most[one.number] ?? 0 }
          if through > 0 { places.append((one.store, through)) }
        }
      }
      var deletion = HistoryDeletion()
      for (store, through) in places {
        let pruning = try store.records.write { try $0.pruneHistory(through: through) }
        if let name = pruning.heldBy, !deletion.heldBy.contains(name) { deletion.heldBy.append(name) }
      }
      return deletion
    }
  }

  /// Returns, for each store, the last of the first `limit` transactions.
  private func first(
    _ limit: UInt64, _ open: [OpenHistory], bounds: HistoryBounds
  ) throws -> [StoreNumber: UInt64] {
    let stream = try HistoryStream(open, bounds)
    var last: [StoreNumber: UInt64] = [:]
    var count: UInt64 = 0
    while count < limit, let next = try stream.next() {
      last[StoreNumber(next.account.transaction.token)] = next.account.transaction.number
      count += 1
    }
    return last
  }
}

/// The transactions that a removal of history has kept, although they were to be removed.
public struct HistoryDeletion: Hashable, Sendable {
  /// The slowest consumer of each store that has not read the history yet. If there is none,
  /// everything was removed.
  public internal(set) var heldBy: [String] = []

  /// Whether everything was removed that the call asked for.
  public var isComplete: Bool { heldBy.isEmpty }
}

extension HistoryBounds {
  /// Whether a token of the bounds has a place in a store.
  func names(_ store: StoreNumber) -> Bool {
    bounds.contains { $0.token?.place(in: store) != nil }
  }

  /// Makes the bounds of everything after a place.
  init(after token: DefaultHistoryToken?) {
    self.init(nil)
    if let token { bounds.append(Bound(comparison: .greater, edge: .token(token))) }
  }
}

extension HistoryBounds.Bound {
  var isUpper: Bool { comparison == .less || comparison == .lessOrEqual }

  var token: DefaultHistoryToken? {
    if case .token(let token) = edge { token } else { nil }
  }
}

extension RoostError {
  static func historyOff(_ stores: [GraphStore]) -> RoostError {
    if stores.allSatisfy({ $0.backing != nil }) {
      return RoostError(
        .historyOff,
        "the container has no files: name the transactions of its store, as in historyConsumer(named:of: "
          + "PostgresHistoryTransaction.self). If the store keeps no consumers, use fetchHistory, and keep the last token yourself"
      )
    }
    return RoostError(
      .historyOff,
      "the history of \(stores.count == 1 ? "the store" : "all stores") is off: turn it on with ModelConfiguration(isHistoryEnabled: true)"
    )
  }
}
