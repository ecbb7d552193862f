import RoostFile

/// Commits that are appended but not yet visible, and the sync that they share.
///
/// A thread that finds no running sync starts one for every record appended so far; the others wait
/// for it. The snapshot of readers advances in order. It passes a full commit after a sync covers
/// that. It passes a relaxed commit at once, unless an unpublished full one comes before it.
///
/// ## Invariants
/// 1. `published` never goes back.
/// 2. A failed sync is never tried again: writing stops until the store is opened again.
final class CommitQueue: @unchecked Sendable {
  // Unchecked because its fields are protected by `lock`.
  private struct Waiting {
    var snapshot: Snapshot
    var end: UInt64
    var durability: SyncMode
  }

  let lock = Lock()
  private let changed = ConditionVariable()
  private var waiting: [Waiting] = []
  private var next = 0
  private var isSyncing = false
  /// The end of the last closed record in the log.
  private var appended: UInt64
  private var synced: UInt64
  private var failure: StoreError?
  private var latest: Snapshot
  private var log: (any StorageFile)?
  let published: PublishedSnapshot
  private let schedule: Schedule?

  init(_ snapshot: Snapshot, position: UInt64, published: PublishedSnapshot, schedule: Schedule? = nil) {
    latest = snapshot
    appended = position
    synced = position
    self.published = published
    self.schedule = schedule
  }

  var syncedPosition: UInt64 { lock.withLock { synced } }

  /// Throws if writing has stopped.
  func check() throws(StoreError) {
    lock.acquire()
    defer { lock.release() }
    if let failure {
      throw StoreError(.poisoned, "writing has stopped: \(failure.detail)", path: failure.path)
    }
  }

  /// Stops writing for good, because the content of the file is no longer known.
  func poison(_ error: StoreError) {
    lock.withLock {
      fail(error)
      changed.broadcast()
    }
  }

  /// Sets the log's file. A failure leaves a note in it for the next opening of the store: see
  /// ``LogFileHeader``.
  func attach(_ log: (any StorageFile)?) { lock.withLock { self.log = log } }

  /// The caller holds the lock.
  private func fail(_ error: StoreError) {
    if failure != nil { return }
    failure = error
    // Without the note the next opening trusts what it reads. If writing the note fails too,
    // nothing else can be done.
    if let log { try? LogFileHeader.note(processID: currentProcessID, isInDoubt: true, in: log) }
  }

  /// The stamps of the published snapshot and of every commit after it, ascending.
  var liveStamps: [UInt64] { lock.withLock { [latest.stamp] + waiting[next...].map(\.snapshot.stamp) } }

  /// Sets the end of the log after recovery, with everything in it synced.
  func restart(at position: UInt64) {
    lock.withLock {
      appended = position
      synced = position
    }
  }

  /// Adds a commit whose record is in the log up to `end`. If writing has stopped meanwhile, the
  /// commit never becomes visible, and the reason is returned.
  func add(_ snapshot: Snapshot, end: UInt64, _ durability: SyncMode) -> StoreError? {
    lock.withLock {
      appended = end
      waiting.append(Waiting(snapshot: snapshot, end: end, durability: durability))
      publish()
      return failure.map(uncertain)
    }
  }

  /// Waits until the log is synced up to `end`. Makes the sync itself if no other thread does.
  func sync(upTo end: UInt64, _ file: any StorageFile) throws(StoreError) {
    lock.acquire()
    defer { lock.release() }
    while synced < end {
      if let failure { throw uncertain(failure) }
      if isSyncing {
        changed.wait(lock)
        continue
      }
      isSyncing = true
      let target = appended
      lock.release()
      var error: StoreError?
      do throws(StoreError) { try file.sync() } catch let caught { error = caught }
      lock.acquire()
      isSyncing = false
      if let error {
        fail(error)
      } else if failure == nil {
        synced = max(synced, target)
        publish()
      }
      changed.broadcast()
    }
  }

  /// Waits until readers see a commit. They do not while an earlier full commit is not synced.
  func show(_ transaction: UInt64) throws(StoreError) {
    lock.acquire()
    let (isSeen, end, log) = (latest.transaction >= transaction, appended, log)
    lock.release()
    if !isSeen, let log { try sync(upTo: end, log) }
  }

  /// Waits until no sync is running.
  func awaitSync() {
    lock.acquire()
    defer { lock.release() }
    while isSyncing { changed.wait(lock) }
  }

  /// The end of the last closed record, which a sync of everything must reach.
  var appendedPosition: UInt64 { lock.withLock { appended } }

  private func uncertain(_ cause: StoreError) -> StoreError {
    StoreError(
      .commitUncertain, "the log could not be synced (\(cause.detail))", path: cause.path,
      errorNumber: cause.errorNumber)
  }

  /// Publishes the newest snapshot that readers may see. The caller holds the lock.
  private func publish() {
    var newest: Snapshot?
    while next < waiting.count {
      let commit = waiting[next]
      if failure != nil || (commit.durability == .full && commit.end > synced) { break }
      newest = commit.snapshot
      next += 1
    }
    if next == waiting.count || next > 1024 {
      waiting.removeFirst(next)
      next = 0
    }
    if let newest {
      schedule?(.publishing)
      latest = newest
      published.set(newest)
    }
  }
}
