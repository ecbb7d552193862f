internal import RoostFile
internal import RoostTrees

/// Marks consumers of the history for which transactions were lost, so that they get an error.
///
/// It is the last step of a salvage, because the log may set consumers to places that the history
/// no longer covers.
struct ConsumerMender {
  let tables: Tables
  private(set) var tally = SalvageTally()
  private(set) var changed = 0

  init(_ tables: Tables) { self.tables = tables }

  /// - Parameter all: whether something was lost that the history does not show. Otherwise only
  ///   consumers are marked whose position is before or after the history.
  mutating func run(all: Bool) throws(StoreError) {
    guard let tree = try tables.consumersTree()?.tree else { return }
    let reading = try tables.historyReading()
    for one in try ConsumerPlace.all(in: tree, reading.store) where !one.isCutOff {
      let number = one.token.transaction
      if !all, number >= reading.state.floor, number <= reading.latest { continue }
      let (transaction, stamp) = ConsumerPlace.cutOff
      try tables.setConsumer(one.name, transaction, stamp: stamp)
      tally.add("consumers of the history have read lost transactions, or cannot continue, and get an error", one.name)
      changed += 1
    }
  }
}
