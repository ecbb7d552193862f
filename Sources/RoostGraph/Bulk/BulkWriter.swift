internal import RoostPages
internal import RoostRecords

/// Writes many rows of one store in one transaction, without an object for each: insertions, updates and deletions of a choice of rows, and
/// chunks of an import.
///
/// It uses the rules of ``Saver`` for rows: uniqueness, merging, partners and counts.
///
/// ## Invariants
/// 1. A bulk write writes all, or nothing if it throws. It is one commit of its own. Changes that wait in the context are not part of it.
/// 2. It changes no row that waits in the context to be changed or deleted: that is refused.
/// 3. User code that it calls sees the state with which the transaction began, or newer rows of this transaction.
/// 4. The context learns of the commit as of another one's.
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

  /// Runs a bulk write: one transaction on the newest state. Changes that wait in the context are not part of it. The caller has the lock.
  ///
  /// - Parameter body: says which rows it was about; nil where it changed nothing.
  func write(_ body: (BulkRun) throws -> RowRuns?) throws -> BulkOutcome {
    try store.refuseWorkingSet("a change in bulk")
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
        // Now, because the snapshot still has what goes.
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
    // The commit stays, also if the newer snapshot cannot be read. A save does the same.
    try? follower.advance()
    return outcome
  }

  /// Shows the state with which the transaction begins: what closures see through relationships must be as new as the rows.
  private func advance(to writer: RecordWriter) throws {
    let newest = writer.commitNumber - 1
    if let seen = session.seenCommit, seen >= newest { return }
    // A writer may begin before the commit in front of it is synced, and so is seen.
    try store.records.store.show(newest)
    try follower.advance()
  }
}

/// There is nothing to write, so nothing is committed.
private struct Nothing: Error {}
