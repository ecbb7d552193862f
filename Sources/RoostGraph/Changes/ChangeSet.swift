internal import RoostRecords

/// The unsaved changes of one context: objects that were inserted, changed or deleted.
///
/// Each object stores which of its properties changed and whether it has a row (``_ModelState``).
/// The set keeps the objects, the previous values of their rows, and errors of changes that had no
/// effect. It does not know relationships: the ``LinkLedger`` holds lists, and rows that are
/// deleted without an object.
///
/// ## Invariants
/// 1. An object with the flag `inserted` is in ``inserted``, one with `changed` and a row in
///    ``changed``, one with `deleted` and a row in ``deleted``, unless it has the flag `gone`. The
///    reverse does not hold: an object in a list may have lost the flag, so all readers test it.
/// 2. The lists keep their objects until the changes are saved or rolled back. Objects leave a list
///    through ``Session/release(_:)``.
/// 3. An object whose `deinit` runs is in no list: its memory is freed after it.
/// 4. ``bases`` has a row's values before the change only if others committed that row since then.
///    Until then the snapshot has them.
/// 5. A complaint is thrown once, by the next save. The save after it ignores it.
/// 6. ``mayHaveChanges`` is true as long as a list or the complaints are not empty.
/// 7. Fields with `@exclusivity(unchecked)` own no user's object, so no user code runs within an
///    access to them (`ExclusivityTests`).
package final class ChangeSet {
  private let session: Session
  private let objects: ObjectTable
  /// Objects without a row, in the order in which they were inserted.
  private(set) var inserted: [any _ModelObject] = []
  /// Objects with a row, in the order of their first change.
  private(set) var changed: [any _ModelObject] = []
  private(set) var deleted: [any _ModelObject] = []
  /// False if all lists and the complaints are empty. Each fetch reads it instead of the lists,
  /// which have exclusivity checks.
  @exclusivity(unchecked) private(set) var mayHaveChanges = false
  /// The stored values of properties that were changed here before others changed the row, by
  /// object.
  private var bases: [LinkKey: RowBase] = [:]
  /// Errors of changes that had no effect.
  private var complaints: [GraphFault] = []
  /// The unique values of new objects, for programs that look them up before they save.
  @exclusivity(unchecked) var uniques = PendingUniques()
  /// Whether unsaved references may reference deleted objects.
  var mayDangle = false
  /// Called before objects change.
  @exclusivity(unchecked) package weak var watcher: (any ChangeWatching)? { didSet { isWatched = watcher != nil } }
  @exclusivity(unchecked) private(set) var isWatched = false
  /// Learns of each change while a save calls `validate` or writes.
  var judgedWrites: (any WriteNoting)? { didSet { isJudged = judgedWrites != nil } }
  @exclusivity(unchecked) private var isJudged = false

  init(_ objects: ObjectTable) {
    self.objects = objects
    session = objects.session
  }

  // MARK: Pending changes

  package var hasChanges: Bool {
    guard mayHaveChanges else { return false }
    return !complaints.isEmpty || inserted.contains { $0._$state.flags.isPending }
      || changed.contains { $0._$state.flags.isPending } || deleted.contains { $0._$state.flags.isPending }
  }

  /// Whether an object of the entity has unsaved changes.
  func hasPending(_ map: EntityMap) -> Bool {
    func isOf(_ object: any _ModelObject) -> Bool {
      object.entityMap?.home == map.home && object._$state.flags.isPending
    }
    return changed.contains(where: isOf) || inserted.contains(where: isOf) || deleted.contains(where: isOf)
  }

  package var insertedObjects: [any _ModelObject] {
    inserted.filter { $0._$state.flags.contains(.inserted) && !$0._$state.flags.contains(.deleted) }
  }

  package var changedObjects: [any _ModelObject] {
    changed.filter {
      $0._$state.flags.contains(.changed) && $0._$state.flags.isDisjoint(with: [.inserted, .deleted, .gone])
    }
  }

  package var deletedObjects: [any _ModelObject] {
    deleted.filter { $0._$state.flags.contains(.deleted) && !$0._$state.flags.contains(.gone) }
  }

  // MARK: Noting

  /// Notes that a property of the object changes; a fault is filled first.
  func noteChange(_ object: any _ModelObject, _ property: Int, origin: RowOrigin) {
    if object._$state.flags.contains(.fault) { objects.fill(object, origin) }
    if object._$state.flags.contains(.gone) {
      return complain(
        GraphFault(
          .deleted, "it is deleted, so setting it has no effect: make a new object", name: objects.name(object),
          property: origin.map.type.propertyName(property)))
    }
    if uniques.count > 0, object._$state.flags.contains(.inserted), let bits = uniques.bits[origin.map.number],
      bits & _ModelState.bit(property) != 0
    {
      uniques = PendingUniques()
    }
    if isJudged { judgedWrites?.note(object, property, origin: origin) }
    if !object._$state.flags.contains(.changed) {
      // After the context is closed there is no save, and the set would keep the object forever.
      if !object._$state.flags.contains(.inserted), !session.isClosed {
        if isEnding(object) {
          return complain(
            GraphFault(
              .deleted, "its deinit changed it, and a released object cannot be saved: change it earlier",
              name: objects.name(object), property: origin.map.type.propertyName(property)))
        }
        if isWatched { watcher?.willChange(object) }
        changed.append(object)
        mayHaveChanges = true
      }
      session.noteChange()
      object._$state.flags.insert(.changed)
    }
    object._$state.changed |= _ModelState.bit(property)
    if object._$state.flags.contains(.invalid) { object.forgetRefused(property) }
  }

  func noteInsertion(_ object: any _ModelObject) {
    if isJudged { judgedWrites?.noteEntry(object) }
    inserted.append(object)
    mayHaveChanges = true
    session.noteChange()
  }

  /// Tells the watcher that an object is about to be deleted.
  func willDelete(_ object: any _ModelObject) {
    if isWatched { watcher?.willDelete(object) }
    if isJudged { judgedWrites?.noteEntry(object) }
  }

  func noteDeletion(_ object: any _ModelObject) {
    deleted.append(object)
    mayHaveChanges = true
  }

  /// Cancels the deletion of objects.
  func takeBackDeletions(_ back: Set<ObjectIdentifier>) {
    session.noteChange()
    if isJudged, let first = deleted.first(where: { back.contains(ObjectIdentifier($0)) }) {
      judgedWrites?.noteEntry(first)
    }
    let staying = deleted.filter { !back.contains(ObjectIdentifier($0)) }
    session.release(exchange(&deleted, with: staying))
  }

  // MARK: Complaints

  /// Records an error that had no effect yet. The next save throws it, and the save after that
  /// ignores it.
  func complain(_ fault: GraphFault) {
    if complaints.count < 100, !complaints.contains(fault) { complaints.append(fault) }
    mayHaveChanges = true
  }

  /// Records why an object could not become the target of a property. If the store caused the
  /// error, the owner becomes invalid.
  func complain(_ error: any Error, _ owner: any _ModelObject, property: Int) {
    guard let fault = error as? GraphFault, let entity = fault.entity else { return objects.fail(owner, error) }
    let other = fault.row.map { ObjectName(entity, $0) }
    complain(
      GraphFault(
        fault.code, "it was set to \(other?.description ?? entity), but \(fault.detail)", name: objects.name(owner),
        property: type(of: owner)._$type.propertyName(property), others: other.map { [$0] } ?? []))
  }

  /// Throws the complaints, once.
  func throwComplaints() throws(SaveRefusal) {
    if complaints.isEmpty { return }
    let faults = complaints
    complaints = []
    throw SaveRefusal(faults: faults)
  }

  // MARK: Bases

  var hasBases: Bool { !bases.isEmpty }

  func hasBase(_ row: LinkKey) -> Bool { bases[row] != nil }

  /// The value of a property when the context began to change it.
  func base(_ row: LinkKey, _ map: EntityMap, property: Int, fields: [FieldID]) throws -> [Value]? {
    try bases[row]?.values[property] ?? session.table(map).values(fields, of: RowID(row.row))
  }

  /// The commit that the context showed when it began to change a row.
  func baseCommit(_ row: LinkKey) -> UInt64 { bases[row]?.commit ?? session.seenCommit ?? 0 }

  /// Keeps an older snapshot's values of the changed properties.
  func keepBase(_ object: any _ModelObject, _ old: RecordReader) {
    let flags = object._$state.flags
    guard !flags.isDisjoint(with: [.changed, .deleted]), flags.isDisjoint(with: [.inserted, .gone]),
      let origin = object._$state.origin as? RowOrigin
    else { return }
    let row = LinkKey(map: origin.map.home, row: object._$state.row, property: 0)
    let kept = flags.contains(.deleted) ? .max : object._$state.changed
    var base = bases[row] ?? RowBase(commit: old.commit)
    do {
      let table = try old.table(origin.map.entity.id)
      for (property, fields) in try objects.fields(origin.map) where kept & _ModelState.bit(property) != 0 {
        if base.values[property] == nil { base.values[property] = try table.values(fields, of: RowID(row.row)) }
      }
    } catch { objects.fail(object, error) }
    bases[row] = base
  }

  // MARK: The end of changes

  /// After a save: marks deleted objects as gone.
  func markDeleted() {
    for object in deleted where object._$state.flags.contains(.deleted) {
      object._$state.flags.insert(.gone)
      object._$state.flags.remove(.changed)
    }
  }

  /// After a save: marks new and changed objects as equal to their rows. Returns all of them.
  func markWritten() -> [any _ModelObject] {
    let written = inserted + changed
    for object in written where !object._$state.flags.contains(.gone) {
      object._$state.flags.remove([.inserted, .changed])
      object._$state.changed = 0
    }
    return written
  }

  /// After a save: empties the set.
  func forgetSaved() {
    for objects in takeObjects() { session.release(objects) }
    forgetFacts()
  }

  /// After a rollback: empties the set and returns the objects that the lists held.
  func take() -> [Any] {
    if isJudged { judgedWrites?.noteRollback() }
    complaints = []
    forgetFacts()
    return takeObjects()
  }

  private func takeObjects() -> [[any _ModelObject]] {
    if mayHaveChanges { session.noteChange() }
    mayHaveChanges = !complaints.isEmpty
    return [exchange(&inserted, with: []), exchange(&changed, with: []), exchange(&deleted, with: [])]
  }

  private func forgetFacts() {
    uniques = PendingUniques()
    bases = [:]
    mayDangle = false
  }
}
