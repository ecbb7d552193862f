internal import RoostRecords

/// Updates objects after a save is committed.
extension Saver {
  func finish(_ run: SaveRun) {
    session.statistics.saves += 1
    lastSave = run.summary
    settleAfterSave(run)
    session.release(objects.takeKept())
    store.listeners.tell(by: session.user)
    run.afterCommit?(run.writer.commitNumber)
    // The commit is kept even if a later read fails: the next call continues or throws the error.
    if session.seenCommit == nil {
      try? follower.begin(after: run.writer.commitNumber)
    } else {
      try? follower.advance()
    }
  }

  private func settleAfterSave(_ run: SaveRun) {
    changes.markDeleted()
    for row in run.gone + run.vanished { leave(row) }
    let written = changes.markWritten()
    let isMerged = run.news != nil || !run.decisions.isEmpty
    if !run.decisions.isEmpty { for object in changes.inserted { become(object, run) } }
    changes.forgetSaved()
    links.forgetSaved()
    noteDerived(run)
    if !isMerged { return }
    let isAny = run.mayDiffer || store.hasFound.contains(true)
    objects.noteUnread(isAny ? written.filter { run.mayDiffer($0) || isToldElsewhere($0) } : [])
    objects.noteUnread(run.parted.compactMap { objects.registered(store.maps[$0.map], RowID($0.row)) })
  }

  /// Whether an object has a one-to-one relationship that its partner's row stores.
  private func isToldElsewhere(_ object: any _ModelObject) -> Bool {
    guard let origin = object._$state.origin as? RowOrigin else { return false }
    return store.hasFound[origin.map.number]
  }

  /// Marks an object whose row a delete rule deleted.
  private func leave(_ row: LinkKey) {
    guard let object = objects.registered(store.maps[row.map], RowID(row.row)), !object._$state.flags.contains(.gone),
      let origin = object._$state.origin as? RowOrigin
    else { return }
    // Its last values stay readable.
    if object._$state.flags.contains(.fault) { objects.fill(object, origin) }
    object.markGone()
    object._$state.flags.remove(.changed)
  }

  /// Gives a new object the row that it was merged into. If that row has an object, this one leaves
  /// the context.
  private func become(_ object: any _ModelObject, _ run: SaveRun) {
    guard let origin = object._$state.origin as? RowOrigin, !object._$state.flags.contains(.gone) else { return }
    let old = object._$state.row
    let row = run.row(origin.map.home, old)
    if row == old { return }
    store.aliases.add(origin.map.home, old, row: row)
    if let known = origin.known(row) {
      objects.noteUnread([known])
      return object.markGone()
    }
    origin.objects.remove(old, object._$state.ticket)
    object._$state.row = row
    object._$state.ticket = origin.objects.put(row, object)
  }
}
