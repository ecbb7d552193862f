internal import RoostFile
internal import RoostPages
package import RoostQuery
package import RoostRecords

/// One user's access to a store: the lock, the snapshot that is read, and the work that waits for the end of a call.
///
/// It is the lowest owner of a ``GraphContext``, where all owners and their order are named. It knows no object but those that it releases.
/// The owners are final classes, which the context holds in constants. So each field has an exclusivity check of its own, a constant needs
/// none, and reaching an owner costs one load.
///
/// ## Invariants
/// 1. All fields are read and written by the thread that has the ``lock``. The end of an object is the only call from other threads.
/// 2. Only ``release(_:)`` and ``end(_:)`` decide when objects end that a collection of the context held: after the lock is given back, and
///    outside of every access to the context's collections. User code (`deinit`, observers) runs then, and may read and change everything.
///    ``endNow(_:)`` is for the two callers that must see objects end: it runs with the lock, outside of every such access.
/// 3. No field that can own a user's object is `@exclusivity(unchecked)`, in any build. ``hasEnding`` makes that cheap: a call that
///    released nothing looks at no collection.
/// 4. ``reader``, ``tables`` and ``shownGround`` are of one commit. The store's feed keeps the commits after it, unless the session stays at
///    its snapshot.
/// 5. After ``close()`` or ``shut()`` the session stays closed.
package final class Session {
  let store: GraphStore
  let lock = ContextLock()
  /// The user's context that this is a part of.
  package var user: ObjectIdentifier?

  // MARK: The snapshot

  /// The snapshot, from the first moment it is needed, and since when.
  @exclusivity(unchecked) private(set) var reader: RecordReader?
  private(set) var shownSince: UInt64 = 0
  /// What conditions are computed over, for the snapshot that is shown. It keeps what queries have found out.
  @exclusivity(unchecked) private var shownGround: Ground?
  /// What queries found on that ground.
  @exclusivity(unchecked) package private(set) var routes = Routes()
  /// By number of the map.
  @exclusivity(unchecked) private var tables: [TableReader?]
  private var formerRowsRead = 0
  private var formerEntriesRead = 0

  // MARK: When the snapshot is replaced

  /// Whether the next call takes over what others commit. If not, only a save, a rollback or a reset does.
  package var mergesChanges = true
  /// A context that does not merge keeps its snapshot for so long: the store's file cannot use those pages again.
  package var mostCommitsBehind: UInt64 = 10_000
  package var mostNanosecondsBehind: UInt64 = 600_000_000_000
  /// Whether what it does depends on the snapshot that it read first: see ``makeSerial()``.
  private(set) var isSerial = false
  @exclusivity(unchecked) package private(set) var isClosed = false
  /// Whether it stays at its snapshot, and so writes nothing.
  @exclusivity(unchecked) private(set) var isPinned = false
  /// Whether it ended with its store, so that nothing can be read again.
  private(set) var isShut = false

  // MARK: The end of a call

  /// Whether something waits for the end of the call.
  @exclusivity(unchecked) private var hasEnding = false
  /// What collections held until a moment ago: see ``release(_:)``.
  private var released: [Any] = []
  /// Observation notifications: properties changed by a merge or rollback, not by a setter. `nil` means all properties.
  private var notifications: [(object: any _ModelObject, property: Int?)] = []
  private var reports: [Report] = []
  /// Called at the end of a call that moved to a newer snapshot.
  package var hearMerge: ((MergeReport) -> Void)?
  /// Called at the end of a call in which a getter gave a default, because the property's type does not accept what is stored.
  package var hearDefault: ((GraphFault) -> Void)?

  /// Called at the end of a call after which the context may show something else: it moved to another snapshot, or changes wait or are gone.
  package var hearChange: (() -> Void)? { didSet { isHeard = hearChange != nil } }
  @exclusivity(unchecked) private var isHeard = false
  private var isChangeNoted = false

  @exclusivity(unchecked) package internal(set) var statistics = Statistics()

  /// What is told at the end of the call.
  enum Report {
    case merge(MergeReport)
    case defaultGiven(GraphFault)
  }

  init(_ store: GraphStore) {
    self.store = store
    tables = Array(repeating: nil, count: store.maps.count)
  }

  deinit { hideSnapshot() }

  // MARK: Closing

  func close() { isClosed = true }

  /// Ends the session with its store.
  func shut() {
    isClosed = true
    isShut = true
    dropSnapshot()
  }

  func checkOpen() throws(GraphFault) {
    if isClosed { throw GraphFault(.closed, "the context has ended: make a new one") }
  }

  /// Makes this the session of a serial write. It shows what it read first, however old that gets, and a new object does not
  /// become a row that others committed since: that is a conflict.
  package func makeSerial() {
    isSerial = true
    mergesChanges = false
    (mostCommitsBehind, mostNanosecondsBehind) = (.max / 2, .max / 2)
  }

  /// Shows the newest snapshot from now on, and no later one.
  package func stay() throws {
    dropSnapshot()
    isPinned = true
    _ = try snapshot()
  }

  /// Throws if the session stays at its snapshot.
  func checkWritable() throws(StoreError) {
    guard isPinned else { return }
    throw StoreError(.readOnly, "the context shows a snapshot and changes nothing: use another context")
  }

  // MARK: The snapshot

  /// The commit that the snapshot shows; nil as long as nothing was read.
  package var seenCommit: UInt64? { reader?.commit }

  package func snapshot() throws -> RecordReader {
    if let reader { return reader }
    let made = try store.records.snapshot()
    show(made)
    return made
  }

  package func ground() throws -> Ground {
    if let shownGround { return shownGround }
    let made = Ground(try snapshot())
    shownGround = made
    return made
  }

  func table(_ map: EntityMap) throws -> TableReader {
    if let table = tables[map.home] { return table }
    let table = try snapshot().table(map.entity.id)
    tables[map.home] = table
    return table
  }

  /// The store's entities and fields, as the snapshot has them.
  package func catalog() throws -> Catalog { try snapshot().catalog }

  /// Keeps the snapshot that is shown.
  package func pin() throws -> SnapshotPin { SnapshotPin(try snapshot()) }

  /// How many rows and entries of indexes queries have read.
  package var readCount: (rows: Int, entries: Int) {
    (formerRowsRead + (shownGround?.rowsRead ?? 0), formerEntriesRead + (shownGround?.entriesRead ?? 0))
  }

  /// Makes a newer snapshot the one that is shown.
  func show(_ new: RecordReader) {
    forgetGround()
    // One that stays never asks what changed after its snapshot.
    if !isPinned { store.feed.shows(new.commit) }
    if let reader { store.feed.hides(reader.commit) }
    reader = new
    shownSince = Clock.monotonicNanoseconds()
    noteChange()
  }

  func dropSnapshot() {
    forgetGround()
    hideSnapshot()
    reader = nil
    noteChange()
  }

  private func forgetGround() {
    if let shownGround {
      formerRowsRead += shownGround.rowsRead
      formerEntriesRead += shownGround.entriesRead
      routes = Routes()
    }
    shownGround = nil
    tables = Array(repeating: nil, count: tables.count)
  }

  private func hideSnapshot() {
    guard let reader else { return }
    if !isPinned { store.feed.hides(reader.commit) }
    reader.close()
  }

  /// Whether the snapshot is older than the newest commit. False as long as nothing was read.
  package var isOutdated: Bool {
    guard let shown = reader?.commit else { return false }
    return shown != store.records.store.published.snapshot.transaction
  }

  /// Whether the snapshot is that of the newest commit.
  package var isNewest: Bool { reader?.commit == store.records.store.published.snapshot.transaction }

  /// Whether the session keeps its snapshot for longer than the store's file should wait for it.
  var isBehind: Bool {
    guard let shown = reader?.commit else { return true }
    let newest = store.records.store.published.snapshot.transaction
    if newest == shown { return false }
    return newest > shown + mostCommitsBehind || Clock.monotonicNanoseconds() > shownSince + mostNanosecondsBehind
  }

  // MARK: Releasing

  /// Keeps what a collection of the context held until the call has ended. The program may hold none of it any more, and a user's `deinit`
  /// may read and change everything: it must not run while a collection is being changed, or while the collections do not fit each other.
  func release(_ objects: some Collection) {
    if objects.isEmpty { return }
    released.append(objects)
    hasEnding = true
  }

  /// Keeps one object, which may own users' objects, until the call has ended.
  func release(_ object: AnyObject?) {
    guard let object else { return }
    released.append(object)
    hasEnding = true
  }

  /// What was released by the call that is under way, for ``endNow(_:)``.
  func takeReleased() -> [Any] { exchange(&released, with: []) }

  /// Ends objects while the call is under way. The caller is in the middle of no access to a collection of the context, and expects that a
  /// `deinit` may have changed everything.
  @inline(never)
  func endNow(_ objects: consuming [Any]) { objects = [] }

  /// Notes for the end of the call that a property changed (all properties where it is nil), and that the object's own setter did not do it.
  func notify(_ object: any _ModelObject, _ property: Int?) {
    if !object._$state.flags.contains(.tracked) || isEnding(object) { return }
    notifications.append((object, property))
    hasEnding = true
  }

  /// Notes for the end of the call that the context may show something else.
  @inline(__always)
  func noteChange() {
    if !isHeard { return }
    isChangeNoted = true
    hasEnding = true
  }

  func report(_ report: Report) {
    reports.append(report)
    hasEnding = true
  }

  // MARK: Calls

  /// Ends a call: gives the lock back, then notifies observers, then lets released objects end. The last two run users' code, which may
  /// do anything, also wait for another thread that needs the lock.
  @inline(__always)
  func end() { if hasEnding { finish() } else { lock.give() } }

  @inline(never)
  private func finish() {
    hasEnding = false
    let (notified, reported) = (exchange(&notifications, with: []), exchange(&reports, with: []))
    let isChanged = exchange(&isChangeNoted, with: false)
    withExtendedLifetime(exchange(&released, with: [])) {
      lock.give()
      for (object, property) in notified { object.notifyObservers(property) }
      for report in reported {
        switch report {
        case .merge(let merge): hearMerge?(merge)
        case .defaultGiven(let fault): hearDefault?(fault)
        }
      }
      if isChanged { hearChange?() }
    }
  }
}

extension _ModelObject {
  /// Notifies observers of a property; of all properties where it is nil.
  fileprivate func notifyObservers(_ property: Int?) {
    if let property { return _$tellOfChange(property) }
    for number in Self._$type.properties.indices { _$tellOfChange(number) }
  }
}
