internal import RoostRecords

/// The relationships of one context's objects: where they lead with what waits for the next save, and both sides of each kept the same.
///
/// It is the highest of the owners below the context. Accessors of managed objects come here (``RowOrigin``): it fills faults, loads lists, and
/// follows references. It is all that changes ``LinkLedger`` and ``DeletionMarks``; what it changes of an object it notes in the ``ChangeSet``.
///
/// ## Invariants
/// 1. A managed object's reference is a row number, never the object. Lists hold their members while they are loaded.
/// 2. After ``settle()`` both sides of every relationship agree. Before anything is read of a relationship it is settled.
/// 3. A user's object that leaves a list, or a list that is unloaded, goes through ``Session/release(_:)``.
/// 4. Fields with `@exclusivity(unchecked)` own no user's object, except ``ledger`` in release builds. Debug builds check that no user
///    code runs within an access to it (`ExclusivityTests`).
package final class LinkGraph {
  let store: GraphStore
  let session: Session
  let objects: ObjectTable
  let changes: ChangeSet
  // Each getter of a reference asks it, which the check makes 8 percent slower. It owns users' objects, so debug builds have the check.
  #if !DEBUG
    @exclusivity(unchecked)
  #endif
  var ledger = LinkLedger()
  /// It names rows, and owns no object.
  @exclusivity(unchecked) var deletions = DeletionMarks()
  /// Whether a new object that is made to reference one of this context is inserted. A write in bulk inserts its objects itself.
  package var bringsObjects = true

  init(_ changes: ChangeSet, _ objects: ObjectTable) {
    self.changes = changes
    self.objects = objects
    session = objects.session
    store = objects.store
  }

  func relation(_ origin: RowOrigin, _ property: Int) -> Relation? { store.relations[origin.map.number][property] }

  /// Whether a row goes with the next save although no object of it is here.
  @inline(__always)
  func isDoomed(_ home: Int, _ row: UInt64) -> Bool {
    !deletions.doomed.isEmpty && deletions.doomed.contains(LinkKey(map: home, row: row, property: 0))
  }

  /// After a save: what was to be deleted is, and what was changed is saved.
  func forgetSaved() {
    ledger.memberCount = 0
    for list in ledger.lists.values {
      ledger.memberCount += list.rows.count + 1
      if !list.isDirty { continue }
      list.isDirty = false
      list.storedCount = list.rows.count
    }
    // Lists that grew were not counted meanwhile.
    if ledger.memberCount > ledger.most { unloadOldest() }
    session.release(exchange(&ledger.edits, with: [:]))
    if !deletions.absences.isEmpty { ledger.forgetAbsent() }
    ledger.oneWays = []
    deletions = DeletionMarks()
  }
}

extension LinkKey {
  /// One list or reference of an object; the object's row where the property is 0.
  init(_ object: any _ModelObject, _ origin: RowOrigin, _ property: Int = 0) {
    self.init(map: origin.map.home, row: object._$state.row, property: property)
  }
}
