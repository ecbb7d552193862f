#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
package import RoostFile
import Synchronization

/// Writes one synced snapshot to its places, concurrently with the writer and the readers.
///
/// The order, explained in Docs/DURABILITY.md: sync the log up to the tip; send later records to a
/// new segment; write the pages; sync them and the new segment's header; write and sync the
/// superblock; only then free the places that the older superblock needed.
extension Store {
  /// The decisions of the first phase, made during the turn.
  private struct Work {
    var target: Superblock
    var drafts: [UInt32]
    var map: FreeMapDisk.Image
    var copies: PageCopies.Image
    var logStart: UInt64?

    /// The superblock to write after the pages, with the root's final checksum.
    func superblock(_ frames: FrameMap) -> Superblock {
      var superblock = target
      let root = superblock.snapshot.catalog.reference
      if root != .none && root.check == 0 {
        superblock.snapshot.catalog.reference.check = frames.check(root.page)
      }
      return superblock
    }
  }

  /// Makes a checkpoint now, and returns when it is durable. Does nothing if nothing changed.
  package func checkpoint() throws(StoreError) { try checkpoint(onlyIfDue: false) }

  /// Makes a checkpoint. With `onlyIfDue` it does nothing if another one was made just before. With
  /// `tellsLater` the caller holds a lock, so listeners are called on the thread of checkpoints.
  func checkpoint(onlyIfDue: Bool, tellsLater: Bool = false) throws(StoreError) {
    if !checkpointListeners.isAsked { return try makeCheckpoint(onlyIfDue: onlyIfDue) }
    let (start, made, pages) = (
      Clock.monotonicNanoseconds(), checkpointsMade.load(ordering: .relaxed), checkpointPages.load(ordering: .relaxed)
    )
    var failure: StoreError?
    do throws(StoreError) { try makeCheckpoint(onlyIfDue: onlyIfDue) } catch { failure = error }
    if failure != nil || checkpointsMade.load(ordering: .relaxed) != made {
      let report = CheckpointReport(
        nanoseconds: Clock.monotonicNanoseconds() - start,
        pages: checkpointPages.load(ordering: .relaxed) - pages, failure: failure)
      if tellsLater, options.checkpointing == .background {
        checkpointListeners.keep(report)
        checkpointer.request(self)
      } else {
        checkpointListeners.tell(report)
      }
    }
    if let failure { throw failure }
  }

  private func makeCheckpoint(onlyIfDue: Bool) throws(StoreError) {
    guard file != nil, !options.readOnly else { return }
    try turn.refuseHolder()
    checkpointGate.acquire()
    defer { checkpointGate.release() }
    turn.takeAlways()
    if isClosed || (onlyIfDue && !wantsCheckpoint) {
      turn.give()
      return
    }
    let logFile = log?.file
    turn.give()
    // Most of the log is synced here, so that this takes less time during the turn.
    if let logFile { try commits.sync(upTo: commits.appendedPosition, logFile) }
    turn.takeAlways()
    defer { turn.give() }
    try checkpointUnderTurn(beside: true)
    try bringLogForward()
  }

  /// The checkpoint itself. The caller holds the turn; with `beside` the turn is released while
  /// pages are written.
  func checkpointUnderTurn(beside: Bool) throws(StoreError) {
    guard let work = try begin() else { return }
    if beside { turn.give() }
    options.schedule?(.checkpointBegan)
    var failure: StoreError?
    var written: Superblock?
    var pagesAreDurable = false
    do throws(StoreError) {
      try write(work)
      pagesAreDurable = true
      options.schedule?(.checkpointWritten)
      written = try writeSlot(work.superblock(frames.map))
    } catch { failure = error }
    options.schedule?(.checkpointSynced)
    if beside { turn.takeAlways() }
    checkpointingStamp = 0
    guard let written else {
      // A crash may find the superblock even so. So these pages are not written a second time.
      if pagesAreDurable { settle(work) }
      freeMap.failed(work.map, &space)
      copies.failed(work.copies)
      throw failure ?? closedError
    }
    let older = durable.log
    adopt(written)
    options.schedule?(.checkpointAdopted)
    finish(work, older)
  }

  /// Chooses the snapshot and everything that depends on this moment. The caller holds the turn.
  private func begin() throws(StoreError) -> Work? {
    try commits.check()
    // A store that was closed has no log any more, and may still become shorter.
    guard isPrivate || isClosed || log?.hasBegun == true, tip.stamp != durable.snapshot.stamp else { return nil }
    checkpointedAt = Clock.monotonicNanoseconds()
    let start = try leaveSegment()
    reclaim()
    while space.trimTail() {}
    let (map, copies) = try takePlaces()
    var superblock = durable
    superblock.snapshot = tip
    superblock.freeMap = map.root
    superblock.copies = copies.list
    superblock.pageCount = max(2, space.usedLimit)
    superblock.log = start
    checkpointingStamp = tip.stamp
    doubtfulStamps.append(tip.stamp)
    return Work(
      target: superblock, drafts: frames.draftPlaces(), map: map, copies: copies, logStart: start?.position)
  }

  /// Takes places for the map of free places and for copies. If there is no room for both, this
  /// checkpoint makes no new copies.
  private func takePlaces() throws(StoreError) -> (FreeMapDisk.Image, PageCopies.Image) {
    let saved = (space, copies)
    do throws(StoreError) { return try takePlaces(withFreshCopies: true) } catch {
      (space, copies) = saved
      guard error.code == .diskFull else { throw error }
    }
    do throws(StoreError) { return try takePlaces(withFreshCopies: false) } catch {
      (space, copies) = saved
      throw error
    }
  }

  private func takePlaces(withFreshCopies: Bool) throws(StoreError) -> (FreeMapDisk.Image, PageCopies.Image) {
    // If all reader slots are taken, this checkpoint makes no copies.
    let slot = try? frames.slots.take()
    defer { if let slot { frames.slots.give(slot) } }
    let view = slot.map { PageView(frames: frames.map, slot: $0, file: file) }
    let pins = self.pins()
    let image = copies.prepare(
      &space, view.map { floor.essentials(tip, $0) } ?? [], view: view, stamp: tip.stamp, pins: pins,
      durable: durableStamp, mayTake: withFreshCopies)
    return (try freeMap.prepare(&space, stamp: tip.stamp, pins: pins, durable: durableStamp), image)
  }

  /// Syncs the log and sends later records to a new segment; nil for a store without a log.
  private func leaveSegment() throws(StoreError) -> Superblock.LogStart? {
    guard let log else { return nil }
    try commits.sync(upTo: commits.appendedPosition, log.file)
    log.superblock = durable.sequence
    log.claim(commits.syncedPosition)
    log.mayUseReserve = true
    defer { log.mayUseReserve = false }
    return try log.beginSegment()
  }

  /// Writes pages, then syncs them. Readers and the writer continue: drafts of committed snapshots
  /// do not change.
  private func write(_ work: Work) throws(StoreError) {
    guard let file else { return }
    try PageWriter(file: file, frames: frames.map, settleChecks: floor.settleChecks).write(work.drafts)
    for (page, bytes) in work.map.pages { try file.write(bytes, at: Int(page.byteOffset)) }
    for copy in work.copies.fresh {
      #if DEBUG
        if options.omission == .pageCopy { break }
      #endif
      try file.write(written(copy), at: Int(copy.entry.copy.byteOffset))
    }
    try poisoning { () throws(StoreError) in
      try file.sync()
      try log?.file.sync()
    }
  }

  /// The bytes of the copy's page as they were written.
  private func written(_ copy: PageCopies.Fresh) -> [UInt8] {
    var bytes = copy.bytes
    bytes.withUnsafeMutableBytes { buffer in
      if copy.refersToPages { floor.settleChecks(buffer.baseAddress!, frames.map) }
      #if DEBUG
        if options.omission == .newPageCopy { buffer[Page.Field.stamp] &-= 1 }
      #endif
    }
    return bytes
  }

  /// Frees what the older superblock needed, after the new one is durable. The caller holds the
  /// turn.
  private func finish(_ work: Work, _ older: Superblock.LogStart?) {
    settle(work)
    if work.logStart != nil { retireLog(older) }
    forgetNamedSteps()
    reclaim()
    while space.trimTail() {}
    trimFile()
    frames.trim()
    checkpointsMade.add(1, ordering: .relaxed)
    checkpointPages.add(work.drafts.count + work.map.pages.count + work.copies.fresh.count, ordering: .relaxed)
  }

  private func settle(_ work: Work) {
    for place in work.drafts { frames.settle(PageID(place)) }
  }

  /// Cuts the file after its last page. After a failure it stays longer.
  private func trimFile() {
    guard let file else { return }
    let wanted = UInt64(max(space.limit, durable.pageCount)) * UInt64(Page.size)
    do throws(StoreError) {
      if try file.size() > wanted { try file.truncate(to: wanted) }
    } catch {}
  }

  /// Requests a checkpoint in the mode of the options, at the earliest at this monotonic time.
  func requestCheckpoint(at time: UInt64) {
    switch options.checkpointing {
    case .manual: return
    case .inline: do throws(StoreError) { try checkpoint(onlyIfDue: true) } catch { checkpointer.note(error) }
    case .background: checkpointer.request(self, at: time)
    }
  }

  /// The error of the last checkpoint, if it failed.
  package var checkpointFailure: StoreError? { checkpointer.failure }
}

/// The thread that makes checkpoints concurrently with all other threads.
final class Checkpointer: @unchecked Sendable {
  // Unchecked because its fields are protected by `lock`.
  private let lock = Lock()
  private let wake = ConditionVariable()
  private var thread: Thread?
  private weak var wanted: Store?
  /// When it is due; nil if it is not.
  private var time: UInt64?
  private var isStopping = false
  private var workerID: UInt64 = 0
  private var lastFailure: StoreError?

  var failure: StoreError? { lock.withLock { lastFailure } }

  func note(_ error: StoreError?) { lock.withLock { lastFailure = error } }

  func request(_ store: Store, at soonest: UInt64 = 0) {
    lock.withLock {
      if isStopping || time.map({ $0 <= soonest }) == true { return }
      wanted = store
      time = soonest
      if thread == nil { thread = try? Thread { [self] in work() } }
      wake.signal()
    }
  }

  private func work() {
    lock.withLock { workerID = Thread.currentID }
    while serve() {}
  }

  /// Waits for a store and makes its checkpoint. Returns false at the end.
  ///
  /// The store is released outside the lock. If that was the last reference, its deinitializer
  /// calls `stop`, which takes the lock.
  private func serve() -> Bool {
    guard let store = next() else { return lock.withLock { !isStopping } }
    store.checkpointListeners.tellKept()
    var failure: StoreError?
    do throws(StoreError) { try store.checkpoint(onlyIfDue: true) } catch { failure = error }
    note(failure)
    return true
  }

  /// The store that requests a checkpoint; nil if it is gone, or at the end.
  private func next() -> Store? {
    lock.acquire()
    defer { lock.release() }
    while !isStopping {
      guard let time else {
        wake.wait(lock)
        continue
      }
      if time <= Clock.monotonicNanoseconds() || !wake.wait(lock, until: time) { break }
    }
    time = nil
    defer { wanted = nil }
    return isStopping ? nil : wanted
  }

  /// Ends the thread after the running checkpoint.
  func stop() {
    lock.acquire()
    isStopping = true
    wanted = nil
    wake.signal()
    let ending = thread
    thread = nil
    let isWorker = workerID == Thread.currentID
    lock.release()
    // The last release of a store may happen on the worker itself. Then it returns, and no thread
    // joins it.
    if isWorker { pthread_detach(pthread_self()) } else { ending?.join() }
  }
}
