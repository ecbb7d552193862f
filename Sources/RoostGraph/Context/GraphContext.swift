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
  package let objects: ObjectTable
  package let changes: ChangeSet
  package let links: LinkGraph
  let follower: Follower
  /// Who makes the changes, for the history.
  package var author = ""
  /// Whether its saves are not waited for until they are on the disk: a crash may lose the newest of them.
  package var isRelaxed = false
  @exclusivity(unchecked) var sinks: [SinkBox?]
  /// By map, relationships that must have some members, or may not have more than some.
  private(set) lazy var countedRelations: [[Relation]] = store.relations.map { relations in
    relations.compactMap { $0 }.filter { $0.minimum > 0 || $0.maximum > 0 }
  }
  package var mergePolicy = MergePolicy.objectWins
  package var uniquePolicy = UniquePolicy.always(.upsert)
  /// By number of the map, those of classes that have their own.
  package var uniquePolicies: [Int: UniquePolicy] = [:]
  package internal(set) var lastSave = SaveSummary()
  /// Whose context this is: whoever shows it to users.
  package weak var owner: AnyObject?

  /// Where rows of one entity are put together.
  final class SinkBox {
    @exclusivity(unchecked) var sink: _RowSink
    init(_ plan: RowPlan) { sink = _RowSink(plan) }
  }

  package init(_ store: GraphStore) {
    self.store = store
    session = Session(store)
    objects = ObjectTable(session)
    changes = ChangeSet(objects)
    links = LinkGraph(changes, objects)
    follower = Follower(links)
    sinks = Array(repeating: nil, count: store.maps.count)
    objects.serve(self)
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
    session.whenFree(until: deadline) { !session.isClosed && (objects.failure != nil || changes.hasChanges) }
  }

  private func end() {
    // Lists of new objects are theirs from here on, as users left them.
    links.settle()
    session.close()
    links.giveUp()
    objects.forgetOrigins()
    session.dropSnapshot()
  }

  // MARK: Changes

  /// Takes an object into the context, and those that it leads to. One that is here already stays.
  package func insert(_ object: any _ModelObject) throws {
    try call(.inserting) { try links.insert(object, into: nil) }
  }

  /// Deletes an object at the next save, and those that its rules take along; that is visible at once.
  package func delete(_ object: any _ModelObject) throws { try call(.deleting) { try links.delete(object) } }

  /// Gives all changes up: inserted objects are nobody's again, and changed ones read their rows anew.
  package func rollback() {
    quietly(.closing, otherwise: ()) {
      links.giveUp()
      objects.attempt { if session.reader != nil { try follower.advance() } }
    }
  }

  // MARK: Objects

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
        objects.fail(error)
        return nil
      }
    }
  }

  private func find(_ map: EntityMap, _ row: RowID) throws -> (any _ModelObject)? {
    if let known = objects.registered(map, row) {
      let flags = known._$state.flags
      if flags.contains(.deleted) { return nil }
      if flags.contains(.inserted) || flags.isDisjoint(with: [.fault, .changed]) { return known }
      // It may have been deleted since by others, or never have been there.
      return try session.table(map).contains(row) ? known : nil
    }
    if links.isDoomed(map.home, row.number) { return nil }
    objects.noteSingle(objects.origin(map), nil)
    return try objects.readOne(row.number, objects.origin(map))
  }
}
