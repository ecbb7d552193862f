internal import RoostFile
package import RoostRecords

/// The objects of a store as one user sees and changes them: a snapshot and the user's own changes.
///
/// This is the interface to its owners and has no state of its own. Each owner has the fields and
/// functions of one concern, and calls only the owners after it: ``Saver``, ``BulkWriter`` and
/// ``Follower`` (write changes, write rows, merge the commits of others) → ``LinkGraph``
/// (relationships) → ``ChangeSet`` (unsaved changes) → ``ObjectTable`` (the objects of rows) →
/// ``Session`` (lock, snapshot, end of calls) → ``GraphStore``.
///
/// A context belongs to one thread at a time. Its methods enter a call (``call(_:_:)``), which
/// takes the lock, and then call the owners.
package final class GraphContext {
  package let store: GraphStore
  package let session: Session
  package let objects: ObjectTable
  package let changes: ChangeSet
  package let links: LinkGraph
  let follower: Follower
  package let saver: Saver
  let bulk: BulkWriter
  /// The public context that shows this one to users.
  package weak var owner: AnyObject?

  /// Whether it writes fetched rows into a working set.
  package let feeds: Bool

  /// With `feeds`, the context writes fetched rows into a working set, and so sends its backing
  /// store no requests.
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

  /// Discards all changes. Objects in use still show their values, and faults show the newest
  /// snapshot.
  package func close() {
    quietly(.closing, otherwise: ()) { end() }
  }

  /// Closes the context with its container. Objects keep their values, including unsaved ones.
  ///
  /// - Returns: false if a call of this thread is active, or one of another thread until the
  ///   deadline.
  package func shut(until deadline: UInt64) -> Bool {
    session.whenFree(until: deadline) { session.shut() } != nil
  }

  /// Whether there are unsaved changes; nil if the context is in use until the deadline.
  package func hasUnsaved(until deadline: UInt64) -> Bool? {
    session.whenFree(until: deadline) { !session.isClosed && (objects.failure != nil || changes.hasChanges) }
  }

  private func end() {
    // From here on new objects own their lists, as the user left them.
    links.settle()
    store.backing?.end(self)
    session.close()
    links.giveUp()
    objects.forgetOrigins()
    session.dropSnapshot()
  }

  // MARK: Changes

  /// Inserts an object and all objects that it references. An object of this context stays as it
  /// is.
  package func insert(_ object: any _ModelObject) throws {
    try call(.inserting) { try links.insert(object, into: nil) }
  }

  /// Marks an object for deletion by the next save, and those that its delete rules include. That
  /// is visible at once.
  package func delete(_ object: any _ModelObject) throws { try call(.deleting) { try links.delete(object) } }

  /// Discards all changes. Inserted objects leave the context, and changed objects read their rows
  /// again.
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

  /// The object of a row; nil if there is none or it cannot be read. The next save throws the
  /// error.
  package func existingQuietly(_ map: EntityMap, _ row: RowID) -> (any _ModelObject)? {
    quietly(.reading, otherwise: nil) {
      // Nothing would close the snapshot that the look-up would open.
      if session.isClosed { return nil }
      do { return try links.find(map, row) } catch {
        objects.fail(error)
        return nil
      }
    }
  }
}

extension _ModelObject {
  /// The context whose bulk write or merge shows the object; nil for an object of a context.
  package var scratchContext: GraphContext? { scratchOwner as? GraphContext }

  /// The context that the object belongs to.
  package var graphContext: GraphContext? {
    // The table's owner, which the context set (``ObjectTable/serve(_:_:)``), is the context
    // itself.
    (_$state.origin as? RowOrigin).map { unsafeDowncast($0.owner, to: GraphContext.self) }
  }
}
