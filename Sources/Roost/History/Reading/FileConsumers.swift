internal import RoostGraph
internal import RoostRecords

/// The consumers in the files of a container.
struct FileConsumers: ConsumedHistory {
  let container: ModelContainer

  private var stores: [GraphStore] { container.stores.stores }

  func position(of name: String) throws -> DefaultHistoryToken? {
    let places = try stores.compactMap { store in
      try store.records.read { try $0.consumers.first { $0.name == name }?.token }
    }
    return places.isEmpty ? nil : DefaultHistoryToken(places)
  }

  func changes(for name: String, atMost limit: Int, startsLatest: Bool) throws -> [DefaultHistoryTransaction] {
    try container.history.transactions(after: try begin(name, startsLatest: startsLatest), atMost: limit)
  }

  func acknowledge(_ token: DefaultHistoryToken, by name: String) throws {
    guard stores.contains(where: { token.place(in: $0.number) != nil }) else {
      throw SwiftDataError.historyTokenExpired.about(
        "the token belongs to other stores: acknowledge a transaction of this container")
    }
    for store in stores {
      guard let place = token.place(in: store.number) else {
        try leave(store, name)
        continue
      }
      let known = try store.records.read { try $0.consumers.first { $0.name == name }?.token }
      if let known, known.transaction >= place.transaction { continue }
      try store.records.write { writer in
        // Another consumer of this name may have read further meanwhile.
        let now = try writer.consumers.first { $0.name == name }?.token
        if let now, now.transaction >= place.transaction { return }
        try writer.setConsumer(name, place)
      }
    }
  }

  /// If the history of a store is off, no reader can continue there. The store forgets the name, so
  /// that the other stores can be read.
  private func leave(_ store: GraphStore, _ name: String) throws {
    let isLost = try store.records.read { reader in
      guard try reader.historyMode == .off else { return false }
      return try reader.consumers.contains { $0.name == name }
    }
    guard isLost else { return }
    try store.records.write { writer in
      if try writer.historyMode == .off { _ = try writer.removeConsumer(name) }
    }
  }

  func forget(_ name: String) throws -> Bool {
    var isKnown = false
    for store in stores {
      guard try store.records.read({ try $0.consumers.contains { $0.name == name } }) else { continue }
      let isRemoved = try store.records.write { try $0.removeConsumer(name) }
      isKnown = isKnown || isRemoved
    }
    return isKnown
  }

  var consumerNames: [String] {
    get throws {
      let names = try stores.flatMap { try $0.records.read { try $0.consumers.map(\.name) } }
      return Set(names).sorted()
    }
  }

  func delete(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [String] {
    try container.history.delete(descriptor).heldBy
  }

  /// Returns the place after which a consumer reads. The stores know the consumer from now on.
  private func begin(_ name: String, startsLatest: Bool) throws -> DefaultHistoryToken {
    var places: [RoostRecords.HistoryPlace] = []
    for store in stores {
      let found = try store.records.read { reader in
        let known = try reader.consumers.first { $0.name == name }?.token
        return (known: known, isOn: try reader.historyMode != .off)
      }
      // A store whose history is off has nothing to keep.
      guard let known = try found.known ?? (found.isOn ? first(store, name, startsLatest: startsLatest) : nil)
      else { continue }
      places.append(known)
    }
    if places.isEmpty { throw RoostError.historyOff(stores) }
    return DefaultHistoryToken(places)
  }

  private func first(_ store: GraphStore, _ name: String, startsLatest: Bool) throws -> RoostRecords.HistoryPlace {
    try store.records.write { writer in
      if let known = try writer.consumers.first(where: { $0.name == name })?.token { return known }
      let place = try startsLatest ? writer.latestToken : writer.oldestToken
      try writer.setConsumer(name, place)
      return place
    }
  }
}

extension GraphStore {
  /// The number of the store in tokens.
  var number: StoreNumber { StoreNumber(identifier) ?? StoreNumber(high: 0, low: 0) }
}
