internal import RoostRecords

/// Updates lists with changes when the context moves to a newer snapshot.
extension LinkGraph {
  /// Merges others' changes into the lists that were changed here. Lists without changes are simply
  /// read again.
  func mergeLists(_ old: RecordReader) {
    for list in ledger.lists.values
    where list.hasChanges && list.owner._$state.flags.isDisjoint(with: [.inserted, .gone, .lent]) {
      do { try follow(list, old) } catch { objects.fail(list.owner, error) }
    }
    for (key, edit) in ledger.edits {
      do { try still(edit, key) } catch { objects.fail(edit.owner, error) }
    }
  }

  /// Reduces the pending changes of a list that is not loaded: others may have made the same
  /// changes.
  private func still(_ edit: LinkLedger.Edit, _ key: LinkKey) throws {
    guard let origin = edit.owner._$state.origin as? RowOrigin, let relation = relation(origin, key.property),
      let side = try session.snapshot().catalog.relationship(relation.way.id)
    else { return }
    let members = try session.snapshot().links(side)
    let removed = edit.removed
    edit.added = try edit.added.filter { row in
      try removed.contains(row) || !members.contains(RowID(row), in: RowID(key.row))
    }
    edit.removed = try removed.filter { row in try members.contains(RowID(row), in: RowID(key.row)) }
  }

  /// Updates lists for a reference that was changed here, after others stored another value in it.
  /// The list of the owner that others chose must not show the object, and the list of the owner
  /// chosen here must.
  func keepReferences(of object: any _ModelObject, _ origin: RowOrigin) throws {
    for case .some(let relation) in store.relations[origin.map.number] where relation.isInverseList {
      guard case .reference = relation.way, let inverse = relation.inverse,
        object._$state.changed & _ModelState.bit(relation.property) != 0
      else { continue }
      let stored = try stored(LinkKey(object, origin, property: relation.property), relation).first ?? RowNumber.nothing
      let here = object.one(relation.property).row
      if stored == here { continue }
      if RowNumber.leads(stored), let owner = try live(relation.target, stored),
        shows(owner, inverse, row: object._$state.row) ?? true
      {
        edit(owner, inverse, member: object, adds: false)
      }
      if RowNumber.leads(here), let owner = try live(relation.target, here),
        shows(owner, inverse, row: object._$state.row) != true
      {
        edit(owner, inverse, member: object, adds: true)
      }
    }
  }

  /// Whether a list contains a row, if the list is loaded or has changes; otherwise nil, because
  /// the store decides.
  private func shows(_ owner: any _ModelObject, _ property: Int, row: UInt64) -> Bool? {
    guard let origin = owner._$state.origin as? RowOrigin else { return nil }
    let key = LinkKey(owner, origin, property: property)
    if let list = ledger.lists[key] { return list.contains(row) || list.absent.contains(row) }
    guard let edit = ledger.edits[key] else { return nil }
    if edit.hasAdded(row) { return true }
    return edit.removed.contains(row) ? false : nil
  }

  /// Adds the members that others added and removes those that they removed, unless the member's
  /// own reference was changed here.
  private func follow(_ list: LoadedList, _ old: RecordReader) throws {
    guard let side = try session.snapshot().catalog.relationship(list.relation.way.id) else { return }
    let owner = RowID(list.key.row)
    let before = try old.links(side).rows(of: owner).map(\.number)
    let now = try session.snapshot().links(side).rows(of: owner).map(\.number)
    if before == now { return }
    let (was, isNow, here) = (Set(before), Set(now), Set(list.linked))
    func stays(_ row: UInt64) -> Bool { !was.contains(row) || isNow.contains(row) || decided(row, list) != nil }
    list.absent = list.absent.filter(stays)
    var rows = list.rows.filter(stays)
    rows += now.filter { !was.contains($0) && !here.contains($0) && decided($0, list) == nil }
    var members: [any _ModelObject] = []
    for row in rows {
      if let member = try live(list.relation.target, row) {
        members.append(member)
      } else if awaitsDeletion(row, list.relation) {
        noteAbsent(row, list)
      }
    }
    try noteStrangers(now, list)
    rows = members.map { $0._$state.row }
    if rows == list.rows { return }
    show(list)
    session.release(list.slot.replace(members.map { $0 as AnyObject }) ?? [])
    ledger.noteGrowth(rows.count - list.rows.count)
    list.setRows(rows)
    list.storedCount = nil
  }

  /// The owner of a member, if its reference was changed here; nil if the member's row does not
  /// contain the reference or is unchanged.
  private func decided(_ row: UInt64, _ list: LoadedList) -> UInt64? {
    guard !list.relation.isByLinks, let inverse = list.relation.inverse,
      let member = objects.registered(store.maps[list.relation.target], RowID(row)),
      member._$state.changed & _ModelState.bit(inverse) != 0
    else { return nil }
    return member.one(inverse).row
  }
}
