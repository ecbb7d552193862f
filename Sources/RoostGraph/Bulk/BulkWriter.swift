internal import RoostPages
internal import RoostRecords

/// Writes many rows of one store in one transaction, without an object for each: insertions,
/// updates and deletions of a choice of rows, and chunks of an import.
///
/// It uses the rules of ``Saver`` for rows: uniqueness, merging, partners and counts.
///
/// ## Invariants
/// 1. A bulk write writes all, or nothing if it throws. It is a commit of its own. Unsaved changes
///    of the context are not part of it.
/// 2. It refuses to change a row that has unsaved changes or deletions in the context.
/// 3. User code that it calls sees the state with which the transaction began, or newer rows of
///    this transaction.
/// 4. The context learns of the commit as it learns of another context's commit.
final class BulkWriter {
  let store: GraphStore
  let session: Session
  let objects: ObjectTable
  let changes: ChangeSet
  let links: LinkGraph
  let follower: Follower
  let saver: Saver

  init(_ saver: Saver) {
    self.saver = saver
    (follower, links, changes) = (saver.follower, saver.links, saver.changes)
    (objects, session, store) = (saver.objects, saver.session, saver.store)
  }

  /// Runs a bulk write: one transaction on the newest state. Unsaved changes of the context are not
  /// part of it. The caller has the lock.
  ///
  /// - Parameter body: returns the rows that it changed or inserted; nil if it changed nothing.
  func write(_ body: (BulkRun) throws -> RowRuns?) throws -> BulkOutcome {
    try store.refuseWorkingSet("a bulk change")
    try session.checkWritable()
    links.settle()
    if let failure = objects.failure { throw failure }
    var outcome = BulkOutcome()
    var committed: RecordWriter?
    do {
      try store.records.write(saver.isRelaxed ? .relaxed : .full, author: saver.author) { writer in
        try advance(to: writer)
        let run = BulkRun(writer)
        guard let found = try body(run) else { throw Nothing() }
        try run.refuse(judgeNeighbours(run))
        try run.refuse(saver.count(run.counted, writer))
        try run.refuse(saver.settleChains(writer))
        if !run.faults.isEmpty { throw SaveRefusal(faults: run.faults, count: run.faultCount) }
        try store.room?()
        // Now, because the snapshot still has the deleted rows.
        outcome = run.outcome(objects, found)
        try saver.writingDerived(writer) { try run.tell(store) }
        committed = writer
      }
    } catch is Nothing { return outcome }
    session.statistics.saves += 1
    session.statistics.bytesWritten += committed?.written.bytes ?? 0
    session.statistics.pagesWritten += committed?.written.pages ?? 0
    saver.lastSave = outcome.summary
    store.listeners.tell(by: session.user)
    // The commit is kept even if the newer snapshot cannot be read, as in a save.
    try? follower.advance()
    return outcome
  }

  /// Shows the state with which the transaction begins: closures must see relationships as new as
  /// the rows.
  private func advance(to writer: RecordWriter) throws {
    let newest = writer.commitNumber - 1
    if let seen = session.seenCommit, seen >= newest { return }
    // A writer may begin before the previous commit is synced and visible.
    try store.records.store.show(newest)
    try follower.advance()
  }
}

/// Thrown if there is nothing to write, so that nothing is committed.
private struct Nothing: Error {}
