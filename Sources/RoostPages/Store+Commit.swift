package import RoostFile
import RoostBytes
import Synchronization

/// Begins and ends write transactions.
extension Store {
  /// Bytes at the end of a commit frame's payload: u64 transaction number, u64 stamp of its last
  /// step.
  static var trailerBytes: Int { 16 }

  /// Waits for the writer's turn, for at most the timeout if there is one.
  package func beginWrite(timeoutMilliseconds: UInt64? = nil) throws(StoreError) -> WriteTransaction {
    if options.readOnly { throw StoreError(.readOnly, "the store was opened for reading", path: path) }
    if !isOwn {
      throw StoreError(
        .closed, "process \(process) opened the store, and this process was forked from it: open it here again",
        path: path)
    }
    let deadline = timeoutMilliseconds.map { milliseconds in
      // A wait of a century means no limit.
      Clock.monotonicNanoseconds() + min(milliseconds, 100 * 365 * 86_400_000) * 1_000_000
    }
    while true {
      try turn.take(until: deadline)
      options.schedule?(.beginningWrite)
      do throws(StoreError) {
        if isClosed { throw closedError }
        try commits.check()
        if !mustWaitForCheckpoint {
          // Not decided by the log's first segment: writing its superblock may have failed after
          // that.
          if file != nil && !isPrivate && durable.log == nil { try beginLog() }
          reclaim()
          return try WriteTransaction(store: self, log: log)
        }
      } catch {
        turn.give()
        throw error
      }
      turn.give()
      try waitForCheckpoint()
    }
  }

  /// Waits for the running checkpoint, and makes one itself if that did not help.
  private func waitForCheckpoint() throws(StoreError) {
    checkpointGate.withLock {}
    if mustWaitForCheckpoint { try checkpoint(onlyIfDue: true, tellsLater: true) }
  }

  /// Whether there are twice as many drafts as start a checkpoint.
  private var mustWaitForCheckpoint: Bool {
    file != nil && options.checkpointing != .manual
      && frames.drafts.load(ordering: .relaxed) > 2 * draftLimit
  }

  /// When a checkpoint is due: 0 for now; nil if none is. The caller holds the turn.
  private var checkpointDue: UInt64? {
    guard file != nil, options.checkpointing != .manual, let log else { return nil }
    if log.usedBytes > options.logBytes || frames.drafts.load(ordering: .relaxed) > draftLimit { return 0 }
    // A checkpoint on a writer's own thread would cost the writer more time than it saves a reader.
    guard options.checkpointing == .background, let start = durable.log,
      replayEstimate(commits: tip.transaction - durable.snapshot.transaction, bytes: log.end - start.position)
        > options.replayNanoseconds
    else { return nil }
    return checkpointedAt + options.replayPauseNanoseconds
  }

  /// The estimated time to replay this much, from measurements with records of one row, and of a
  /// thousand.
  private func replayEstimate(commits: UInt64, bytes: UInt64) -> UInt64 {
    commits &* Self.nanosecondsPerCommit &+ bytes &* Self.nanosecondsPerByte
  }
  private static let nanosecondsPerCommit: UInt64 = 40_000
  private static let nanosecondsPerByte: UInt64 = 20

  var wantsCheckpoint: Bool { checkpointDue.map { $0 == 0 || $0 <= Clock.monotonicNanoseconds() } ?? false }

  /// Appends the transaction's record, makes it the tip, and waits as `durability` demands.
  func commit(_ transaction: WriteTransaction, _ catalog: Root, durability: SyncMode) throws(StoreError) {
    let snapshot = Snapshot(
      stamp: transaction.stamp, transaction: tip.transaction + 1, catalog: catalog)
    var end: UInt64 = 0
    if let log = transaction.log {
      do throws(StoreError) {
        try commits.check()
        try refuseReplaced(durability)
        try syncData(transaction)
        log.claim(commits.syncedPosition)
        let trailer = try log.append(Self.trailerBytes)
        trailer.set64(0, snapshot.transaction)
        trailer.set64(8, snapshot.stamp)
        end = try log.commit(flags: durability.rawValue)
      } catch {
        let isGone = takeBack(transaction, log)
        throw isGone && error.code != .poisoned ? error : uncertain(error)
      }
    }
    options.schedule?(.appended)
    if let start = transaction.logStart?.position, end > start { transaction.bytesLogged = Int(end - start) }
    transaction.pagesMade = transaction.births.count
    transaction.outcome = snapshot
    accept(transaction, snapshot)
    let stopped = commits.add(snapshot, end: end, transaction.log == nil ? .relaxed : durability)
    let logFile = transaction.log?.file
    transaction.finish()
    let checkpointDue = checkpointDue
    turn.give()
    options.schedule?(.gaveTurn)
    if let stopped { throw stopped }
    commitsMade.add(1, ordering: .relaxed)
    if durability == .full, let logFile { try commits.sync(upTo: end, logFile) }
    if let checkpointDue { requestCheckpoint(at: checkpointDue) }
  }

  /// Waits until readers see the commit with that number. A relaxed commit waits for earlier full
  /// ones that are not synced yet.
  package func show(_ transaction: UInt64) throws(StoreError) { try commits.show(transaction) }

  /// Makes the transaction's state the tip. The caller holds the turn.
  func accept(_ transaction: WriteTransaction, _ snapshot: Snapshot) {
    tip = snapshot
    lastStamp = max(lastStamp, snapshot.stamp)
    let frames = self.frames
    var deaths = transaction.deaths
    let pins = self.pins()
    options.schedule?(.reclaiming)
    for index in deaths.indices { deaths[index].died = snapshot.stamp }
    space.bury(deaths, pins: pins, durable: durableStamp) { frames.end(PageID($0)) }
  }

  private func syncData(_ transaction: WriteTransaction) throws(StoreError) {
    do throws(StoreError) { try transaction.syncData() } catch {
      commits.poison(error)
      throw error
    }
  }

  /// Erases a record after a failure while it was written: none of it may ever be replayed,
  /// although all of it may have reached the file. Its begin is erased and that is synced. Returns
  /// false if even this fails.
  private func takeBack(_ transaction: WriteTransaction, _ log: Log) -> Bool {
    var isGone = true
    if let mark = transaction.logStart {
      do throws(StoreError) {
        try log.erase(from: mark)
        try log.file.sync()
      } catch {
        commits.poison(error)
        isGone = false
      }
    }
    transaction.undo()
    transaction.finish()
    turn.give()
    return isGone
  }

  private func uncertain(_ error: StoreError) -> StoreError {
    StoreError(.commitUncertain, error.detail, path: error.path, errorNumber: error.errorNumber)
  }

  // MARK: The log's first segment

  /// Makes the log durable before the first acknowledgement: syncs the log and its folder, then a
  /// superblock that names it.
  ///
  /// A log that has no segment yet is made again, with its name. The name was made when the store
  /// was opened. If a sync of the folder by a backup or another process failed since then, the name
  /// may be lost, and a later sync would not save it.
  func beginLog() throws(StoreError) {
    let log: Log
    if let known = self.log, known.hasBegun || !isStillNamed(known.file) {
      log = known
    } else {
      if let known = self.log {
        try fileSystem.remove(known.file.path)
        known.file.close()
        self.log = nil
      } else {
        try refuseReplaced(.full)
      }
      log = try makeLog(position: commits.appendedPosition)
    }
    self.log = log
    log.superblock = durable.sequence
    let start = try log.beginSegment()
    try poisoning { () throws(StoreError) in try log.file.sync() }
    do throws(StoreError) { try fileSystem.syncDirectory(of: log.file.path) } catch {
      // If the folder could not be opened, the next write tries again.
      if !error.isBeforeSync { commits.poison(error) }
      throw error
    }
    var next = durable
    next.log = start
    try writeSuperblock(next)
    log.superblock = durable.sequence
  }

  /// Runs a sync; if it fails, writing stops.
  func poisoning(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    do throws(StoreError) { try body() } catch {
      commits.poison(error)
      throw error
    }
  }

  /// Writes the slot that does not hold the newest superblock, and syncs it.
  func writeSuperblock(_ superblock: Superblock) throws(StoreError) {
    guard file != nil else { return }
    doubtfulStamps.append(superblock.snapshot.stamp)
    adopt(try writeSlot(superblock))
  }

  /// Writes and syncs the slot without making it the newest, which needs the turn. Its snapshot is
  /// first noted as doubtful: until a later superblock is durable, a crash may find this one, even
  /// if its write is reported as failed. One thread at a time calls this: it holds the gate of
  /// checkpoints, or the turn of a store whose log has not begun.
  func writeSlot(_ superblock: Superblock) throws(StoreError) -> Superblock {
    var next = superblock
    next.sequence = durable.sequence + 1
    next.version = Superblock.version
    guard let file else { return next }
    try file.write(next.encoded(), at: (1 - durableSlot) * Page.size)
    try poisoning { () throws(StoreError) in try file.sync() }
    return next
  }

  /// Makes a written superblock the newest. The caller holds the turn.
  func adopt(_ superblock: Superblock) {
    durable = superblock
    durableSlot = 1 - durableSlot
    doubtfulStamps = []
    frames.setCopies(superblock.copies)
  }
}
