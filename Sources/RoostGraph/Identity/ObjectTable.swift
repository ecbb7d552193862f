internal import RoostFile
package import RoostRecords

/// The objects of one context: which object a row has, and how objects that were not read yet (faults) get their values.
///
/// For each class there is a ``RowOrigin``, which its objects hold, and for each entity an ``IdentityMap``, which names the objects of rows
/// and keeps none of them. Rows that came together, as by one fetch, are a ``Batch``: a fault that is read reads those of its batch too.
/// The table knows neither what was changed (``ChangeSet``) nor relationships (``LinkLedger``).
///
/// ## Invariants
/// 1. A row has one object at most that is not ending: all that is read goes through ``RowOrigin/object(_:)`` or ``RowOrigin/make(_:)``.
/// 2. The table keeps no object alive, but those that a batch read ahead, ``invalid`` ones, and those that wait in ``unread``.
/// 3. A fault's slots are empty. An object that is marked as invalid says in its extras why it, or which of its properties, could not be read.
/// 4. ``failure`` is the first error since the last save that no call could throw. The next save throws it.
/// 5. All objects of an entity are marked as observed, or only those that look for a tracking (``ObserverSearch``).
/// 6. Fields with `@exclusivity(unchecked)` own no user's object, so no user code runs within an access to them (`ExclusivityTests`).
package final class ObjectTable {
  let store: GraphStore
  let session: Session
  /// The context, and what answers accessors: origins keep both alive. Unowned, because the context owns this table.
  private unowned var owner: AnyObject?
  /// Whether unloaded rows of a working set stay faults.
  var hidesUnloaded = true
  private unowned var delegate: OriginDelegate?
  /// By number of the map. An origin keeps its context as long as there is an object of it, so a context must be closed.
  @exclusivity(unchecked) private var origins: [RowOrigin?]
  /// The class that was asked for last, because the next one is mostly the same.
  @exclusivity(unchecked) private var lastMap: (type: ObjectIdentifier, map: EntityMap)?
  /// Copies rows for objects that make their values from them. It owns no object.
  @exclusivity(unchecked) private var rows = KeptRows()
  private var batches = BatchRing()
  /// Objects of which something could not be read.
  private var invalid: [any _ModelObject] = []
  /// Why that was; the next save says it.
  package private(set) var failure: (any Error)?
  /// Objects whose rows may say something else than they do since the last save. They are read again with the newest snapshot.
  private var unread: [any _ModelObject] = []
  /// Whether lists or objects must be read again.
  private(set) var hasUnread = false
  /// Whether accessors tell observers of objects: see ``observe(_:)``.
  @exclusivity(unchecked) package private(set) var observesObjects = false
  /// How the context finds out by itself that its objects are observed.
  @exclusivity(unchecked) private var search = ObserverSearch()
  /// What a loop reads one by one, where that is an error.
  @exclusivity(unchecked) private var singles = SingleReads()
  /// By map and property, the fields of the property's values, for those maps that were asked for.
  private var fieldsByProperty: [Int: [Int: [FieldID]]] = [:]

  init(_ session: Session) {
    self.session = session
    store = session.store
    origins = Array(repeating: nil, count: store.maps.count)
  }

  /// Says whose objects they are, and what answers their accessors. Called once, before anything else.
  func serve(_ owner: AnyObject, _ delegate: OriginDelegate) { (self.owner, self.delegate) = (owner, delegate) }

  // MARK: Origins

  /// All objects that are in use.
  var all: [any _ModelObject] {
    origins.flatMap { origin in origin.flatMap { $0.map.isHome ? $0.all() : nil } ?? [] }
  }

  @inline(__always)
  func originIfKnown(_ map: Int) -> RowOrigin? { origins[map] }

  func origin(_ map: EntityMap) -> RowOrigin {
    if let origin = origins[map.number] { return origin }
    guard let owner, let delegate else { preconditionFailure("a table of objects serves a context") }
    let home = map.isHome ? nil : origin(store.maps[map.home])
    let origin = RowOrigin(map, self, delegate: delegate, owner: owner, sharing: home?.objects)
    if !session.isClosed { origins[map.number] = origin }
    return origin
  }

  /// Objects from here on keep the context no more.
  func forgetOrigins() { origins = Array(repeating: nil, count: origins.count) }

  /// The object's origin; nil where it is in no context. Throws where it is in another one.
  func origin(of object: any _ModelObject) throws(GraphFault) -> RowOrigin? {
    guard let origin = object._$state.origin else { return nil }
    guard let own = origin as? RowOrigin, own.table === self else {
      throw GraphFault(
        .foreign, "the object belongs to another context: fetch it here by its identifier",
        entity: type(of: object)._$type.name, row: object._$state.row)
    }
    return own
  }

  /// Whether an object belongs to another context. It is not to be touched then: its own thread may be using it.
  func isForeign(_ object: any _ModelObject) -> Bool {
    guard let origin = object._$state.origin else { return false }
    return (origin as? RowOrigin)?.table !== self
  }

  func map(of object: any _ModelObject) throws(GraphFault) -> EntityMap {
    let type = ObjectIdentifier(type(of: object))
    if let last = lastMap, last.type == type { return last.map }
    let map = try map(of: Swift.type(of: object))
    lastMap = (type, map)
    return map
  }

  func map(of model: any _ModelObject.Type) throws(GraphFault) -> EntityMap {
    if let map = store.map(of: model) { return map }
    throw GraphFault(
      .unknownModel, "the container was not made for this model: name it where the container is made",
      entity: model._$type.name)
  }

  /// The object of a row, if there is one already.
  package func registered(_ map: EntityMap, _ row: RowID) -> (any _ModelObject)? {
    if let origin = origins[map.number] { return origin.known(row.number) }
    if map.isHome || origins[map.home] == nil { return nil }
    return origin(map).known(row.number)
  }

  /// Copies a row for the lazy values of an object. Returns the bits of their properties, whose slots must be empty from here on.
  @inline(__always)
  func keep(_ row: Row, _ plan: Unmanaged<RowPlan>, lazy: UInt64, in object: any _ModelObject) -> UInt64 {
    let kept = rows.keep(row.bytes, plan, lazy: lazy)
    object._$state.keep(kept)
    return kept == nil ? 0 : lazy
  }

  // MARK: Batches

  /// Notes rows whose objects came together.
  func note(_ batch: Batch) { session.release(batches.add(batch)) }

  func noteBatch(_ map: EntityMap, _ rows: [UInt64]) { note(Batch(map.home, rows)) }

  /// The newest batch with an object's row, and where that is in it.
  func batch(of object: any _ModelObject, _ origin: RowOrigin) -> (batch: Batch, place: Int)? {
    session.isClosed ? nil : batches.find(origin.map.home, object._$state.row)
  }

  /// Drops batches whose objects the program uses no more. One batch may keep the objects of a newer one, so each ends before the next one
  /// is looked at. That runs users' `deinit`, which may add batches and drop them, so no list of them is at hand meanwhile.
  @inline(__always)
  func pruneBatches() { if !batches.isEmpty { pruneNow() } }

  private func pruneNow() {
    var place = 0
    while let batch = batches.batch(place) {
      if let origin = originIfKnown(batch.map), batch.isAlive(origin) {
        place += 1
      } else {
        batches.remove(batch)
        session.endNow([batch])
      }
    }
  }

  /// Takes what batches read ahead out of them.
  func takeKept() -> [Any] { batches.takeKept() }

  func forgetBatches() { session.release(batches.take()) }

  // MARK: What cannot be read

  /// Notes that something of an object could not be had. The next save says it too.
  func fail(_ object: any _ModelObject, _ error: any Error) {
    if !object.isUnreadable, !session.isClosed, !isEnding(object) { invalid.append(object) }
    object._$state.flags.insert(.invalid)
    object._$state.takeExtras().failure = error
    fail(error)
  }

  /// Notes an error that the call cannot throw. The next save throws the first of them.
  func fail(_ error: any Error) { if failure == nil { failure = error } }

  /// Makes an earlier state the one that the next save throws: the caller threw what came after it.
  func forgetFailure(after before: (any Error)?) { failure = before }

  /// Runs what is needed for an object and may not throw there.
  func need<Result>(_ object: any _ModelObject, _ body: () throws -> Result?) -> Result? {
    do { return try body() } catch {
      fail(object, error)
      return nil
    }
  }

  /// Runs what cannot say that it failed; the next save says it.
  func attempt(_ body: () throws -> Void) {
    do { try body() } catch { fail(error) }
  }

  /// Makes all objects that could not be read faults again.
  func forgetInvalid() {
    let all = exchange(&invalid, with: [])
    for object in all { tryAgain(object) }
    session.release(all)
    // It may hold a user's object too.
    session.release([exchange(&failure, with: nil)].compactMap { $0 })
  }

  // MARK: Reading again

  /// Notes objects that ``readAgain()`` makes faults. Lists are read again in any case.
  func noteUnread(_ objects: [any _ModelObject]) {
    unread += objects
    hasUnread = true
  }

  func readAgain() {
    hasUnread = false
    let all = exchange(&unread, with: [])
    for object in all { forget(object) }
    session.release(all)
  }

  // MARK: Observers

  /// Marks all objects, from here on, as observed or not. Each reading of an observed object asks for a tracking, so a context begins with
  /// that when it finds the first tracking, or when the program says so. A tracking that is there already is told in any case.
  package func observe(_ observes: Bool) {
    search.end()
    observesObjects = observes
    for object in all {
      if observes {
        object._$state.flags.insert(.observed)
      } else {
        object._$state.flags.remove(.observed)
      }
    }
  }

  /// Whether the caller runs inside of `withObservationTracking`, as long as the context looks for that.
  var isTracked: Bool { search.isTracked }

  /// Observes all objects from here on, if the caller runs inside of a tracking.
  func findObserver() { if isTracked { observe(true) } }

  /// Whether an object that is made now is marked as observed.
  @inline(__always)
  func marksNext() -> Bool { observesObjects || search.takeScout() }

  // MARK: Strictness

  /// Whether a loop that reads its objects one by one makes the next call throw.
  package var isStrict: Bool {
    get { singles.isStrict }
    set { singles.isStrict = newValue }
  }

  /// Notes that something was read for one object alone.
  @inline(__always)
  func noteSingle(_ origin: RowOrigin, _ property: Int?) { singles.note(origin.map, property) }

  /// Throws if a loop read its objects one by one. A fetch or a save ends such a loop, so counting begins anew.
  @inline(__always)
  func checkSingles(ends: Bool) throws { try singles.check(store, ends: ends) }

  func forgetSingles() { singles.forget() }

  // MARK: Fields

  /// The fields of a map's properties, by the properties' numbers; nothing for lists, which have none.
  func fields(_ map: EntityMap) throws -> [Int: [FieldID]] {
    if let known = fieldsByProperty[map.number] { return known }
    let fields = try store.fields(map)
    fieldsByProperty[map.number] = fields
    return fields
  }
}
