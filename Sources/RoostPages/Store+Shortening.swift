import RoostFile

/// Giving back free pages at the end of the file when a store is closed.
extension Store {
  /// About so many pages are moved at the most, so that closing stays quick.
  private static var mostMoved: Int { 2048 }
  /// With fewer free pages it is not worth its syncs.
  private static var fewestFree: Int { 64 }
  /// A file of more pages is left as it is: finding what lies at its end takes a look at every branch of every tree.
  private static var mostPages: UInt32 { 65_536 }

  /// Moves pages from the end of the file to free places and cuts the file, where more than a twentieth of it is free.
  ///
  /// The file is clean: both superblocks name one state and no log, and what they reach is not overwritten. So a crash, a full
  /// disk or any other error leaves the store closed, as it was. Called with the writer lock, when no other thread can use the store any more.
  func shorten() {
    guard options.shortens, durable.log == nil, isStillNamed, space.limit <= Self.mostPages else { return }
    reclaim()
    let free = space.free.count(below: space.limit)
    guard free >= Self.fewestFree, free * 20 > Int(space.limit) else { return }
    do throws(StoreError) {
      guard try moveTail() else { return }
      try checkpointUnderTurn(beside: false)
      try writeSuperblock(durable)
    } catch {}
  }

  /// Makes a state whose pages lie lower the tip; false if none could be moved. Its commit has the number of the one before,
  /// for nothing has changed that can be read.
  private func moveTail() throws(StoreError) -> Bool {
    let transaction = try WriteTransaction(store: self, log: nil)
    defer { transaction.finish() }
    do throws(StoreError) {
      guard var job = transaction.relocation(budget: Self.mostMoved) else { return false }
      let catalog = try floor.relocate(transaction, &job)
      if job.moved == 0 { return false }
      try transaction.refuseDoubles()
      let snapshot = Snapshot(stamp: transaction.stamp, transaction: tip.transaction, catalog: catalog)
      accept(transaction, snapshot)
      _ = commits.add(snapshot, end: commits.appendedPosition, .relaxed)
      return true
    } catch {
      transaction.undo()
      throw error
    }
  }
}
