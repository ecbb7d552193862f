internal import RoostRecords

/// Merges the commits of others: shows the newest snapshot, and updates the objects, lists and
/// changes of one context.
///
/// It has no state of its own. The store's ``CommitFeed`` lists the rows that changed since the
/// shown snapshot; if there are too many, the follower examines all objects.
///
/// ## Invariants
/// 1. Objects whose rows others changed become faults again, except for properties that were
///    changed here.
/// 2. Objects whose rows others deleted keep their values. If one has changes, the next save
///    decides.
/// 3. A row's values before a change here are kept (``ChangeSet/keepBase(_:_:)``) before the
///    snapshot that contains them is released.
/// 4. If a read fails, the context shows the old snapshot, or the new one as far as it could be
///    merged.
final class Follower {
  private let store: GraphStore
  private let session: Session
  private let objects: ObjectTable
  private let changes: ChangeSet
  private let links: LinkGraph

  init(_ links: LinkGraph) {
    self.links = links
    (changes, objects, session, store) = (links.changes, links.objects, links.session, links.store)
  }

  /// Shows the newest snapshot, if there is a newer one. A context that does not merge changes
  /// waits until its snapshot is many commits or a long time old.
  func catchUp() throws {
    // The shown snapshot is mostly the newest. Taking another one of the same commit would cost as
    // much as a small fetch.
    if session.isNewest || session.keepsSnapshot { return }
    if session.mergesChanges || session.isBehind { try advance() }
  }

  /// Shows the newest snapshot, unless the context is pinned to its own.
  func advance() throws {
    if session.isPinned { return }
    if session.hearMerge == nil { try advanceNow() } else { try session.reporting { try advanceNow() } }
    if !objects.hasUnread { return }
    links.unloadLists()
    objects.readAgain()
  }

  /// Shows the newest snapshot in a context that showed none before it saved. Its objects are of
  /// its own commit, and others may have committed after that.
  func begin(after commit: UInt64) throws {
    try advance()
    guard let shown = session.reader, shown.commit > commit else { return }
    var (rows, deleted): ([(Int, UInt64)], [(Int, UInt64)]) = ([], [])
    if case .entries(let entries) = store.feed.news(after: commit, through: shown.commit) {
      rows = entries.flatMap { $0.rows.flatMap { number, rows in rows.map { (number, $0) } } }
      deleted = entries.flatMap { $0.deleted.flatMap { number, rows in rows.map { (number, $0) } } }
    } else {
      for object in objects.all { refresh(object) }
    }
    links.unloadLists()
    for (number, row) in deleted { if let object = objects.originIfKnown(number)?.known(row) { bury(object, shown) } }
    for (number, row) in rows { if let object = objects.originIfKnown(number)?.known(row) { refresh(object) } }
  }

  private func advanceNow() throws {
    let new = try store.records.snapshot()
    guard let old = session.reader else { return session.show(new) }
    if new.commit == old.commit { return new.close() }
    links.settle()
    do {
      switch store.feed.news(after: old.commit, through: new.commit) {
      case .entries(let entries):
        let others = entries.filter { $0.author != ObjectIdentifier(session) }
        if !others.isEmpty { try apply(others, from: old, to: new) } else { session.show(new) }
      case .everything: try apply(everythingUpTo: new, from: old)
      }
      old.close()
    } catch {
      if session.reader !== new { new.close() }
      throw error
    }
  }

  /// Shows a newer snapshot and examines all objects.
  func apply(everythingUpTo new: RecordReader, from old: RecordReader) throws {
    for object in changes.changed + changes.deleted { changes.keepBase(object, old) }
    changes.mayDangle = true
    try forgetDeleted(new, old)
    session.show(new)
    links.mergeLists(old)
    links.unloadLists()
    for object in changes.changed { keepReferences(object) }
    for object in objects.all { refresh(object) }
  }

  private func apply(_ others: [CommitFeed.Entry], from old: RecordReader, to new: RecordReader) throws {
    keepBases(others, old)
    for entry in others {
      if !entry.deleted.isEmpty { changes.mayDangle = true }
      for (number, rows) in entry.deleted {
        guard let origin = objects.originIfKnown(number) else { continue }
        // The commit of an entry may have failed.
        let table = try new.table(origin.map.entity.id)
        for row in rows {
          if let object = origin.known(row), try !table.contains(RowID(row)) { bury(object, old) }
        }
      }
    }
    let touched = links.ledger.lists.isEmpty ? 0 : others.reduce(0) { $0 + $1.size }
    let before = touched <= Self.mostTouched ? try loadedMemberships(others) : nil
    // No error may occur from here on: what is not merged now would stay unmerged.
    session.show(new)
    links.mergeLists(old)
    if !links.ledger.lists.isEmpty { unloadTouched(others, before) }
    keepReferences(others)
    for entry in others {
      for (number, rows) in entry.rows {
        guard let origin = objects.originIfKnown(number) else { continue }
        for row in rows { if let object = origin.known(row) { refresh(object) } }
      }
    }
  }

  /// Keeps the stored values of objects that were changed both here and by others.
  private func keepBases(_ others: [CommitFeed.Entry], _ old: RecordReader) {
    if changes.changed.isEmpty && changes.deleted.isEmpty { return }
    for entry in others {
      for (number, rows) in Array(entry.rows) + Array(entry.deleted) {
        guard let origin = objects.originIfKnown(number) else { continue }
        for row in rows { if let object = origin.known(row) { changes.keepBase(object, old) } }
      }
    }
  }

  /// Updates lists for references that were changed both here and by others.
  private func keepReferences(_ others: [CommitFeed.Entry]) {
    if changes.changed.isEmpty { return }
    for entry in others {
      for (number, rows) in entry.rows {
        guard let origin = objects.originIfKnown(number) else { continue }
        for row in rows { if let object = origin.known(row) { keepReferences(object) } }
      }
    }
  }

  private func keepReferences(_ object: any _ModelObject) {
    let flags = object._$state.flags
    guard flags.contains(.changed), flags.isDisjoint(with: [.inserted, .deleted, .gone]),
      let origin = object._$state.origin as? RowOrigin
    else { return }
    do { try links.keepReferences(of: object, origin) } catch { objects.fail(object, error) }
  }

  // MARK: Lists

  /// If more rows changed, all lists are unloaded without a search for the lists that contain the
  /// rows.
  private static var mostTouched: Int { 2000 }

  /// The loaded lists that contain the rows in the shown snapshot.
  private func loadedMemberships(_ entries: [CommitFeed.Entry]) throws -> Set<Membership> {
    if links.ledger.lists.isEmpty { return [] }
    return try links.memberships(entries) { links.ledger.lists[$0] != nil }
  }

  /// Unloads lists whose members changed, and lists that contain changed rows, whose order may
  /// differ. If it cannot find out which, it unloads all.
  ///
  /// - Parameters:
  ///   - entries: the commits.
  ///   - before: the lists that contained the rows before; nil if there are too many rows.
  private func unloadTouched(_ entries: [CommitFeed.Entry], _ before: Set<Membership>?) {
    guard let before, let now = try? loadedMemberships(entries) else { return links.unloadLists() }
    for one in before.symmetricDifference(now) { links.unloadList(one.owner) }
    for entry in entries {
      for (number, rows) in Array(entry.rows) + Array(entry.deleted) {
        for case .some(let relation) in links.relations(ofEntity: number) where relation.isList {
          for row in rows { links.unloadList(LinkKey(map: number, row: row, property: relation.property)) }
        }
      }
    }
    links.tidy()
  }

  // MARK: Objects

  /// Finds, with the old snapshot, rows that are not in the new one.
  private func forgetDeleted(_ new: RecordReader, _ old: RecordReader) throws {
    for object in objects.all {
      guard let origin = object._$state.origin as? RowOrigin, !object._$state.flags.contains(.inserted),
        try !new.table(origin.map.entity.id).contains(RowID(object._$state.row))
      else { continue }
      bury(object, old)
    }
  }

  /// Handles an object whose row others deleted. It keeps its last values, which a fault reads now.
  /// An object with changes stays as it is until the save decides.
  private func bury(_ object: any _ModelObject, _ old: RecordReader) {
    let flags = object._$state.flags
    guard let origin = object._$state.origin as? RowOrigin, flags.isDisjoint(with: [.inserted, .gone]) else { return }
    objects.makeValuesOutside(object)
    if flags.contains(.changed), !flags.contains(.deleted) { return changes.keepBase(object, old) }
    if objects.isUnloaded(origin, object._$state.row) {
      // It never had values here.
      objects.fillEmpty(object, origin.map)
    } else if flags.contains(.fault) {
      objects.fill(object, origin)
      objects.makeValuesOutside(object)
    }
    object.markGone()
  }

  /// Makes an object read its row again.
  private func refresh(_ object: any _ModelObject) {
    let flags = object._$state.flags
    if flags.contains(.inserted) || flags.contains(.gone) || flags.contains(.fault) { return }
    if flags.contains(.changed) {
      // Takes over the changes of others, except for properties that were changed here.
      guard let origin = object._$state.origin as? RowOrigin else { return }
      return objects.fillUnchanged(object, origin)
    }
    session.release(object._$forget())
    object._$state.flags.insert(.fault)
    session.notify(object, nil)
  }
}
