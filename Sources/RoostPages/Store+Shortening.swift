import RoostFile
import Synchronization

/// Gives back free pages at the end of the file when a store is closed.
extension Store {
  /// A close moves nothing if fewer pages are free, because each step takes three syncs.
  private static var fewestFree: Int { 64 }
  /// A close moves nothing if the file has more pages than this for each page to move: finding the
  /// last pages reads every branch.
  private static var mostPagesEach: Int { 32 }
  /// 256 MiB. A close never moves more, however much was written.
  private static var mostMoved: Int { 65_536 }

  /// Moves pages from the end of the file to free places and cuts the file, if more than a
  /// twentieth of it is free.
  ///
  /// Before each step the file is clean: both superblocks name one state and no log, and their
  /// pages are not overwritten. So a crash, a full disk or any other error leaves the store closed,
  /// as it was. The caller holds the writer lock, when no other thread can use the store any more.
  ///
  /// The log stays until this has ended, without its records, which are no longer needed. It tells
  /// the next opening of a crash or a failed sync here: see ``settleDoubt(_:)``.
  ///
  /// - Parameter deadline: no step begins after this monotonic time.
  /// - Returns: false if a superblock could not be written. The kernel may show it, and a crash may
  ///   lose it. So the log must stay: because of it the next opening makes that superblock durable
  ///   before it writes the other one.
  func shorten(_ log: any StorageFile, until deadline: UInt64?) -> Bool {
    let left = min(max(options.closingStep, checkpointPages.load(ordering: .relaxed) / 4), Self.mostMoved)
    guard options.closingStep > 0, isStillNamed, Int(space.limit) <= Self.mostPagesEach * left, hasMuchFree else {
      return true
    }
    do throws(StoreError) { try log.truncate(to: UInt64(LogFormat.fileHeader + LogFormat.segmentHeader)) } catch {}
    do throws(StoreError) { try moveTail(left, until: deadline) } catch {
      // The failed superblock may be in the file even so: the durable one is written over it.
      do throws(StoreError) { try writeSuperblock(durable) } catch { return false }
    }
    return true
  }

  /// Moves up to `pages` pages in steps, so that few are in memory. If what is left is less than
  /// one step, it is moved too.
  private func moveTail(_ pages: Int, until deadline: UInt64?) throws(StoreError) {
    let step = options.closingStep
    var left = pages
    while hasMuchFree, left > 0 || misplaced <= step, Clock.monotonicNanoseconds() < deadline ?? .max {
      let before = space.limit
      let moved = try moveStep(left > 0 ? min(step, left) : step)
      if moved == 0 { return }
      left -= moved
      try checkpointUnderTurn(beside: false)
      try writeSuperblock(durable)
      // If a step gains little, pages that cannot be moved are at the end.
      if Int(before) - Int(space.limit) < max(1, step / 32) { return }
    }
  }

  private var hasMuchFree: Bool {
    reclaim()
    let free = space.free.count(below: space.limit)
    return free >= Self.fewestFree && free * 20 > Int(space.limit)
  }

  /// The number of used pages above the place at which the file would end without free pages.
  private var misplaced: Int {
    let used = space.limit - UInt32(space.spare.count(below: space.limit))
    let freeAbove = space.spare.count(below: space.limit) - space.spare.count(below: used)
    return Int(space.limit - used) - freeAbove
  }

  /// Makes a state with lower pages the tip, and returns how many pages were moved. Its commit has
  /// the previous number, because nothing readable has changed.
  private func moveStep(_ budget: Int) throws(StoreError) -> Int {
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
