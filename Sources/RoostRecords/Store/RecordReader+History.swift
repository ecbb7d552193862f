package import RoostFile
internal import RoostPages
internal import RoostTrees

extension RecordReader {
  private var storeID: HistoryStoreID { HistoryStoreID(high: store.identity.high, low: store.identity.low) }

  func historyReading() throws(StoreError) -> HistoryReading {
    let trees = RoostTrees.TreeCatalog(transaction.snapshot, view: transaction.view)
    var (tree, state): (IntegerTree?, HistoryState) = (nil, HistoryState())
    if let found = try trees.descriptor(Tables.meta) {
      guard found.kind == .bytes else { throw Tables.foreign }
      state = try HistoryState.read(ByteTree(found.root, id: found.id, view: transaction.view))
    }
    if let found = try trees.descriptor(HistoryTree.name) {
      guard found.kind == .integers else { throw Tables.foreign }
      tree = IntegerTree(found.root, id: found.id, view: transaction.view)
    }
    return HistoryReading(store: storeID, tree: tree, state: state, latest: transaction.snapshot.transaction)
  }

  package var historyMode: HistoryMode {
    get throws(StoreError) { try historyReading().state.mode }
  }

  /// The token after the newest transaction of this snapshot. Later reading continues from it.
  package var latestToken: HistoryPlace {
    get throws(StoreError) {
      let reading = try historyReading()
      return try reading.token(reading.latest)
    }
  }

  /// ``latestToken``, or nil if the history is off.
  package var latestTokenIfOn: HistoryPlace? {
    get throws(StoreError) {
      let reading = try historyReading()
      return reading.state.mode == .off ? nil : try reading.token(reading.latest)
    }
  }

  /// The token before the oldest transaction in the history.
  package var oldestToken: HistoryPlace {
    get throws(StoreError) {
      let reading = try historyReading()
      return HistoryPlace(reading.store, reading.state.floor, stamp: reading.state.floorStamp)
    }
  }

  /// The transactions after a token, or all in the history, oldest first.
  ///
  /// A token whose following transactions are not all known throws the error `expired`: some were
  /// pruned, a crash took back the token's own transaction, or the history was off for a while. If
  /// it was off some time after the token, the cursor throws when it gets there, unless it crosses
  /// gaps.
  ///
  /// - Parameters:
  ///   - entities: Only transactions that changed rows of one of these.
  ///   - author: Only transactions of this author.
  package func history(
    after token: HistoryPlace? = nil, of entities: Set<EntityID>? = nil, by author: String? = nil,
    crossesGaps: Bool = false
  ) throws -> HistoryCursor {
    let reading = try historyReading()
    if let token { try reading.check(token) }
    return try HistoryCursor(
      reading,
      HistoryRange(
        after: token?.transaction ?? reading.state.floor, of: entities, by: author, crossesGaps: crossesGaps),
      writers: writers())
  }

  /// The transactions of a range, which is not checked: see ``check(_:)``.
  package func history(_ range: HistoryRange) throws -> HistoryCursor {
    try HistoryCursor(historyReading(), range, writers: writers())
  }

  private func writers() throws(StoreError) -> HistoryWriters {
    let trees = RoostTrees.TreeCatalog(transaction.snapshot, view: transaction.view)
    guard let found = try trees.descriptor(HistoryWriter.tree) else { return HistoryWriters(nil) }
    guard found.kind == .integers else { throw Tables.foreign }
    return HistoryWriters(IntegerTree(found.root, id: found.id, view: transaction.view))
  }

  /// Throws unless the history knows everything after the token. Gaps that begin later are not
  /// checked.
  package func check(_ token: HistoryPlace) throws { try historyReading().check(token) }

  /// The token after the newest transaction that is older than a time.
  package func token(before stamp: HybridTime) throws(StoreError) -> HistoryPlace {
    let reading = try historyReading()
    return try reading.token(reading.newest(before: stamp))
  }

  /// The token after a transaction; only the number of the transaction is known.
  package func token(behind transaction: UInt64) throws(StoreError) -> HistoryPlace {
    let reading = try historyReading()
    return try reading.token(min(max(transaction, reading.state.floor), reading.latest))
  }

  package var consumers: [ConsumerPlace] {
    get throws(StoreError) {
      let trees = RoostTrees.TreeCatalog(transaction.snapshot, view: transaction.view)
      guard let found = try trees.descriptor(ConsumerPlace.tree) else { return [] }
      guard found.kind == .bytes else { throw Tables.foreign }
      return try ConsumerPlace.all(in: ByteTree(found.root, id: found.id, view: transaction.view), storeID)
    }
  }
}
