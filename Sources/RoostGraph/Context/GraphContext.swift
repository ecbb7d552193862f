internal import RoostFile
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
/// 4. No object ends while a collection that held it is being changed: see ``Session/release(_:)``.
package final class GraphContext {
  package let store: GraphStore
  package let session: Session
  /// Who makes the changes, for the history.
  package var author = ""
  /// Whether its saves are not waited for until they are on the disk: a crash may lose the newest of them.
  package var isRelaxed = false
  /// By number of the map. An origin keeps its context as long as there is an object of it, so a context must be closed.
  @exclusivity(unchecked) private var origins: [RowOrigin?]
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
  /// Whether whoever reads an object may wait for its changes: see ``observe(_:)``.
  @exclusivity(unchecked) package internal(set) var observesObjects = false
  /// Whether the context finds out by itself that its objects are observed: see ``isTracked``.
  @exclusivity(unchecked) var looksForObservers = true
  /// How many more objects are made whose reading tells that.
  @exclusivity(unchecked) var scouts = 200
  @exclusivity(unchecked) var probe: ObservationProbe?
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
  /// Whose context this is: whoever shows it to users.
  package weak var owner: AnyObject?
  /// Whether a loop that reads its objects one by one makes the next call throw.
  @exclusivity(unchecked) package var isStrict = false
  @exclusivity(unchecked) var singles: [LinkKey: Int] = [:]

  /// Where rows of one entity are put together.
  final class SinkBox {
    @exclusivity(unchecked) var sink: _RowSink
    init(_ plan: RowPlan) { sink = _RowSink(plan) }
  }

  package init(_ store: GraphStore) {
    self.store = store
    session = Session(store)
    origins = Array(repeating: nil, count: store.maps.count)
    sinks = Array(repeating: nil, count: store.maps.count)
  }

  /// Gives up all changes. Objects that are in use still show what they have, and faults the newest snapshot.
  package func close() {
    quietly(.closing, otherwise: ()) { end() }
  }

  /// Ends the context with its container: objects go on showing what they show, also what was not saved.
  ///
  /// - Returns: false where a call of this thread is under way, or one of another thread until the deadline.
  package func shut(until deadline: UInt64) -> Bool {
    session.whenFree(until: deadline) { session.shut() } != nil
  }

  /// Whether something waits to be saved; nil where the context is in use until the deadline.
  package func hasUnsaved(until deadline: UInt64) -> Bool? {
    session.whenFree(until: deadline) { !session.isClosed && (failure != nil || hasChanges) }
  }

  private func end() {
    // Lists of new objects are theirs from here on, as users left them.
    settle()
    session.close()
    giveUp()
    origins = Array(repeating: nil, count: origins.count)
    session.dropSnapshot()
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
    if !session.isClosed { origins[map.number] = origin }
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
      if session.isClosed { return nil }
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
      return try session.table(map).contains(row) ? known : nil
    }
    if links.doomed.contains(LinkKey(map: map.home, row: row.number, property: 0)) { return nil }
    noteSingle(origin(map), nil)
    return try readOne(row.number, origin(map))
  }
}
