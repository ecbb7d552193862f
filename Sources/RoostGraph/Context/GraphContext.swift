internal import RoostFile
package import RoostQuery
package import RoostRecords

/// Objects of a store, as one user of it sees and changes them.
///
/// It shows one snapshot, with its own changes over it. It belongs to one thread at a time; only the end of an object may
/// come from another one.
///
/// ## Invariants
/// 1. Each row has one object at most that is not ending.
/// 2. Objects with changes are kept by the lists; others by their users alone.
/// 3. A fault's slots are empty; the others' hold what the snapshot says, but for changed properties.
/// 4. No object ends while a collection that held it is being changed: see ``releaseLater(_:)``. So no field that can own a user's object
///    is marked `@exclusivity(unchecked)` in a debug build.
package final class GraphContext {
  package let store: GraphStore
  /// Who makes the changes, for the history.
  package var author = ""
  /// Whether its saves are not waited for until they are on the disk: a crash may lose the newest of them.
  package var isRelaxed = false
  /// By number of the map. An origin keeps its context as long as there is an object of it, so a context must be closed.
  @exclusivity(unchecked) private var origins: [RowOrigin?]
  /// The snapshot, from the first moment it is needed, and since when.
  @exclusivity(unchecked) private(set) var reader: RecordReader?
  private(set) var shownSince: UInt64 = 0
  /// What conditions are computed over, for the snapshot that is shown: it keeps what questions have found out.
  @exclusivity(unchecked) private var shownGround: Ground? {
    willSet {
      if let shownGround {
        formerRowsRead += shownGround.rowsRead
        formerEntriesRead += shownGround.entriesRead
        routes = Routes()
      }
    }
  }
  /// What questions found on that ground.
  @exclusivity(unchecked) package private(set) var routes = Routes()
  private var formerRowsRead = 0
  private var formerEntriesRead = 0
  @exclusivity(unchecked) private var tables: [TableReader?]
  let turn = Turn()
  var batches = BatchRing()
  /// Objects without a row, and those that have changes, in the order in which they became such. Some may be neither any more.
  var inserted: [any _ModelObject] = []
  var changed: [any _ModelObject] = []
  var deleted: [any _ModelObject] = []
  // Each getter of a reference asks it, which the check makes 8 percent slower: debug builds alone have it.
  #if !DEBUG
    @exclusivity(unchecked)
  #endif
  var links = LinkLedger()
  @exclusivity(unchecked) var sinks: [SinkBox?]
  /// What was asked for last, because the next one is mostly of the same class.
  @exclusivity(unchecked) private var lastMap: (type: ObjectIdentifier, map: EntityMap)?
  /// By map, relationships that must have some members, or may not have more than some.
  private(set) lazy var countedRelations: [[Relation]] = store.relations.map { relations in
    relations.compactMap { $0 }.filter { $0.minimum > 0 || $0.maximum > 0 }
  }
  /// Objects of which something could not be read.
  var invalid: [any _ModelObject] = []
  /// Why that was; the next save says it.
  package internal(set) var failure: (any Error)?
  @exclusivity(unchecked) package internal(set) var statistics = Statistics()
  /// Whether whoever reads an object may wait for its changes: see ``observe(_:)``.
  @exclusivity(unchecked) package internal(set) var observesObjects = false
  /// Whether the context finds out by itself that its objects are observed: see ``isTracked``.
  @exclusivity(unchecked) var looksForObservers = true
  /// How many more objects are made whose reading tells that.
  @exclusivity(unchecked) var scouts = 200
  @exclusivity(unchecked) var probe: ObservationProbe?
  /// Observation notifications to send when the call ends: properties changed by a merge or rollback, not by a setter. `nil` means all
  /// properties.
  #if !DEBUG
    @exclusivity(unchecked)
  #endif
  var told: [(object: any _ModelObject, property: Int?)] = []
  /// What collections held until a moment ago: see ``releaseLater(_:)``.
  #if !DEBUG
    @exclusivity(unchecked)
  #endif
  var departing: [Any] = []
  @exclusivity(unchecked) package private(set) var isClosed = false
  /// Whether it ended with its store, so that nothing can be read again.
  private(set) var isShut = false
  package var mergePolicy = MergePolicy.objectWins
  package var uniquePolicy = UniquePolicy.always(.upsert)
  /// By number of the map, those of classes that have their own.
  package var uniquePolicies: [Int: UniquePolicy] = [:]
  package internal(set) var lastSave = SaveSummary()
  /// What was stored of properties that were changed here before others changed the row, by object.
  var bases: [LinkKey: RowBase] = [:]
  /// Objects whose rows may say something else than they do since the last save; they are read again with the newest snapshot.
  var unread: [any _ModelObject] = []
  /// Whether references that wait to be saved may lead to objects that are gone.
  var mayDangle = false
  /// Whether a new object that is made to reference one of this context is inserted. A write in bulk inserts its objects itself.
  package var bringsObjects = true
  /// Where fields of properties stand, for those maps that were asked for.
  var fieldsByProperty: [Int: [Int: [FieldID]]] = [:]
  /// What is known of the unique values of new objects, where somebody asks for that.
  @exclusivity(unchecked) var likes = Likes()
  /// What was done wrong with objects and has no effect; the next save says it, once.
  var complaints: [GraphFault] = []
  /// Who wants to know what objects were before they change.
  @exclusivity(unchecked) package weak var watcher: (any ChangeWatching)? { didSet { isWatched = watcher != nil } }
  @exclusivity(unchecked) private(set) var isWatched = false
  /// Told, when the turn is given back, how the context went on to a newer snapshot.
  package var hearMerge: ((MergeReport) -> Void)?
  /// Told, when the turn is given back, that a getter gave a default because the property's type does not accept what is stored.
  package var hearDefault: ((GraphFault, GraphContext) -> Void)?
  var reports: [Report] = []
  /// Whose context this is: whoever shows it to users.
  package weak var owner: AnyObject?

  /// Whether what others commit is taken over at the next call; else only by a save, a rollback or a reset.
  package var mergesChanges = true
  /// A context that does not merge holds on to its snapshot for so long: the store's file cannot use those pages again.
  package var mostCommitsBehind: UInt64 = 10_000
  package var mostNanosecondsBehind: UInt64 = 600_000_000_000
  /// Whether what it does depends on the snapshot that it read first: see ``makeSerial()``.
  private(set) var isSerial = false
  /// Whether a loop that reads its objects one by one makes the next call throw.
  @exclusivity(unchecked) package var isStrict = false
  @exclusivity(unchecked) var singles: [LinkKey: Int] = [:]

  /// What is told when the turn is given back.
  enum Report {
    case merge(MergeReport)
    case defaultGiven(GraphFault)
  }

  /// Where rows of one entity are put together.
  final class SinkBox {
    @exclusivity(unchecked) var sink: _RowSink
    init(_ plan: RowPlan) { sink = _RowSink(plan) }
  }

  package init(_ store: GraphStore) {
    self.store = store
    origins = Array(repeating: nil, count: store.maps.count)
    tables = Array(repeating: nil, count: store.maps.count)
    sinks = Array(repeating: nil, count: store.maps.count)
  }

  deinit { hideSnapshot() }

  /// Gives up all changes. Objects that are in use still show what they have, and faults the newest snapshot.
  package func close() {
    quietly(.closing, otherwise: ()) { end() }
  }

  /// Ends the context with its container: objects go on showing what they show, also what was not saved.
  ///
  /// - Returns: false where a call of this thread is under way, or one of another thread until the deadline.
  package func shut(until deadline: UInt64) -> Bool {
    let isDone: Void? = whenFree(until: deadline) {
      isClosed = true
      isShut = true
      letSnapshotGo()
    }
    return isDone != nil
  }

  /// Whether something waits to be saved; nil where the context is in use until the deadline.
  package func hasUnsaved(until deadline: UInt64) -> Bool? {
    whenFree(until: deadline) { !isClosed && (failure != nil || hasChanges) }
  }

  /// Runs a body when no call is under way; nil where one is, on this thread, or on another one until the deadline.
  private func whenFree<Result>(until deadline: UInt64, _ body: () -> Result) -> Result? {
    var polling = Polling(until: deadline)
    while true {
      do throws(GraphFault) {
        guard try turn.takeOrThrow(.closing) else { return nil }
        defer { turn.give() }
        return body()
      } catch {
        guard polling.pause() else { return nil }
      }
    }
  }

  private func end() {
    // Lists of new objects are theirs from here on, as users left them.
    settle()
    isClosed = true
    giveUp()
    origins = Array(repeating: nil, count: origins.count)
    letSnapshotGo()
  }

  func letSnapshotGo() {
    shownGround = nil
    tables = Array(repeating: nil, count: tables.count)
    hideSnapshot()
    reader = nil
  }

  private func hideSnapshot() {
    guard let reader else { return }
    store.feed.hides(reader.commit)
    reader.close()
  }

  /// Makes this the context of a serial write. It shows what it read first, however old that gets, and a new object does not
  /// become a row that others committed since: that is a conflict.
  package func makeSerial() {
    isSerial = true
    mergesChanges = false
    (mostCommitsBehind, mostNanosecondsBehind) = (.max / 2, .max / 2)
  }

  func checkOpen() throws(GraphFault) {
    if isClosed { throw GraphFault(.closed, "the context has ended: make a new one") }
  }

  // MARK: The snapshot

  /// The commit that the snapshot shows; nil as long as nothing was read.
  var seenCommit: UInt64? { reader?.commit }

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

  /// How many rows and entries of indexes queries have read.
  package var readCount: (rows: Int, entries: Int) {
    (formerRowsRead + (shownGround?.rowsRead ?? 0), formerEntriesRead + (shownGround?.entriesRead ?? 0))
  }

  /// Makes a newer snapshot the one that is shown.
  func show(_ new: RecordReader) {
    shownGround = nil
    tables = Array(repeating: nil, count: tables.count)
    store.feed.shows(new.commit)
    if let reader { store.feed.hides(reader.commit) }
    reader = new
    shownSince = Clock.monotonicNanoseconds()
  }

  // MARK: Objects

  /// All that are in use.
  var allObjects: [any _ModelObject] {
    origins.flatMap { origin in origin.flatMap { $0.map.isHome ? $0.all() : nil } ?? [] }
  }

  func originIfKnown(_ map: Int) -> RowOrigin? { origins[map] }

  func origin(_ map: EntityMap) -> RowOrigin {
    if let origin = origins[map.number] { return origin }
    let home = map.isHome ? nil : origin(store.maps[map.home])
    let origin = RowOrigin(map, in: self, sharing: home?.objects)
    if !isClosed { origins[map.number] = origin }
    return origin
  }

  func origin(of object: any _ModelObject) throws(GraphFault) -> RowOrigin? {
    guard let origin = object._$state.origin else { return nil }
    guard let own = origin as? RowOrigin, own.context === self else {
      throw GraphFault(
        .foreign, "the object belongs to another context: fetch it here by its identifier",
        entity: type(of: object)._$type.name, row: object._$state.row)
    }
    return own
  }

  func map(of object: any _ModelObject) throws(GraphFault) -> EntityMap {
    let type = ObjectIdentifier(type(of: object))
    if let last = lastMap, last.type == type { return last.map }
    if let map = store.map(of: Swift.type(of: object)) {
      lastMap = (type, map)
      return map
    }
    throw GraphFault(
      .unknownModel, "the container was not made for this model: name it where the container is made",
      entity: Swift.type(of: object)._$type.name)
  }

  /// The object of a row, if there is one already.
  package func registered(_ map: EntityMap, _ row: RowID) -> (any _ModelObject)? {
    if let origin = origins[map.number] { return origin.known(row.number) }
    if map.isHome || origins[map.home] == nil { return nil }
    return origin(map).known(row.number)
  }

  /// The object of a row; nil if there is no such row.
  package func existing(_ map: EntityMap, _ row: RowID) throws -> (any _ModelObject)? {
    try call(.reading) { try find(map, row) }
  }

  /// The same where nothing can be thrown: the next save says why it could not be found out.
  package func existingQuietly(_ map: EntityMap, _ row: RowID) -> (any _ModelObject)? {
    quietly(.reading, otherwise: nil) {
      // Nobody would close the snapshot that it took to look.
      if isClosed { return nil }
      do { return try find(map, row) } catch {
        if failure == nil { failure = error }
        return nil
      }
    }
  }

  private func find(_ map: EntityMap, _ row: RowID) throws -> (any _ModelObject)? {
    if let known = registered(map, row) {
      let flags = known._$state.flags
      if flags.contains(.deleted) { return nil }
      if flags.contains(.inserted) || flags.isDisjoint(with: [.fault, .changed]) { return known }
      // It may have been deleted since by others, or never have been there.
      return try table(map).contains(row) ? known : nil
    }
    if links.doomed.contains(LinkKey(map: map.home, row: row.number, property: 0)) { return nil }
    noteSingle(origin(map), nil)
    return try readOne(row.number, origin(map))
  }
}
