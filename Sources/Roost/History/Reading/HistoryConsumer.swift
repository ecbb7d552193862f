internal import RoostGraph
internal import RoostRecords

/// Somebody who reads the history in their own time, by a name that the stores know: how far they came is kept beside the models, and
/// what they have not read is not removed.
///
/// A consumer is known to the stores from its first reading, or its first acknowledgement. It may be used on any thread; two that read by one
/// name at the same time get the same changes.
public struct HistoryConsumer: Sendable {
  /// Where a consumer begins that the stores do not know yet.
  public enum Start: Sendable {
    /// With the oldest transaction that is there.
    case oldest
    /// With what is committed from then on.
    case latest
  }

  public let name: String
  let container: ModelContainer
  let start: Start

  private var stores: [GraphStore] { container.stores.stores }

  /// The place up to which it has acknowledged everything; nil where no store knows it yet.
  public var position: DefaultHistoryToken? {
    get throws {
      try Doorway.pass {
        let places = try stores.compactMap { store in
          try store.records.read { try $0.consumers.first { $0.name == name }?.token }
        }
        return places.isEmpty ? nil : DefaultHistoryToken(places)
      }
    }
  }

  /// The transactions behind its position, oldest first, and no more than a piece of them: an empty one says that everything is read. The next
  /// piece comes when this one is acknowledged.
  ///
  /// Where something behind the position is not known, because the history was off for a while, it throws
  /// ``SwiftDataError/historyTokenExpired``; acknowledge ``ModelContainer/latestHistoryToken`` to go on. A store whose history is off is then
  /// left out, and its changes are told again from ``Start`` on when it is on again.
  public func changes(atMost limit: Int = 1000) throws -> [DefaultHistoryTransaction] {
    guard limit > 0 else {
      throw RoostError(.badValue, "the limit of transactions is \(limit): give 1 or more")
    }
    return try container.history.transactions(after: try begin(), atMost: limit)
  }

  /// Says that everything up to a place is done: it need not be told again, and may be removed. A place before the position has no effect.
  /// When it returns this is on the disk.
  public func acknowledge(_ token: DefaultHistoryToken) throws {
    try Doorway.pass {
      guard stores.contains(where: { token.place(in: $0.number) != nil }) else {
        throw SwiftDataError.historyTokenExpired.about(
          "the token belongs to other stores: acknowledge a transaction of this container")
      }
      for store in stores {
        guard let place = token.place(in: store.number) else {
          try leave(store)
          continue
        }
        let known = try store.records.read { try $0.consumers.first { $0.name == name }?.token }
        if let known, known.transaction >= place.transaction { continue }
        try store.records.write { writer in
          // Somebody else of this name may have come further meanwhile.
          let now = try writer.consumers.first { $0.name == name }?.token
          if let now, now.transaction >= place.transaction { return }
          try writer.setConsumer(name, place)
        }
      }
    }
  }

  /// Where the history of a store is off, nobody can go on from a place in it: the store forgets the name, so that the others are read.
  private func leave(_ store: GraphStore) throws {
    let isLost = try store.records.read { reader in
      guard try reader.historyMode == .off else { return false }
      return try reader.consumers.contains { $0.name == name }
    }
    guard isLost else { return }
    try store.records.write { writer in
      if try writer.historyMode == .off { _ = try writer.removeConsumer(name) }
    }
  }

  /// Calls a closure with each transaction behind the position, a piece after the other, and acknowledges each piece. Where the closure
  /// throws, what came before is acknowledged, and the transaction comes again the next time.
  public func consume(pieces: Int = 1000, _ body: (DefaultHistoryTransaction) throws -> Void) throws {
    while true {
      let piece = try changes(atMost: pieces)
      if piece.isEmpty { return }
      var done: DefaultHistoryToken?
      do {
        for transaction in piece {
          try body(transaction)
          done = transaction.token
        }
      } catch {
        if let done { try acknowledge(done) }
        throw error
      }
      if let done { try acknowledge(done) }
    }
  }

  /// Makes the stores forget it: it holds no history any more, and begins anew if it is used again. False if no store knew it.
  @discardableResult
  public func remove() throws -> Bool {
    try Doorway.pass {
      var isKnown = false
      for store in stores {
        guard try store.records.read({ try $0.consumers.contains { $0.name == name } }) else { continue }
        let isRemoved = try store.records.write { try $0.removeConsumer(name) }
        isKnown = isKnown || isRemoved
      }
      return isKnown
    }
  }

  /// The place behind which it reads; the stores know it from here on.
  private func begin() throws -> DefaultHistoryToken {
    try Doorway.pass {
      var places: [RoostRecords.HistoryPlace] = []
      for store in stores {
        let found = try store.records.read { reader in
          let known = try reader.consumers.first { $0.name == name }?.token
          return (known: known, isOn: try reader.historyMode != .off)
        }
        // What a store does not keep nobody waits for.
        guard let known = try found.known ?? (found.isOn ? first(store) : nil) else { continue }
        places.append(known)
      }
      if places.isEmpty { throw RoostError.historyOff(stores) }
      return DefaultHistoryToken(places)
    }
  }

  private func first(_ store: GraphStore) throws -> RoostRecords.HistoryPlace {
    try store.records.write { writer in
      if let known = try writer.consumers.first(where: { $0.name == name })?.token { return known }
      let place = try start == .oldest ? writer.oldestToken : writer.latestToken
      try writer.setConsumer(name, place)
      return place
    }
  }
}

extension GraphStore {
  /// As tokens name it.
  var number: StoreNumber { StoreNumber(identifier) ?? StoreNumber(high: 0, low: 0) }
}

extension ModelContainer {
  /// Somebody who reads the history by a name, from where they were; from `start` if the stores do not know the name.
  public final func historyConsumer(
    named name: String, startingAt start: HistoryConsumer.Start = .oldest
  ) -> HistoryConsumer { HistoryConsumer(name: name, container: self, start: start) }

  /// All consumers that the stores know, by name. The one whose ``HistoryConsumer/position`` is the oldest holds the history.
  public final var historyConsumers: [HistoryConsumer] {
    get throws {
      try Doorway.pass {
        let names = try stores.stores.flatMap { try $0.records.read { try $0.consumers.map(\.name) } }
        return Set(names).sorted().map { historyConsumer(named: $0) }
      }
    }
  }
}
