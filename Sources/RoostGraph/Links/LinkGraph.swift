internal import RoostRecords

/// The relationships of one context's objects, with unsaved changes. It keeps both sides of each
/// consistent.
///
/// It is the highest of the owners below the context. Accessors of managed objects call it through
/// ``RowOrigin``: it fills faults, loads lists, and follows references. Only it changes
/// ``LinkLedger`` and ``DeletionMarks``. It records changes of objects in the ``ChangeSet``.
///
/// ## Invariants
/// 1. A managed object's reference is a row number, never the object. Lists hold their members
///    while they are loaded.
/// 2. After ``settle()`` both sides of every relationship agree. A relationship is settled before
///    it is read. ``isSettled`` means that no list of ``ledger`` is unsettled.
/// 3. A user's object that leaves a list, or a list that is unloaded, is released through
///    ``Session/release(_:)``.
/// 4. Fields with `@exclusivity(unchecked)` own no user's object, except ``ledger`` in release
///    builds. Debug builds check that no user code runs within an access to it
///    (`ExclusivityTests`).
package final class LinkGraph: OriginDelegate {
  let store: GraphStore
  let session: Session
  let objects: ObjectTable
  let changes: ChangeSet
  // Each change of a list reads it. It owns users' objects, so debug builds have the check.
  #if !DEBUG
    @exclusivity(unchecked)
  #endif
  var ledger = LinkLedger()
  /// It stores row numbers and owns no object.
  @exclusivity(unchecked) var deletions = DeletionMarks()
  /// Whether a new object is inserted when it references an object of this context. A bulk write
  /// inserts its objects itself.
  package var bringsObjects = true
  /// Fetches the unloaded rows among some rows of a working set; nil in other stores. The flag
  /// tells whether the members of their lists are needed too. It may move the context to a newer
  /// snapshot.
  var loadRows: (([(map: EntityMap, row: UInt64)], _ lists: Bool) throws -> Void)?

  init(_ changes: ChangeSet, _ objects: ObjectTable) {
    self.changes = changes
    self.objects = objects
    session = objects.session
    store = objects.store
  }

  // MARK: Accessors

  override var isUnchanged: Bool { !changes.mayHaveChanges }

  /// A getter cannot load: the object is a fault, or a list is not loaded.
  override func willRead(_ object: any _ModelObject, _ property: Int, origin: RowOrigin) {
    if loadRows != nil, object._$state.flags.contains(.fault) {
      // The values come with the members.
      if relation(origin, property)?.isList == true { fetchLists(of: object, origin) }
      fetchValues(of: object, origin)
    }
    if object._$state.flags.contains(.fault) {
      if objects.isTracked {
        objects.observe(true)
        object.track(property)
      }
      objects.fill(object, origin, for: property)
    }
    if object._$state.isLazy(property) { objects.makeValues(object, _ModelState.bit(property)) }
    if object._$state.flags.contains(.invalid) { objects.replaceRefused(object, property, origin: origin) }
    guard let relation = relation(origin, property), relation.isList,
      !object.many(property, origin.map.type).isFilled,
      object._$state.flags.isDisjoint(with: .lent)
    else { return }
    fetchLists(of: object, origin)
    load(object, relation, origin: origin)
  }

  /// A setter is about to store.
  override func willWrite(_ object: any _ModelObject, _ property: Int, origin: RowOrigin) {
    if loadRows != nil, object._$state.flags.contains(.fault) { fetchValues(of: object, origin) }
    if let relation = relation(origin, property) {
      if object._$state.flags.contains(.fault) { objects.fill(object, origin) }
      if object._$state.flags.contains(.gone) {
        // The change has no effect, so the other side stays too.
        if !relation.isList { ledger.before = object.one(property).row }
      } else if relation.isList {
        willWriteList(object, relation, origin: origin)
      } else {
        willWriteReference(object, relation, origin: origin)
      }
    }
    changes.noteChange(object, property, origin: origin)
  }

  /// A setter has stored.
  override func didWrite(_ object: any _ModelObject, _ property: Int, origin: RowOrigin) {
    let relation = relation(origin, property)
    if object._$state.flags.isDisjoint(with: [.changed, .inserted, .gone]) {
      // The object is ending, which was reported; or the earlier changes were rolled back or saved
      // during the setter.
      if isEnding(object) { return }
      changes.noteChange(object, property, origin: origin)
    }
    guard let relation else { return }
    if object._$state.flags.contains(.gone) {
      if !relation.isList { object.one(property).lead(to: ledger.before) }
    } else if relation.isList {
      didWriteList(object, relation, origin: origin)
    } else {
      didWriteReference(object, relation, origin: origin)
    }
  }

  /// The object that a reference refers to.
  override func resolve(
    _ object: any _ModelObject, _ property: Int, row: UInt64, origin: RowOrigin
  ) -> (any _ModelObject)? {
    guard let relation = relation(origin, property) else { return nil }
    settle()
    do {
      if row == RowNumber.unknown { readTargets(object, relation, origin: origin) }
      let row = try current(object, relation, origin: origin)
      guard RowNumber.leads(row) else { return nil }
      if let known = objects.registered(store.maps[relation.target], RowID(row)) {
        return known._$state.flags.contains(.deleted) ? nil : known
      }
      readTargets(object, relation, origin: origin)
      return try live(relation.target, row) { objects.noteSingle(origin, property) }
    } catch {
      objects.fail(object, error)
      return nil
    }
  }

  /// The object for a required reference without a target: the deleted object as long as it exists,
  /// otherwise a new object that is marked as deleted.
  override func standIn(_ object: any _ModelObject, _ property: Int, origin: RowOrigin) -> (any _ModelObject)? {
    guard let relation = relation(origin, property) else { return nil }
    let target = store.maps[relation.target]
    let row = objects.need(object) { try leading(object, relation, origin: origin) }
    if let row, let known = objects.registered(target, RowID(row)) { return known }
    return objects.deadObject(target, row.map { RowID($0) })
  }

  /// The members of a list that is moved out, as they were before the move.
  override func lentMembers(_ object: any _ModelObject, _ property: Int, origin: RowOrigin) -> [any _ModelObject] {
    guard let relation = relation(origin, property),
      let list = ledger.lists[LinkKey(object, origin, property: property)]
    else {
      return []
    }
    return list.rows.compactMap { try? member(relation.target, $0) }
  }

  /// Inserts an object that was made to reference one of this context, as in SwiftData: `song.album
  /// = album` inserts the song. If that is not possible, the next save throws the error.
  override func bring(_ object: any _ModelObject, to other: any _ModelObject) {
    if !bringsObjects || session.isClosed || other._$state.flags.contains(.deleted) || isEnding(object) { return }
    do { try insert(object, into: nil) } catch {
      if let fault = error as? GraphFault { changes.complain(fault) } else { objects.fail(error) }
    }
  }

  // MARK: Relations

  func relation(_ origin: RowOrigin, _ property: Int) -> Relation? { store.relations[origin.map.number][property] }

  /// Whether the next save deletes a row that has no object here.
  @inline(__always)
  func isDoomed(_ home: Int, _ row: UInt64) -> Bool {
    !deletions.doomed.isEmpty && deletions.doomed.contains(LinkKey(map: home, row: row, property: 0))
  }

  /// After a save: all deletions and changes are stored.
  func forgetSaved() {
    ledger.noteSaved()
    // Members that were added meanwhile were not counted.
    if ledger.isOverBound { unloadOldest() }
    session.release(ledger.takeEdits())
    if deletions.hasAbsences { ledger.forgetAbsent() }
    deletions = DeletionMarks()
  }
}

extension LinkKey {
  /// A list or reference of an object; the object's row itself if the property is 0.
  init(_ object: any _ModelObject, _ origin: RowOrigin, property: Int = 0) {
    self.init(map: origin.map.home, row: object._$state.row, property: property)
  }
}
