import RoostFile
import Synchronization

/// Giving back free pages at the end of the file when a store is closed.
extension Store {
  /// With fewer free pages it is not worth its syncs.
  private static var fewestFree: Int { 64 }
  /// A close moves nothing in a file of more than so many pages for each page that it may move: finding the pages of the end takes a look at
  /// every branch.
  private static var mostPagesEach: Int { 32 }
  /// 256 MiB. However much was written, a close does not move more.
  private static var mostMoved: Int { 65_536 }

  /// Moves pages from the end of the file to free places and cuts the file, where more than a twentieth of it is free.
  ///
  /// It goes by steps, so that few pages are in memory. After a short use of the store it makes one step. After a long import it may move a
  /// quarter of the pages that checkpoints wrote.
  ///
  /// Before each step the file is clean: both superblocks name one state and no log, and what they reach is not overwritten. So a crash, a full
  /// disk or any other error leaves the store closed, as it was. Called with the writer lock, when no other thread can use the store any more.
  ///
  /// - Parameter deadline: no step begins after this monotonic time.
  /// - Returns: whether both superblocks are durable. Where not, what can be read of one may be lost in a crash, and the other must not be
  ///   overwritten before. The log, though empty of news, tells the next opening so: see ``settleDoubt(_:)``.
  func shorten(until deadline: UInt64?) -> Bool {
    let step = options.closingStep
    var left = min(max(step, checkpointPages.load(ordering: .relaxed) / 4), Self.mostMoved)
    guard step > 0, isStillNamed, Int(space.limit) <= Self.mostPagesEach * left else { return true }
    do throws(StoreError) {
      while hasMuchFree, left > 0 || misplaced <= step, Clock.monotonicNanoseconds() < deadline ?? .max {
        let before = space.limit
        let moved = try moveTail(left > 0 ? min(step, left) : step)
        if moved == 0 { return true }
        left -= moved
        try checkpointUnderTurn(beside: false)
        try writeSuperblock(durable)
        // What cannot be moved may keep the file as long as it is.
        if Int(before) - Int(space.limit) < max(1, step / 32) { return true }
      }
      return true
    } catch {
      // Its write may have had an effect, although it failed.
      do throws(StoreError) { try writeSuperblock(durable) } catch { return false }
      return true
    }
  }

  private var hasMuchFree: Bool {
    reclaim()
    let free = space.free.count(below: space.limit)
    return free >= Self.fewestFree && free * 20 > Int(space.limit)
  }

  /// How many pages lie above the place where a file without free pages would end. Where few are left, one more step makes the file short.
  private var misplaced: Int {
    let used = space.limit - UInt32(space.spare.count(below: space.limit))
    let freeAbove = space.spare.count(below: space.limit) - space.spare.count(below: used)
    return Int(space.limit - used) - freeAbove
  }

  /// Makes a state whose pages lie lower the tip, and says how many were moved. Its commit has the number of the one before,
  /// for nothing has changed that can be read.
  private func moveTail(_ budget: Int) throws(StoreError) -> Int {
    let transaction = try WriteTransaction(store: self, log: nil)
    defer { transaction.finish() }
    do throws(StoreError) {
      guard var job = transaction.relocation(budget: budget) else { return 0 }
      let catalog = try floor.relocate(transaction, &job)
      if job.moved == 0 { return 0 }
      try transaction.refuseDoubles()
      let snapshot = Snapshot(stamp: transaction.stamp, transaction: tip.transaction, catalog: catalog)
      accept(transaction, snapshot)
      _ = commits.add(snapshot, end: commits.appendedPosition, .relaxed)
      return job.moved
    } catch {
      transaction.undo()
      throw error
    }
  }
}
