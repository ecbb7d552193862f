internal import RoostFile
internal import RoostTrees

/// Makes consumers of the history hear that something is lost of what they have read or would read.
///
/// The last thing of a salvage, since consumers in the log may say that they have read what the history does not tell of.
struct ConsumerMender {
  let tables: Tables
  private(set) var tally = SalvageTally()
  private(set) var changed = 0

  init(_ tables: Tables) { self.tables = tables }

  /// - Parameter all: something is lost of which nobody could hear from the history. Else it concerns those who have not
  ///   read what is missing in it.
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
