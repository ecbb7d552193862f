package import RoostFile
internal import RoostTrees

extension RecordWriter {
  package var historyMode: HistoryMode {
    get throws(StoreError) { try tables.historyState().mode }
  }

  /// Sets what the history keeps, from the next transaction on. Existing entries stay until they
  /// are pruned.
  ///
  /// While the history is off it has a gap. A reader that reaches the gap gets an error.
  package func setHistory(_ mode: HistoryMode) throws(StoreError) { try tables.setHistory(mode) }

  /// The token after the newest transaction before this one.
  package var latestToken: HistoryPlace {
    get throws(StoreError) { try tables.historyReading().token(tables.historyReading().latest) }
  }

  /// The token before the oldest transaction in the history.
  package var oldestToken: HistoryPlace {
    get throws(StoreError) {
      let reading = try tables.historyReading()
      return HistoryPlace(reading.store, reading.state.floor, stamp: reading.state.floorStamp)
    }
  }

  // MARK: Consumers

  package var consumers: [ConsumerPlace] {
    get throws(StoreError) {
      guard let tree = try tables.consumersTree() else { return [] }
      return try ConsumerPlace.all(in: tree.tree, tables.historyReading().store)
    }
  }

  /// Notes that a consumer has read everything up to the token. The consumer may be new.
  package func setConsumer(_ name: String, _ token: HistoryPlace) throws {
    try ConsumerPlace.check(name)
    try tables.historyReading().check(token)
    try tables.setConsumer(name, token.transaction, stamp: token.stamp)
  }

  /// Removes a consumer. Returns false if there is none with that name.
  @discardableResult
  package func removeConsumer(_ name: String) throws(StoreError) -> Bool { try tables.removeConsumer(name) }

  // MARK: Pruning

  /// Prunes the history up to and including the token, except entries that a consumer needs.
  @discardableResult
  package func pruneHistory(through token: HistoryPlace) throws -> HistoryPruning {
    let reading = try tables.historyReading()
    guard HistoryStoreID(high: token.storeHigh, low: token.storeLow) == reading.store else {
      throw RecordFault(.unknown, "the token is of another store's history")
    }
    return try prune(token.transaction)
  }

  /// Prunes entries older than `stamp`, except those that a consumer needs.
  @discardableResult
  package func pruneHistory(before stamp: HybridTime) throws -> HistoryPruning {
    try prune(tables.historyReading().newest(before: stamp))
  }

  /// Prunes transactions up to a number, except those that a consumer needs.
  @discardableResult
  package func pruneHistory(through transaction: UInt64) throws -> HistoryPruning { try prune(transaction) }

  private func prune(_ wanted: UInt64) throws -> HistoryPruning {
    let reading = try tables.historyReading()
    var limit = min(wanted, reading.latest)
    var heldBy: String?
    // A consumer that is cut off cannot read on in any case, so it keeps no entries.
    if let slowest = try consumers.filter({ !$0.isCutOff }).min(by: { $0.token.transaction < $1.token.transaction }),
      slowest.token.transaction < limit
    {
      heldBy = try reading.hasNews(after: slowest.token.transaction, through: limit) ? slowest.name : nil
      limit = slowest.token.transaction
    }
    // A gap stays while a reader may still reach it.
    if let (key, head) = try reading.head(atMost: limit), head.isGap, head.last > limit { limit = key - 1 }
    try tables.removeHistory(upTo: limit)
    return HistoryPruning(floor: max(limit, reading.state.floor), heldBy: heldBy)
  }
}
