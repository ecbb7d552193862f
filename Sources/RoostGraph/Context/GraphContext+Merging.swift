internal import RoostRecords

/// Taking over what others committed.
extension GraphContext {
  /// Goes on to the newest snapshot. Objects whose rows others changed become faults again; own changes stay. Objects whose rows
  /// others deleted keep the values that they had.
  func advance() throws {
    let new = try store.records.snapshot()
    guard let old = reader else { return show(new) }
    if new.commit == old.commit { return new.close() }
    do {
      switch store.feed.news(after: old.commit, through: new.commit) {
      case .entries(let entries):
        let others = entries.filter { $0.author != ObjectIdentifier(self) }
        if others.isEmpty { return show(new) }
        settle()
        let lists = try changedLists()
        for entry in others { keepBases(entry) }
        for entry in others { try forgetDeleted(entry) }
        if others.contains(where: { !$0.deleted.isEmpty }) { mayDangle = true }
        show(new)
        for entry in others { forgetChanged(entry) }
        follow(lists)
      case .everything:
        settle()
        let lists = try changedLists()
        for object in changed + deleted { keepBase(object) }
        try forgetDeleted(new)
        mayDangle = true
        show(new)
        unloadLists()
        for object in allObjects { refresh(object) }
        follow(lists)
      }
    } catch {
      if reader !== new { new.close() }
      throw error
    }
  }

  /// Looks, on the old snapshot, at rows that are not in the new one.
  private func forgetDeleted(_ entry: CommitFeed.Entry) throws {
    for (number, rows) in entry.deleted {
      // Of which class a row was that is gone nobody knows.
      let classes = store.maps.indices.filter { store.maps[$0].home == number }
      let relations =
        links.lists.isEmpty ? [] : classes.flatMap { store.relations[$0] }.filter { $0?.isInverseList == true }
      for row in rows {
        if let object = originIfKnown(number)?.known(row) { bury(object) }
        for case .some(let relation) in relations {
          guard let inverse = relation.inverse else { continue }
          let key = LinkKey(map: number, row: row, property: relation.property)
          for owner in try stored(key, relation) {
            unloadList(LinkKey(map: relation.home, row: owner, property: inverse))
          }
        }
      }
    }
  }

  private func forgetDeleted(_ new: RecordReader) throws {
    for object in allObjects {
      guard let origin = object._$state.origin as? RowOrigin, !object._$state.flags.contains(.inserted),
        try !new.table(origin.map.entity.id).contains(RowID(object._$state.row))
      else { continue }
      bury(object)
    }
  }

  /// Somebody else deleted the row. The object keeps its last values, which a fault reads now. One with changes of its own stays as it
  /// is: the save says that its row is gone.
  private func bury(_ object: any _ModelObject) {
    let flags = object._$state.flags
    guard let origin = object._$state.origin as? RowOrigin, flags.isDisjoint(with: [.inserted, .gone]) else { return }
    if flags.contains(.changed), !flags.contains(.deleted) { return }
    if flags.contains(.fault) { fill(object, origin) }
    object.markGone()
  }

  /// Notes on the old snapshot what was stored of objects that were changed here and elsewhere.
  private func keepBases(_ entry: CommitFeed.Entry) {
    if changed.isEmpty && deleted.isEmpty { return }
    for (number, rows) in Array(entry.rows) + Array(entry.deleted) {
      guard let origin = originIfKnown(number) else { continue }
      for row in rows { if let object = origin.known(row) { keepBase(object) } }
    }
  }

  private func forgetChanged(_ entry: CommitFeed.Entry) {
    for (number, rows) in entry.rows {
      guard let origin = originIfKnown(number) else { continue }
      for row in rows {
        guard let object = origin.known(row) else { continue }
        let lists = links.lists.isEmpty ? [] : store.relations[own(origin, object).map.number]
        for case .some(let list) in lists where list.isList {
          unloadList(LinkKey(map: number, row: row, property: list.property))
        }
        refresh(object)
      }
    }
  }

  /// Makes an object read its row again.
  private func refresh(_ object: any _ModelObject) {
    let flags = object._$state.flags
    if flags.contains(.inserted) || flags.contains(.gone) || flags.contains(.fault) { return }
    if flags.contains(.changed) {
      // Takes over what others changed, but for the properties that were changed here.
      if let origin = object._$state.origin as? RowOrigin { fillUnchanged(object, origin) }
      return
    }
    object._$forget()
    object._$state.flags.insert(.fault)
  }
}
