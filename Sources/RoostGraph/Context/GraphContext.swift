internal import RoostFile
package import RoostRecords

/// Objects of a store, as one user of it sees and changes them: one snapshot, with the user's own changes over it.
///
/// This is the door to its owners, and has no state of its own. Each owner has the fields and the verbs of one concern, and calls only
/// those after it:
/// ``Saver``, ``BulkWriter`` and ``Follower`` (writes changes, writes rows, takes over what others committed) → ``LinkGraph`` (relationships) →
/// ``ChangeSet`` (what waits for the next save) → ``ObjectTable`` (the objects of rows) → ``Session`` (lock, snapshot, end of calls) →
/// ``GraphStore``.
///
/// A context belongs to one thread at a time. Its methods enter a call (``call(_:_:)``), which takes the lock, and ask the owners.
package final class GraphContext {
  package let store: GraphStore
  package let session: Session
  package let objects: ObjectTable
  package let changes: ChangeSet
  package let links: LinkGraph
  let follower: Follower
  package let saver: Saver
  let bulk: BulkWriter
  /// Whose context this is: whoever shows it to users.
  package weak var owner: AnyObject?

  /// Whether it writes fetched rows into a working set.
  package let feeds: Bool

  /// - Parameter feeds: whether it writes fetched rows into a working set, and so asks its backing store for nothing.
  package init(_ store: GraphStore, feeds: Bool = false) {
    self.store = store
    self.feeds = feeds
    session = Session(store)
    objects = ObjectTable(session)
    changes = ChangeSet(objects)
    links = LinkGraph(changes, objects)
    follower = Follower(links)
    saver = Saver(follower, links)
    bulk = BulkWriter(saver)
    objects.serve(self, links)
    if feeds { objects.hidesUnloaded = false } else if let backing = store.backing { connect(backing) }
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
    store.backing?.end(self)
    session.close()
    links.giveUp()
    objects.forgetOrigins()
    session.dropSnapshot()
  }

  // MARK: Changes

  /// Inserts an object and all objects that it references. An object of this context stays as it is.
  package func insert(_ object: any _ModelObject) throws {
    try call(.inserting) { try links.insert(object, into: nil) }
  }

  /// Deletes an object at the next save, and those that its rules take along; that is visible at once.
  package func delete(_ object: any _ModelObject) throws { try call(.deleting) { try links.delete(object) } }

  /// Discards all changes. Inserted objects leave the context, and changed objects read their rows again.
  package func rollback() {
    quietly(.closing, otherwise: ()) {
      links.giveUp()
      objects.attempt { if session.reader != nil { try follower.advance() } }
    }
  }

  // MARK: Objects

  /// The object of a row; nil if there is no such row.
  package func existing(_ map: EntityMap, _ row: RowID) throws -> (any _ModelObject)? {
    try call(.reading) { try links.find(map, row) }
  }

  /// The same where nothing can be thrown: the next save says why it could not be found out.
  package func existingQuietly(_ map: EntityMap, _ row: RowID) -> (any _ModelObject)? {
    quietly(.reading, otherwise: nil) {
      // Nobody would close the snapshot that it took to look.
      if session.isClosed { return nil }
      do { return try links.find(map, row) } catch {
        objects.fail(error)
        return nil
      }
    }
  }
}

extension _ModelObject {
  /// The context that the object belongs to.
  package var graphContext: GraphContext? {
    // The owner that the context gave to its table (``ObjectTable/serve(_:_:)``) is itself.
    (_$state.origin as? RowOrigin).map { unsafeDowncast($0.owner, to: GraphContext.self) }
  }
}
