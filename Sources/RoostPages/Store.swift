package import RoostFile
import Synchronization

/// The pages of one store, shared by all its users in this process.
///
/// A write transaction makes draft pages and log frames. Its commit appends the frames and becomes
/// the tip; a sync publishes it. A checkpoint writes the drafts and then the superblock that names
/// them.
///
/// ## Invariants
/// The numbers are those of Docs/DURABILITY.md.
/// 1. A page reachable from the durable superblock is never overwritten.
/// 2. Data is synced before the superblock that names it.
/// 3. The log is synced before a full commit is acknowledged or becomes visible.
package final class Store: @unchecked Sendable {
  // Unchecked because the fields below are constant, or used only by the holder of the writer's
  // turn, or protected by the lock named beside them.
  package let path: String
  package let options: StoreOptions
  /// The identifier that the store got when it was created.
  package let identity: (high: UInt64, low: UInt64)
  package let frames: Frames
  package let published: PublishedSnapshot
  let file: (any StorageFile)?
  /// The number of unwritten pages that starts a checkpoint.
  let draftLimit: Int
  package let fileSystem: any FileSystem
  let commits: CommitQueue
  let turn = WriterQueue()
  let floor: Floor
  /// The process that opened the store. A forked child has the store in its memory too, and must
  /// not write it.
  let process = currentProcessID
  /// Whether no other code knows the file yet. Then it has no log: see ``makePrivate``.
  let isPrivate: Bool
  /// The system's identity of the file; nil for a store in memory.
  var fileIdentity: FileIdentity?
  /// Whether the other superblock was damaged at the opening. The next superblock overwrites it.
  package let hadDamagedSuperblock: Bool

  // Used only by the holder of the writer's turn, and no access to a field calls other code. So
  // exclusivity is unchecked for fields that are used for each page.
  /// When a commit last checked whether the file still has its name.
  @exclusivity(unchecked) var lookedUpAt: UInt64 = 0
  @exclusivity(unchecked) var space: Space
  var freeMap: FreeMapDisk
  var copies: PageCopies
  var log: Log?
  @exclusivity(unchecked) var tip: Snapshot
  /// The last stamp given out.
  @exclusivity(unchecked) var lastStamp: UInt64
  var durable: Superblock
  /// Steps whose pages were written before the record that names them: see
  /// ``WriteTransaction/Through``.
  @exclusivity(unchecked) var namedSteps: [ClosedRange<UInt64>] = []
  var durableSlot: Int
  /// When the last checkpoint began, or the store was opened.
  var checkpointedAt = Clock.monotonicNanoseconds()
  /// The stamp of the snapshot that a checkpoint is writing, else 0.
  var checkpointingStamp: UInt64 = 0
  /// The stamps of snapshots whose superblocks may be in the file although writing them failed.
  var doubtfulStamps: [UInt64] = []
  var isClosed = false

  // The checkpointer's own state.
  let checkpointGate = Lock()
  let checkpointer: Checkpointer
  /// The users of this store. Openings find it here.
  let tenancy = OpenStores.Tenancy()
  let commitsMade = Atomic<Int>(0)
  let checkpointsMade = Atomic<Int>(0)
  let checkpointPages = Atomic<Int>(0)
  /// Listeners for checkpoints.
  package let checkpointListeners = CheckpointListeners()
  /// The report about the log at the opening; nil after a clean close. Protected by `recoveryLock`
  /// from then on.
  var recovery: RecoveryReport?
  private let recoveryLock = Lock()

  /// Returns the recovery report to the first caller.
  package func takeRecovery() -> RecoveryReport? {
    recoveryLock.withLock {
      defer { recovery = nil }
      return recovery
    }
  }

  /// Replays a piece of a record of the module above.
  package typealias Replay =
    @Sendable (WriteTransaction, _ kind: UInt8, UnsafeRawBufferPointer) throws(StoreError) -> Void
  /// Puts checksums into a copy of a page that is about to be written, for every reference whose
  /// checksum is 0.
  package typealias SettleChecks = @Sendable (_ branch: UnsafeMutableRawPointer, FrameMap) -> Void
  /// Makes the snapshot's catalog after all pieces of a record were replayed.
  package typealias Seal = @Sendable (WriteTransaction) throws(StoreError) -> Root

  /// Moves pages of all trees to lower places, and returns the new root of the catalog.
  package typealias Relocate = @Sendable (WriteTransaction, inout Relocation) throws(StoreError) -> Root

  /// Names the pages and extents of a snapshot that get a second copy, the most important ones first.
  package typealias Essentials = @Sendable (Snapshot, PageView) -> [Essential]

  /// The functions of the module above: how its pages are validated and its records replayed.
  package struct Floor: Sendable {
    package var validate: PageValidator
    package var settleChecks: SettleChecks
    package var replay: Replay
    package var seal: Seal
    package var essentials: Essentials
    package var relocate: Relocate

    package init(
      validate: @escaping PageValidator, settleChecks: @escaping SettleChecks, replay: @escaping Replay,
      seal: @escaping Seal, essentials: @escaping Essentials = { _, _ in [] },
      relocate: @escaping Relocate = { transaction, _ in transaction.base.catalog }
    ) {
      self.validate = validate
      self.settleChecks = settleChecks
      self.replay = replay
      self.seal = seal
      self.essentials = essentials
      self.relocate = relocate
    }
  }

  init(
    path: String, options: StoreOptions, file: (any StorageFile)?, fileSystem: any FileSystem, frames: Frames,
    floor: Floor, pair: SuperblockPair, space: Space, freeMap: FreeMapDisk, isPrivate: Bool = false
  ) {
    self.isPrivate = isPrivate
    self.path = path
    self.options = options
    self.file = file
    self.fileSystem = fileSystem
    self.frames = frames
    draftLimit = (options.draftBytes ?? CacheSize.drafts(beside: Self.cacheBytes(options))) / Page.size
    self.floor = floor
    hadDamagedSuperblock = pair.otherIsDamaged
    durable = pair.newest
    identity = (pair.newest.identityHigh, pair.newest.identityLow)
    durableSlot = pair.slot
    tip = pair.newest.snapshot
    lastStamp = pair.newest.snapshot.stamp
    copies = PageCopies(
      pair.newest.copies, stamp: pair.newest.snapshot.stamp, space, mapPages: freeMap.ownPages)
    self.space = space
    self.freeMap = freeMap
    frames.setCopies(pair.newest.copies)
    published = PublishedSnapshot(pair.newest.snapshot)
    commits = CommitQueue(
      pair.newest.snapshot, position: pair.newest.log?.position ?? 0, published: published,
      schedule: options.schedule)
    checkpointer = Checkpointer()
  }

  /// The size of the page cache.
  static func cacheBytes(_ options: StoreOptions) -> Int { options.cacheBytes ?? CacheSize.usual() }

  deinit {
    // A thread does not exist in a forked child.
    if isOwn { checkpointer.stop() }
    guard OpenStores.shared.knows(tenancy) else { return }
    // The store was not closed: the log keeps everything. Waiting openings must find the file free.
    log?.file.close()
    file?.close()
    OpenStores.shared.vacate(tenancy)
  }

  /// Whether this process opened the store.
  var isOwn: Bool { process == currentProcessID }

  // MARK: Reading

  /// Pins the newest published snapshot.
  package func beginRead() throws(StoreError) -> ReadTransaction {
    let slot = try frames.slots.take()
    let snapshot = published.pin(slot, options.schedule)
    // A close first changes the phase and then reads the pins. So it sees this pin, or the phase is
    // seen here.
    while true {
      let phase = phase.load(ordering: .sequentiallyConsistent)
      if phase == Phase.open { break }
      if phase == Phase.closed {
        frames.slots.give(slot)
        throw closedError
      }
      OpenStores.shared.awaitLeaving()
    }
    return ReadTransaction(view: PageView(frames: frames.map, slot: slot, file: file), snapshot: snapshot)
  }

  package func endRead(_ transaction: ReadTransaction) {
    options.schedule?(.endingRead)
    frames.slots.give(transaction.view.slot)
  }

  /// Whether readers may begin: see ``OpenStores/leave(_:)``.
  enum Phase {
    static let open: UInt8 = 0
    /// The last user is checking for readers.
    static let closing: UInt8 = 1
    static let closed: UInt8 = 2
  }
  let phase = Atomic<UInt8>(Phase.open)

  var closedError: StoreError { StoreError(.closed, "the store is closed", path: path) }

  // MARK: Pins

  /// The stamps of all snapshots whose pages must stay, ascending. The caller holds the turn.
  func pins() -> [UInt64] {
    // The published snapshot is read first: a reader of an older snapshot is then in a slot.
    // Commits that wait for their sync are included too: it may cover the first of them and not the
    // last.
    let live = commits.liveStamps
    var all = frames.slots.pins() + live
    all.append(tip.stamp)
    if file != nil { all.append(durable.snapshot.stamp) }
    if checkpointingStamp != 0 { all.append(checkpointingStamp) }
    all += doubtfulStamps
    all.sort()
    return all
  }

  /// Frees pages that no pin needs any more. The caller holds the turn.
  ///
  /// A running checkpoint writes every draft that it found, even those that only an older reader
  /// still sees. They wait for its end. Otherwise it could write and settle a page that has a new
  /// owner meanwhile.
  func reclaim() {
    guard space.hasWaiting else { return }
    let frames = self.frames
    let pins = self.pins()
    options.schedule?(.reclaiming)
    space.reclaim(pins: pins, oldest: checkpointingStamp, durable: durableStamp) { frames.end(PageID($0)) }
  }

  var durableStamp: UInt64 { file == nil ? .max : durable.snapshot.stamp }
}

/// A reader's access to pages. It is trivially copyable, so that nothing is retained between begin
/// and end.
@usableFromInline package struct PageView: @unchecked Sendable {
  // Unchecked because the file is unowned here: the transaction's owner keeps the store alive.
  @usableFromInline package let frames: FrameMap
  @usableFromInline package let slot: ReaderSlot
  @usableFromInline let file: Unmanaged<AnyObject>?

  init(frames: FrameMap, slot: ReaderSlot, file: (any StorageFile)?) {
    self.frames = frames
    self.slot = slot
    self.file = file.map { Unmanaged.passUnretained($0 as AnyObject) }
  }
}

/// A pinned snapshot and the access to its pages.
package struct ReadTransaction: Sendable {
  package let view: PageView
  package let snapshot: Snapshot
}
