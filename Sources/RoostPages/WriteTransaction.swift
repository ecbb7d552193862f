import RoostBytes
public import RoostFile
import Synchronization

/// What a floor above attached to a transaction, if it has to hear that the transaction has ended.
package protocol TransactionState: AnyObject {
  func transactionEnded()
  /// Whether it may serve the next transaction, where that one begins with what this one left.
  var mayGoOn: Bool { get }
  func begin(in next: WriteTransaction)
}

/// The one transaction that may change pages: it makes drafts and log frames until it commits or is abandoned.
///
/// ## Invariants
/// 1. A page is changed in place only if this step made it and it is still a draft; every other page is copied.
/// 2. Every place taken is in `births`, every page left behind in `deaths` or given back at once.
/// 3. Pages older than the last savepoint are never given back before the end.
@usableFromInline package final class WriteTransaction {
  // Unchecked exclusivity: one thread has the transaction, and no access to a field calls back.
  package let store: Store
  @usableFromInline package let frames: FrameMap
  @usableFromInline package let view: PageView
  /// A slot of its own, because a copy may be made while `view` is in use.
  private let copying: ReaderSlot
  /// The current step. It grows with each savepoint.
  @inlinable package internal(set) var stamp: UInt64 {
    get { stampCell.pointee }
    set { stampCell.pointee = newValue }
  }
  /// A cell of its own: across modules a field of a class is checked for exclusivity at every look.
  @usableFromInline let stampCell = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
  package let base: Snapshot
  package let fanoutLimit: Int
  /// False where a cursor outlives the transaction, and gives the slot back itself.
  package var givesSlot = true
  /// Where the pages of a tree that is built go.
  @exclusivity(unchecked) var through: ThroughBuffer?
  /// Something for the floor above to keep its own state in, from begin to end.
  private var attachment: AnyObject?

  @exclusivity(unchecked) var births: [UInt32] = []
  @exclusivity(unchecked) private var namedBirths: [ExtentList.Extent] = []
  @exclusivity(unchecked) var deaths: [Death] = []
  /// Pages made after this step are nobody's but this transaction's.
  @exclusivity(unchecked) private var floorStamp: UInt64
  @exclusivity(unchecked) private(set) var log: Log? {
    didSet { borrowedLog = log.map(Unmanaged.passUnretained) }
  }
  /// The same without a count of its users, for every piece of a record.
  @exclusivity(unchecked) private(set) var borrowedLog: Unmanaged<Log>?
  private(set) var logStart: Log.Mark?
  @exclusivity(unchecked) private var needsDataSync = false
  @exclusivity(unchecked) var hasRecords = false
  private(set) var isOpen = true
  @exclusivity(unchecked) private var spillCursor = 0
  private let draftLimit: Int
  private let spillBatch: Int
  /// The state that a commit left: where nothing was changed, the one it began with.
  package internal(set) var outcome: Snapshot
  /// What the commit wrote: bytes of the log, and pages that were made.
  package internal(set) var bytesLogged = 0
  package internal(set) var pagesMade = 0
  /// Why the record lacks a piece, if it does.
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

  /// What the floor above keeps here, made when it is first asked for.
  package func attached<State: AnyObject, Failure: Error>(
    _ make: () throws(Failure) -> State
  ) throws(Failure) -> State {
    if let known = attachment as? State { return known }
    let made = try make()
    attachment = made
    return made
  }

  /// Takes the state out, without a word to it, if it may go on in the next transaction.
  func takeState() -> (any TransactionState)? {
    guard let state = attachment as? any TransactionState, state.mayGoOn else { return nil }
    attachment = nil
    return state
  }

  /// Goes on with the state of the transaction before.
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

  /// A place for a page that goes to the file without a frame.
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

  /// A page ready to be changed: itself if this step made it, else a copy at a new place.
  @inlinable
  package func edit(
    _ reference: PageReference
  ) throws(StoreError) -> (page: PageID, memory: UnsafeMutableRawPointer, moved: Bool) {
    let memory = try frames.page(reference)
    // A page that is no draft may leave at any moment, so it is not looked at here.
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
    // Making room may have evicted the old page, so it is looked up again, and kept while it is copied.
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

  /// Says that the page belongs to no tree any more. `born` is the stamp in its header.
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

  /// Whether large values are written to their places before the record; a replayed record names them already.
  package var canName: Bool { (log != nil || store.isPrivate) && store.file != nil }

  // MARK: Savepoints

  /// A state of this transaction to which it can go back.
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

  /// Undoes everything since the savepoint. The floor above restores its roots.
  package func rollback(to point: Savepoint) {
    giveBack(births: point.births, named: point.namedBirths)
    deaths.removeLast(deaths.count - point.deaths)
    hasRecords = point.hadRecords
    recordFailure = point.recordFailure
    if let mark = point.log { log?.goBack(to: mark) }
    // Pages made before the savepoint may be reached from restored roots, so they are copied from now on.
    floorStamp = point.stamp
    store.lastStamp += 1
    stamp = store.lastStamp
  }

  /// Keeps what was done since the savepoint, and forgets it.
  package func release(_ point: Savepoint) { floorStamp = point.floorStamp }

  /// Gives back every place taken since there were so many births.
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

  /// Runs a step that takes places and makes no tree reach them before it ends; takes it back if it fails.
  func whole<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    let (birthCount, namedCount) = (births.count, namedBirths.count)
    do throws(StoreError) { return try body() } catch {
      giveBack(births: birthCount, named: namedCount)
      throw error
    }
  }

  // MARK: End

  /// Makes the changes durable and visible. `catalog` is the new root of all roots.
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

  /// Undoes everything.
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

  /// Leaves the transaction without an effect, once its owner has taken what it made.
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

  /// Syncs extents that were written at once, before the record that names them.
  func syncData() throws(StoreError) {
    if needsDataSync, let file = store.file { try file.sync() }
    needsDataSync = false
  }

  // MARK: Large values, and bounded drafts

  func addNamedBirth(_ extent: ExtentList.Extent) {
    namedBirths.append(extent)
    expectDataSync()
  }

  /// Says that something was written that must be synced before the record is closed.
  func expectDataSync() { needsDataSync = true }

  /// Goes on in a new step, so that every page made so far is copied when it is touched.
  func beginStep() {
    store.lastStamp += 1
    stamp = store.lastStamp
  }

  func claimExtent(_ place: UInt32, pages: UInt32) throws(StoreError) {
    try claim(place, length: pages, kind: FrameState.extent)
  }

  func bury(_ death: Death) { deaths.append(death) }

  var newestProtectedStamp: UInt64 { floorStamp }

  /// Writes some of this transaction's leaves to their places when there are too many drafts.
  ///
  /// To be called between operations, when no pointer into a page is held. What was written is copied when it is
  /// touched again, because the step changes.
  @inlinable @inline(__always)
  package func relieve() throws(StoreError) {
    if draftsAreTooMany { try spill() }
  }

  /// Drafts of commits that wait for a checkpoint count too, but cannot be helped from here. So there must be enough
  /// new ones of this transaction to be worth another step.
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
