package import RoostFile
internal import RoostTrees

extension RecordWriter {
  package var historyMode: HistoryMode {
    get throws(StoreError) { try tables.historyState().mode }
  }

  /// Says what the history keeps. It takes effect with the next transaction, and what is there stays until it is pruned.
  ///
  /// Between off and on there is a gap, over which nobody reads without being told.
  package func setHistory(_ mode: HistoryMode) throws(StoreError) { try tables.setHistory(mode) }

  /// The place behind the newest transaction before this one.
  package var latestToken: HistoryPlace {
    get throws(StoreError) { try tables.historyReading().token(tables.historyReading().latest) }
  }

  /// The place before the oldest transaction that the history still has.
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

  /// Says that a consumer, who may be new, has read everything up to the token.
  package func setConsumer(_ name: String, _ token: HistoryPlace) throws {
    try ConsumerPlace.check(name)
    try tables.historyReading().check(token)
    try tables.setConsumer(name, token.transaction, stamp: token.stamp)
  }

  /// False if there is none of that name.
  @discardableResult
  package func removeConsumer(_ name: String) throws(StoreError) -> Bool { try tables.removeConsumer(name) }

  // MARK: Pruning

  /// Removes from the history what lies at the token and before it, and what no consumer needs any more.
  @discardableResult
  package func pruneHistory(through token: HistoryPlace) throws -> HistoryPruning {
    let reading = try tables.historyReading()
    guard HistoryStoreID(high: token.storeHigh, low: token.storeLow) == reading.store else {
      throw RecordFault(.unknown, "the token is of another store's history")
    }
    return try prune(token.transaction)
  }

  /// Removes from the history what is older than `stamp`, and what no consumer needs any more.
  @discardableResult
  package func pruneHistory(before stamp: HybridTime) throws -> HistoryPruning {
    try prune(tables.historyReading().newest(before: stamp))
  }

  /// Removes from the history transactions up to a number, but for what a consumer needs.
  @discardableResult
  package func pruneHistory(through transaction: UInt64) throws -> HistoryPruning { try prune(transaction) }

  private func prune(_ wanted: UInt64) throws -> HistoryPruning {
    let reading = try tables.historyReading()
    var limit = min(wanted, reading.latest)
    var heldBy: String?
    // Who cannot read on whatever is kept holds nobody up.
    if let slowest = try consumers.filter({ !$0.isCutOff }).min(by: { $0.token.transaction < $1.token.transaction }),
      slowest.token.transaction < limit
    {
      heldBy = try reading.hasNews(after: slowest.token.transaction, through: limit) ? slowest.name : nil
      limit = slowest.token.transaction
    }
    // A gap stays while somebody may come to it.
    if let (key, head) = try reading.head(atMost: limit), head.isGap, head.last > limit { limit = key - 1 }
    try tables.removeHistory(upTo: limit)
    return HistoryPruning(floor: max(limit, reading.state.floor), heldBy: heldBy)
  }
}
