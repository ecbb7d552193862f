import RoostBytes
public import RoostFile
import Synchronization

/// State that a higher module attaches to a transaction. The transaction reports its end to it.
package protocol TransactionState: AnyObject {
  func transactionEnded()
  /// Whether the next transaction may use this state. It may only if it begins with the result of
  /// this transaction.
  var mayGoOn: Bool { get }
  func begin(in next: WriteTransaction)
}

/// The write transaction of a store. It makes drafts and log frames until it commits or is
/// abandoned.
///
/// ## Invariants
/// 1. A page is changed in place only if this step made it and it is still a draft; every other page is copied.
/// 2. Every place taken is in `births`. Every page removed from a tree is in `deaths`, or its place
///    was released at once.
/// 3. Pages older than the last savepoint are never released before the end.
@usableFromInline package final class WriteTransaction {
  // Unchecked exclusivity: one thread has the transaction, and no access to a field calls other
  // code.
  package let store: Store
  @usableFromInline package let frames: FrameMap
  @usableFromInline package let view: PageView
  /// A separate slot, because a page may be copied while `view` is in use.
  private let copying: ReaderSlot
  /// The current step. Each savepoint increments it.
  @inlinable package internal(set) var stamp: UInt64 {
    get { stampCell.pointee }
    set { stampCell.pointee = newValue }
  }
  /// A separate memory cell, because the field of a class in another module is checked for
  /// exclusivity at every access.
  @usableFromInline let stampCell = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
  package let base: Snapshot
  package let fanoutLimit: Int
  /// False if a cursor outlives the transaction and releases the slot itself.
  package var givesSlot = true
  /// Writes the pages of a tree that is being built.
  @exclusivity(unchecked) var through: ThroughBuffer?
  /// State of a higher module, from the begin to the end of the transaction.
  private var attachment: AnyObject?

  @exclusivity(unchecked) var births: [UInt32] = []
  @exclusivity(unchecked) private var namedBirths: [ExtentList.Extent] = []
  @exclusivity(unchecked) var deaths: [Death] = []
  /// Only this transaction knows pages that were made after this step.
  @exclusivity(unchecked) private var floorStamp: UInt64
  @exclusivity(unchecked) private(set) var log: Log? {
    didSet { borrowedLog = log.map(Unmanaged.passUnretained) }
  }
  /// The log without reference counting, for use in every piece of a record.
  @exclusivity(unchecked) private(set) var borrowedLog: Unmanaged<Log>?
  private(set) var logStart: Log.Mark?
  @exclusivity(unchecked) private var needsDataSync = false
  @exclusivity(unchecked) var hasRecords = false
  private(set) var isOpen = true
  @exclusivity(unchecked) private var spillCursor = 0
  private let draftLimit: Int
  private let spillBatch: Int
  /// The state after the commit. If nothing was changed it is the base.
  package internal(set) var outcome: Snapshot
  /// The size of the commit: bytes of the log, and pages that were made.
  package internal(set) var bytesLogged = 0
  package internal(set) var pagesMade = 0
  /// The error that prevented a piece of the record; nil if the record is complete.
  @exclusivity(unchecked) var recordFailure: StoreError?

  init(store: Store, log: Log?) throws(StoreError) {
    self.store = store
    self.log = log
    borrowedLog = log.map(Unmanaged.passUnretained)
    frames = store.frames.map
    base = store.tip
    outcome = base
    floorStamp = store.lastStamp
    store.lastStamp += 1
    stampCell.initialize(to: store.lastStamp)
    fanoutLimit = store.options.fanoutLimit
    draftLimit = store.file == nil || store.options.readOnly ? .max : store.draftLimit
    spillBatch = max(8, min(256, draftLimit / 8))
    logStart = try log?.mark()
    copying = try store.frames.slots.take()
    do throws(StoreError) {
      view = PageView(frames: frames, slot: try store.frames.slots.take(), file: store.file)
    } catch {
      store.frames.slots.give(copying)
      throw error
    }
  }

  deinit { stampCell.deallocate() }

  /// The state of the module above, made at the first call.
  package func attached<State: AnyObject, Failure: Error>(
    _ make: () throws(Failure) -> State
  ) throws(Failure) -> State {
    if let known = attachment as? State { return known }
    let made = try make()
    attachment = made
    return made
  }

  /// Detaches the state without ending it, if the next transaction may use it.
  func takeState() -> (any TransactionState)? {
    guard let state = attachment as? any TransactionState, state.mayGoOn else { return nil }
    attachment = nil
    return state
  }

  /// Attaches the state of the previous transaction.
  func take(over state: any TransactionState) {
    attachment = state
    state.begin(in: self)
  }

  // MARK: Pages

  /// A new page. Its memory is not cleared; the caller writes the whole header.
  package func allocate() throws(StoreError) -> (page: PageID, memory: UnsafeMutableRawPointer) {
    let place = try store.space.take()
    try claim(place, length: 1, kind: 0)
    let page = PageID(place)
    return (page, frames.memory(page))
  }

  /// Takes a place for a page that is written to the file without a frame.
  func claimWithoutFrame() throws(StoreError) -> UInt32 {
    let place = try store.space.take()
    do throws(StoreError) { try store.frames.reserve(upTo: Int(place) + 1) } catch {
      store.space.giveBack(place)
      throw error
    }
    births.append(place)
    return place
  }

  private func claim(_ place: UInt32, length: UInt32, kind: UInt8) throws(StoreError) {
    do throws(StoreError) { try store.frames.reserve(upTo: Int(place + length)) } catch {
      for member in place..<place + length { store.space.giveBack(member) }
      throw error
    }
    for member in place..<place + length {
      frames.setCheck(PageID(member), 0)
      store.frames.begin(PageID(member), as: kind)
      births.append(member)
    }
  }

  /// Makes a page editable: the page itself if this step made it, else a copy at a new place.
  @inlinable
  package func edit(
    _ reference: PageReference
  ) throws(StoreError) -> (page: PageID, memory: UnsafeMutableRawPointer, moved: Bool) {
    let memory = try frames.page(reference)
    // A page that is not a draft may be evicted at any moment, so it is not read here.
    if frames.state(reference.page) & FrameState.draft != 0 && Page.stamp(memory) == stamp {
      return (reference.page, UnsafeMutableRawPointer(mutating: memory), false)
    }
    return try copy(reference)
  }

  @usableFromInline @inline(never)
  func copy(
    _ old: PageReference
  ) throws(StoreError) -> (page: PageID, memory: UnsafeMutableRawPointer, moved: Bool) {
    let (page, copy) = try allocate()
    // Making room may have evicted the old page, so it is looked up again, and kept while it is
    // copied.
    copying.enter()
    defer { copying.leave() }
    let memory = try frames.page(old)
    copy.copyMemory(from: memory, byteCount: Page.size)
    let born = Page.stamp(memory)
    copy.set32(Page.Field.place, page.place)
    copy.set64(Page.Field.stamp, stamp)
    kill(old.page, born: born)
    return (page, copy, true)
  }

  /// Notes that a page was removed from its tree. `born` is the stamp in its header.
  package func kill(_ page: PageID, born: UInt64) {
    if isImpossible(page.place, born) { return noteDouble(page.place) }
    let isNamed = store.isNamed(born)
    if born > floorStamp && !isNamed {
      store.frames.end(page)
      store.space.giveBack(page.place)
    } else {
      deaths.append(Death(place: page.place, length: 1, born: born, died: 0, named: isNamed))
    }
  }

  /// Whether large values are written to their places before the record. A replayed record already
  /// names the places.
  package var canName: Bool { (log != nil || store.isPrivate) && store.file != nil }

  // MARK: Savepoints

  /// A state of this transaction to which a later rollback returns.
  package struct Savepoint {
    let births: Int
    let namedBirths: Int
    let deaths: Int
    let floorStamp: UInt64
    let log: Log.Mark?
    let hadRecords: Bool
    let recordFailure: StoreError?
    package let stamp: UInt64
  }

  package func savepoint() throws(StoreError) -> Savepoint {
    let point = Savepoint(
      births: births.count, namedBirths: namedBirths.count, deaths: deaths.count, floorStamp: floorStamp,
      log: try log?.mark(), hadRecords: hasRecords, recordFailure: recordFailure, stamp: stamp)
    floorStamp = stamp
    store.lastStamp += 1
    stamp = store.lastStamp
    return point
  }

  /// Rolls back everything since the savepoint. The module above restores its roots.
  package func rollback(to point: Savepoint) {
    giveBack(births: point.births, named: point.namedBirths)
    deaths.removeLast(deaths.count - point.deaths)
    hasRecords = point.hadRecords
    recordFailure = point.recordFailure
    if let mark = point.log { log?.goBack(to: mark) }
    // Restored roots may reach pages that were made before the savepoint, so these are copied from
    // now on.
    floorStamp = point.stamp
    store.lastStamp += 1
    stamp = store.lastStamp
  }

  /// Keeps the changes since the savepoint, and releases it.
  package func release(_ point: Savepoint) { floorStamp = point.floorStamp }

  /// Releases every place that was taken after the first `birthCount` births.
  private func giveBack(births birthCount: Int, named namedCount: Int) {
    for place in births[birthCount...] where !store.space.free.contains(place) {
      store.frames.end(PageID(place))
      store.space.giveBack(place)
    }
    births.removeLast(births.count - birthCount)
    spillCursor = min(spillCursor, birthCount)
    for extent in namedBirths[namedCount...] {
      for place in extent.place..<extent.place + extent.pages { store.space.giveBack(place) }
    }
    namedBirths.removeLast(namedBirths.count - namedCount)
  }

  /// Runs a step that takes places, and frees them if the step fails. The step must not link them
  /// into a tree before it ends.
  func whole<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    let (birthCount, namedCount) = (births.count, namedBirths.count)
    do throws(StoreError) { return try body() } catch {
      giveBack(births: birthCount, named: namedCount)
      throw error
    }
  }

  // MARK: End

  /// Makes the changes durable and visible. `catalog` is the new root of the catalog.
  package func commit(_ catalog: Root, durability: SyncMode = .full) throws(StoreError) {
    precondition(isOpen, "the transaction has ended")
    do throws(StoreError) { try refuseDoubles() } catch {
      abandon()
      throw error
    }
    if !hasRecords && catalog == base.catalog {
      abandon()
      return
    }
    try store.commit(self, catalog, durability: durability)
  }

  /// Rolls back everything.
  package func abandon() {
    guard isOpen else { return }
    undo()
    finish()
    store.turn.give()
  }

  func undo() {
    giveBack(births: 0, named: 0)
    if let logStart { log?.goBack(to: logStart) }
  }

  /// Ends the transaction without an effect, after its owner has taken its pages.
  func finish() {
    isOpen = false
    through = nil
    log = nil
    let state = attachment
    attachment = nil
    (state as? any TransactionState)?.transactionEnded()
    if givesSlot { store.frames.slots.give(view.slot) }
    store.frames.slots.give(copying)
  }

  /// Syncs extents that were already written, before the record that names them.
  func syncData() throws(StoreError) {
    if needsDataSync, let file = store.file { try file.sync() }
    needsDataSync = false
  }

  // MARK: Large values and limited drafts

  func addNamedBirth(_ extent: ExtentList.Extent) {
    namedBirths.append(extent)
    expectDataSync()
  }

  /// Notes that the data file must be synced before the record is closed.
  func expectDataSync() { needsDataSync = true }

  /// Begins a new step, so that every page made so far is copied when it is changed.
  func beginStep() {
    store.lastStamp += 1
    stamp = store.lastStamp
  }

  func claimExtent(_ place: UInt32, pages: UInt32) throws(StoreError) {
    try claim(place, length: pages, kind: FrameState.extent)
  }

  func bury(_ death: Death) { deaths.append(death) }

  var newestProtectedStamp: UInt64 { floorStamp }

  /// Writes some of this transaction's leaves to their places if there are too many drafts.
  ///
  /// Call it between operations, when no pointer into a page is held. Written pages are copied when
  /// they are changed again, because the step changes.
  @inlinable @inline(__always)
  package func relieve() throws(StoreError) {
    if draftsAreTooMany { try spill() }
  }

  /// Drafts of commits that wait for a checkpoint count too, but cannot be written here. So there
  /// must be enough new drafts of this transaction to justify another step.
  @usableFromInline var draftsAreTooMany: Bool {
    store.frames.drafts.load(ordering: .relaxed) > draftLimit && births.count - spillCursor >= spillBatch
  }

  @usableFromInline @inline(never)
  func spill() throws(StoreError) {
    guard let file = store.file else { return }
    var places: [UInt32] = []
    for place in births[spillCursor...] {
      let page = PageID(place)
      let state = frames.state(page)
      guard state & FrameState.draft != 0, state & FrameState.ready != 0 else { continue }
      if PageWriter.rank(page, frames) != 0 { continue }
      places.append(place)
    }
    spillCursor = births.count
    places = Set(places).sorted()
    try PageWriter(file: file, frames: frames, settleChecks: store.floor.settleChecks).write(places)
    for place in places { store.frames.settle(PageID(place)) }
    beginStep()
    store.frames.trim()
  }
}
