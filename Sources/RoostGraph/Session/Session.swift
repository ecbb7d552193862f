internal import RoostFile
internal import RoostPages
package import RoostQuery
package import RoostRecords

/// One user's access to a store: the lock, the snapshot, and the work that must wait for the end of
/// a call.
///
/// It is the lowest owner of a ``GraphContext``, whose comment lists all owners and their order. It
/// knows only objects that it releases. The owners are final classes that the context holds in
/// constants. So each field has its own exclusivity check, a constant needs none, and reaching an
/// owner costs one load.
///
/// ## Invariants
/// 1. Only the thread that has the ``lock`` accesses the fields. The end of an object is the only
///    call from other threads.
/// 2. Only ``release(_:)`` and ``end(_:)`` decide when objects are released that a collection of
///    the context held: after the lock is given back, and outside every access to the context's
///    collections. User code (`deinit`, observers) runs then, and may read and change everything.
///    ``endNow(_:)`` is for the two callers that must release objects at once: it runs with the
///    lock, outside every such access.
/// 3. No field that can own a user's object is `@exclusivity(unchecked)`, in any build.
///    ``hasEnding`` makes that cheap: a call that released nothing reads no collection.
/// 4. ``reader``, ``tables`` and ``shownGround`` are of one commit. The store's feed keeps the
///    commits after it, unless the session is pinned to its snapshot.
/// 5. After ``close()`` or ``shut()`` the session stays closed.
package final class Session {
  let store: GraphStore
  let lock = ContextLock()
  /// The public context that this session belongs to.
  package var user: ObjectIdentifier?

  // MARK: The snapshot

  /// The snapshot, taken when it is first needed.
  @exclusivity(unchecked) private(set) var reader: RecordReader?
  private(set) var shownSince: UInt64 = 0
  /// The ground of queries over the shown snapshot. It keeps results of earlier queries.
  @exclusivity(unchecked) private var shownGround: Ground?
  /// The routes of questions on that ground.
  @exclusivity(unchecked) package private(set) var routes = Routes()
  /// By number of the map.
  @exclusivity(unchecked) private var tables: [TableReader?]
  private var formerRowsRead = 0
  private var formerEntriesRead = 0

  // MARK: When the snapshot is replaced

  /// Whether the next call merges the commits of others. If not, only a save, a rollback or a reset
  /// does.
  package var mergesChanges = true
  /// Whether the current call keeps its snapshot, although the context merges. It is unchecked, because
  /// a Bool owns no object, so no code of a user runs in an access.
  @exclusivity(unchecked) private(set) var keepsSnapshot = false
  /// A context that does not merge keeps its snapshot for at most this long, because its pages
  /// cannot be reused.
  package var mostCommitsBehind: UInt64 = 10_000
  package var mostNanosecondsBehind: UInt64 = 600_000_000_000
  /// Whether its writes depend on the snapshot that it read first: see ``makeSerial()``.
  private(set) var isSerial = false
  @exclusivity(unchecked) package private(set) var isClosed = false
  /// Whether it is pinned to its snapshot, and so writes nothing.
  @exclusivity(unchecked) private(set) var isPinned = false
  /// Whether it was closed with its store, so that nothing can be read again.
  private(set) var isShut = false

  // MARK: The end of a call

  /// Whether work waits for the end of the call.
  @exclusivity(unchecked) private var hasEnding = false
  /// Contents of collections until the end of the call: see ``release(_:)``.
  private var released: [Any] = []
  /// Observation notifications: properties changed by a merge or rollback, not by a setter. `nil`
  /// means all properties.
  private var notifications: [(object: any _ModelObject, property: Int?)] = []
  private var reports: [Report] = []
  /// Called at the end of a call that moved to a newer snapshot.
  package var hearMerge: ((MergeReport) -> Void)?
  /// Called at the end of a call in which a getter returned a default, because the property's type
  /// rejects the stored value.
  package var hearDefault: ((GraphFault) -> Void)?

  /// Called at the end of a call after which the context may show other data: it moved to another
  /// snapshot, or unsaved changes were made or discarded.
  package var hearChange: (() -> Void)? { didSet { isHeard = hearChange != nil } }
  @exclusivity(unchecked) private var isHeard = false
  private var isChangeNoted = false

  @exclusivity(unchecked) package internal(set) var statistics = Statistics()

  /// A report for the end of the call.
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

  /// Closes the session with its store.
  func shut() {
    isClosed = true
    isShut = true
    dropSnapshot()
  }

  func checkOpen() throws(GraphFault) {
    guard isClosed else { return }
    throw GraphFault(
      .closed,
      isShut
        ? "the container was closed: make a new one, and fetch the models again in a context of it"
        : "the context has ended: make a new one")
  }

  /// Makes this the session of a serial write. It keeps the snapshot that it read first, however
  /// old that gets. A new object with the unique values of a row that others committed since is a
  /// conflict, not a merge.
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

  /// Throws if the session is pinned to its snapshot.
  func checkWritable() throws(StoreError) {
    guard isPinned else { return }
    throw StoreError(.readOnly, "the context shows a snapshot and changes nothing: use another context")
  }

  // MARK: The snapshot

  /// Keeps the snapshot until the call ends.
  func keepSnapshot() { (hasEnding, keepsSnapshot) = (true, true) }

  /// The commit of the snapshot; nil before the first read.
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

  /// The store's entities and fields in the snapshot.
  package func catalog() throws -> Catalog { try snapshot().catalog }

  /// Keeps the shown snapshot.
  package func pin() throws -> SnapshotPin { SnapshotPin(try snapshot()) }

  /// The number of rows and index entries that queries have read.
  package var readCount: (rows: Int, entries: Int) {
    (formerRowsRead + (shownGround?.rowsRead ?? 0), formerEntriesRead + (shownGround?.entriesRead ?? 0))
  }

  /// Shows a newer snapshot.
  func show(_ new: RecordReader) {
    forgetGround()
    // A pinned session never asks for later changes.
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

  /// Whether the snapshot is older than the newest commit. False before the first read.
  package var isOutdated: Bool {
    guard let shown = reader?.commit else { return false }
    return shown != store.records.store.published.snapshot.transaction
  }

  /// Whether the snapshot is that of the newest commit.
  package var isNewest: Bool { reader?.commit == store.records.store.published.snapshot.transaction }

  /// Whether the snapshot is so old that the store's file should not have to keep its pages any
  /// longer.
  var isBehind: Bool {
    guard let shown = reader?.commit else { return true }
    let newest = store.records.store.published.snapshot.transaction
    if newest == shown { return false }
    return newest > shown + mostCommitsBehind || Clock.monotonicNanoseconds() > shownSince + mostNanosecondsBehind
  }

  // MARK: Releasing

  /// Keeps the contents of a collection of the context until the call has ended. The program may
  /// hold none of the objects any more, and a user's `deinit` may read and change everything. It
  /// must not run while a collection is being changed, or while the collections are inconsistent.
  func release(_ objects: some Collection) {
    if objects.isEmpty { return }
    released.append(objects)
    hasEnding = true
  }

  /// Keeps an object, which may own users' objects, until the call has ended.
  func release(_ object: AnyObject?) {
    guard let object else { return }
    released.append(object)
    hasEnding = true
  }

  /// The objects that this call released so far, for ``endNow(_:)``.
  func takeReleased() -> [Any] { exchange(&released, with: []) }

  /// Releases objects during the call. The caller must not be accessing a collection of the
  /// context, and must expect that a `deinit` has changed everything.
  @inline(never)
  func endNow(_ objects: consuming [Any]) { objects = [] }

  /// Records for the end of the call that a property changed other than by its setter; nil means
  /// all properties.
  func notify(_ object: any _ModelObject, _ property: Int?) {
    if !object._$state.flags.contains(.tracked) || isEnding(object) { return }
    notifications.append((object, property))
    hasEnding = true
  }

  /// Records for the end of the call that the context may show other data.
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

  /// Ends a call: gives the lock back, then notifies observers, then releases objects. The last two
  /// run users' code, which may do anything, including waiting for another thread that needs the
  /// lock.
  @inline(__always)
  func end() { if hasEnding { finish() } else { lock.give() } }

  @inline(never)
  private func finish() {
    (hasEnding, keepsSnapshot) = (false, false)
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
  /// Notifies observers of a property; nil means all properties.
  fileprivate func notifyObservers(_ property: Int?) {
    if let property { return _$tellOfChange(property) }
    for number in Self._$type.properties.indices { _$tellOfChange(number) }
  }
}
