internal import RoostFile
package import RoostRecords

/// The objects of one context: the object of each row, and how unloaded objects (faults) get their
/// values.
///
/// Each class has a ``RowOrigin``, which its objects hold. Each entity has an ``IdentityMap``,
/// which finds the objects of rows and keeps none alive. Rows that were read together, for example
/// by one fetch, are a ``Batch``: when a fault is read, the rows of its batch are read too. The
/// table does not know changes (``ChangeSet``) or relationships (``LinkLedger``).
///
/// ## Invariants
/// 1. A row has at most one object whose release has not begun: every read uses
///    ``RowOrigin/object(_:)`` or ``RowOrigin/make(_:)``.
/// 2. The table keeps no object alive, except those that a batch read ahead, ``invalid`` ones, and
///    those in ``unread``.
/// 3. A fault's slots are empty. The extras of an object that is marked as invalid contain the
///    errors of the object or of its properties.
/// 4. ``failure`` is the first error since the last save that no call could throw. The next save
///    throws it.
/// 5. Either all objects of an entity are marked as observed, or only those that look for a
///    tracking (``ObserverSearch``).
/// 6. Fields with `@exclusivity(unchecked)` own no user's object, so no user code runs within an
///    access to them (`ExclusivityTests`).
package final class ObjectTable {
  let store: GraphStore
  let session: Session
  /// The context and the delegate of the accessors. Origins keep both alive. Unowned, because the
  /// context owns this table.
  private unowned var owner: AnyObject?
  /// Whether unloaded rows of a working set stay faults.
  var hidesUnloaded = true
  private unowned var delegate: OriginDelegate?
  /// By number of the map. An origin keeps its context alive as long as it has an object, so a
  /// context must be closed.
  @exclusivity(unchecked) private var origins: [RowOrigin?]
  /// The class of the last look-up, because the next one is mostly for the same class.
  @exclusivity(unchecked) private var lastMap: (type: ObjectIdentifier, map: EntityMap)?
  /// Copies rows for objects that make their values from them. It owns no object.
  @exclusivity(unchecked) private var rows = KeptRows()
  private var batches = BatchRing()
  /// Objects that could not be read, fully or in part.
  private var invalid: [any _ModelObject] = []
  /// The error of the first of them; the next save throws it.
  package private(set) var failure: (any Error)?
  /// Objects whose rows may differ from them since the last save. They are read again with the
  /// newest snapshot.
  private var unread: [any _ModelObject] = []
  /// Whether lists or objects must be read again.
  private(set) var hasUnread = false
  /// Whether accessors tell observers of objects: see ``observe(_:)``.
  @exclusivity(unchecked) package private(set) var observesObjects = false
  /// Finds out whether the objects are observed.
  @exclusivity(unchecked) private var search = ObserverSearch()
  /// Counts the objects that a loop reads one by one, if that is an error.
  @exclusivity(unchecked) private var singles = SingleReads()
  /// The fields of each property's values, by map and property, for maps that were requested.
  private var fieldsByProperty: [Int: [Int: [FieldID]]] = [:]

  init(_ session: Session) {
    self.session = session
    store = session.store
    origins = Array(repeating: nil, count: store.maps.count)
  }

  /// Sets the owner of the objects and the delegate of their accessors. Called once, before all
  /// other functions.
  func serve(_ owner: AnyObject, _ delegate: OriginDelegate) { (self.owner, self.delegate) = (owner, delegate) }

  // MARK: Origins

  /// All objects in use.
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

  /// From here on objects do not keep the context alive.
  func forgetOrigins() { origins = Array(repeating: nil, count: origins.count) }

  /// The object's origin; nil if it has no context. Throws if it has another one.
  func origin(of object: any _ModelObject) throws(GraphFault) -> RowOrigin? {
    guard let origin = object._$state.origin else { return nil }
    guard let own = origin as? RowOrigin, own.table === self else {
      throw GraphFault(
        .foreign,
        origin.isScratch
          ? "a bulk write or validate(_:) shows it, and no context has it: fetch the model by its identifier"
          : "the object belongs to another context: fetch it here by its identifier", name: name(object))
    }
    return own
  }

  /// Whether an object belongs to another context. It must not be touched then, because that
  /// context's thread may use it.
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

  /// The object of a row, if it exists already.
  package func registered(_ map: EntityMap, _ row: RowID) -> (any _ModelObject)? {
    if let origin = origins[map.number] { return origin.known(row.number) }
    if map.isHome || origins[map.home] == nil { return nil }
    return origin(map).known(row.number)
  }

  /// Copies a row for the lazy values of an object. Returns the bits of their properties, whose
  /// slots must stay empty.
  @inline(__always)
  func keep(_ row: Row, _ plan: Unmanaged<RowPlan>, lazy: UInt64, in object: any _ModelObject) -> UInt64 {
    let kept = rows.keep(row.bytes, plan, lazy: lazy)
    object._$state.keep(kept)
    return kept == nil ? 0 : lazy
  }

  // MARK: Batches

  /// Records rows whose objects were made together.
  func note(_ batch: Batch) { session.release(batches.add(batch)) }

  func noteBatch(_ map: EntityMap, _ rows: [UInt64]) { note(Batch(map.home, rows)) }

  /// The newest batch with an object's row, and the row's place in it.
  func batch(of object: any _ModelObject, _ origin: RowOrigin) -> (batch: Batch, place: Int)? {
    session.isClosed ? nil : batches.find(origin.map.home, object._$state.row)
  }

  /// Drops batches whose objects the program no longer uses. A batch may keep the objects of a
  /// newer one, so each is released before the next is examined. The release runs users' `deinit`,
  /// which may add and drop batches, so no list of batches is kept meanwhile.
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

  /// Removes and returns the objects that batches read ahead.
  func takeKept() -> [Any] { batches.takeKept() }

  func forgetBatches() { session.release(batches.take()) }

  // MARK: Read errors

  /// Records that an object could not be read. The next save throws the error too.
  func fail(_ object: any _ModelObject, _ error: any Error) {
    if !object.isUnreadable, !session.isClosed, !isEnding(object) { invalid.append(object) }
    object._$state.flags.insert(.invalid)
    object._$state.takeExtras().failure = error
    fail(error)
  }

  /// Records an error that the call cannot throw. The next save throws the first one.
  func fail(_ error: any Error) { if failure == nil { failure = error } }

  /// Restores an earlier error as the one that the next save throws, because the caller threw the
  /// later one.
  func forgetFailure(after before: (any Error)?) { failure = before }

  /// Runs code for an object that may not throw; an error is recorded.
  func need<Result>(_ object: any _ModelObject, _ body: () throws -> Result?) -> Result? {
    do { return try body() } catch {
      fail(object, error)
      return nil
    }
  }

  /// Runs code whose error cannot be thrown here; the next save throws it.
  func attempt(_ body: () throws -> Void) {
    do { try body() } catch { fail(error) }
  }

  /// Turns all objects that could not be read into faults again.
  func forgetInvalid() {
    let all = exchange(&invalid, with: [])
    for object in all { tryAgain(object) }
    session.release(all)
    // The error may hold a user's object too.
    session.release([exchange(&failure, with: nil)].compactMap { $0 })
  }

  // MARK: Reading again

  /// Records objects that ``readAgain()`` turns into faults. Lists are read again in any case.
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

  /// Marks all objects as observed or not. Each read of an observed object looks for a tracking. So
  /// a context begins with this when it finds the first tracking, or when the program requests it.
  /// A tracking that exists already is notified in any case.
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

  /// Whether the caller runs inside `withObservationTracking`, as long as the context looks for
  /// that.
  var isTracked: Bool { search.isTracked }

  /// Observes all objects from here on, if the caller runs inside a tracking.
  func findObserver() { if isTracked { observe(true) } }

  /// Whether the next object is marked as observed.
  @inline(__always)
  func marksNext() -> Bool { observesObjects || search.takeScout() }

  // MARK: Strictness

  /// Whether the next call throws after a loop read its objects one by one.
  package var isStrict: Bool {
    get { singles.isStrict }
    set { singles.isStrict = newValue }
  }

  /// Counts a read for one object alone.
  @inline(__always)
  func noteSingle(_ origin: RowOrigin, _ property: Int?) { singles.note(origin.map, property) }

  /// Throws if a loop read its objects one by one. A fetch or a save ends such a loop, so counting
  /// begins anew.
  @inline(__always)
  func checkSingles(ends: Bool) throws { try singles.check(store, ends: ends) }

  func forgetSingles() { singles.forget() }

  // MARK: Fields

  /// The fields of a map's properties by number; lists have none.
  func fields(_ map: EntityMap) throws -> [Int: [FieldID]] {
    if let known = fieldsByProperty[map.number] { return known }
    let fields = try store.fields(map)
    fieldsByProperty[map.number] = fields
    return fields
  }
}
