internal import RoostRecords

/// Updates the other sides of lists that the program changed.
extension LinkGraph {
  /// Updates the other sides of all lists that the program changed.
  func settle() {
    if isSettled { return }
    for pair in ledger.unsettled.pairs { settle(pair) }
  }

  func settle(_ pair: UInt32) {
    while let list = ledger.unsettled[pair] {
      // While it is moved out, its new value is unknown.
      guard list.slot.isFilled else { return }
      noteSettled(list)
      noteDirty(list)
      agree(list)
      if !list.absent.isEmpty { showAbsent(list) }
    }
  }

  /// Records that the program changes a list, so that its other sides must be updated before the
  /// relationship is read.
  func noteUnsettled(_ list: LoadedList) {
    list.isUnsettled = true
    isSettled = false
    session.release(ledger.setUnsettled(list, list.relation.pair))
  }

  private func noteSettled(_ list: LoadedList) {
    list.isUnsettled = false
    _ = ledger.setUnsettled(nil, list.relation.pair)
    isSettled = ledger.unsettled.isEmpty
  }

  private func noteDirty(_ list: LoadedList) {
    list.isDirty = true
    if list.relation.inverse == nil { ledger.noteOneWay(list.key) }
  }

  private func agree(_ list: LoadedList) {
    if let added = tail(list), !hasTwice(added, list), !added.contains(where: objects.isForeign) {
      for member in added { take(member, list) }
      join(added, list, leaving: [])
      // Objects that could not be inserted leave the list.
      if list.refuses {
        list.refuses = false
        agreeWhole(list)
      }
      return
    }
    agreeWhole(list)
  }

  /// The objects that were added at the end, if the list's rows are still its first members;
  /// otherwise nil.
  private func tail(_ list: LoadedList) -> [any _ModelObject]? {
    guard let members = list.slot.members, members.count >= list.rows.count else { return nil }
    guard let first = members.first else { return [] }
    let rows = MemberRows(model(first, list.relation))
    if !rows.begin(members, list.rows) { return nil }
    return members[list.rows.count...].map { model($0, list.relation) }
  }

  /// Whether one of the objects is a member already, or is added twice, or would be added by its
  /// own insertion.
  private func hasTwice(_ added: [any _ModelObject], _ list: LoadedList) -> Bool {
    if added.count == 1, added[0]._$state.row == 0 { return false }
    if added.isEmpty { return false }
    var seen = Set<ObjectIdentifier>()
    for member in added where !seen.insert(ObjectIdentifier(member)).inserted { return true }
    let known = added.filter { $0._$state.row != 0 }
    if known.isEmpty { return false }
    if known.count == 1 { return list.contains(known[0]._$state.row) }
    return known.contains { list.contains($0._$state.row) }
  }

  /// Inserts a new member into the context. If its own reference names the owner already, it is not
  /// added twice.
  func take(_ member: any _ModelObject, _ list: LoadedList) {
    do { try insert(member, into: list.key) } catch {
      list.refuses = true
      return changes.complain(error, list.owner, property: list.relation.property)
    }
    guard member._$state.row != 0, mayLead(list.owner, list.relation, to: member) else { return list.refuses = true }
    list.append(member._$state.row)
  }

  /// Compares the whole list with its rows.
  func agreeWhole(_ list: LoadedList) {
    noteDirty(list)
    if list.storedCount != 0 { list.storedCount = nil }
    let all = (list.slot.members ?? []).map { model($0, list.relation) }
    let before = list.rows
    // An equal beginning and an equal end are skipped.
    var start = 0
    let shorter = min(all.count, before.count)
    while start < shorter, all[start]._$state.row == before[start] { start += 1 }
    var end = 0
    while end < shorter - start, all[all.count - 1 - end]._$state.row == before[before.count - 1 - end] { end += 1 }
    var seen = Set<UInt64>()
    var members: [any _ModelObject] = []
    let old = Set(before[start..<before.count - end])
    for member in all[start..<all.count - end] {
      // A member that was deleted meanwhile may still be in the slot.
      let isGone = !objects.isForeign(member) && member._$state.flags.contains(.gone) && !member.isKeptCopy
      if isGone, old.contains(member._$state.row) { continue }
      do { try insert(member, into: list.key) } catch {
        // The object is removed from the list.
        changes.complain(error, list.owner, property: list.relation.property)
        continue
      }
      let row = member._$state.row
      guard row != 0, mayLead(list.owner, list.relation, to: member) else { continue }
      if seen.insert(row).inserted { members.append(member) }
    }
    let (first, last) = (before[..<start], before[(before.count - end)...])
    // The list may contain a member twice, in the part that changed and in an unchanged one.
    if !seen.isEmpty, !(first.isEmpty && last.isEmpty) {
      let unchanged = Set(first).union(last)
      members.removeAll { unchanged.contains($0._$state.row) }
    }
    list.setRows(first + members.map { $0._$state.row } + last)
    if list.rows.count != all.count {
      let staying = (all[..<start] + members + all[(all.count - end)...]).map { $0 as AnyObject }
      session.release(list.slot.replace(staying) ?? [])
    }
    let middle = before[start..<before.count - end]
    let now = Set(list.rows[start..<list.rows.count - end])
    let leaving = middle.filter { !now.contains($0) }
    join(members.filter { !old.contains($0._$state.row) }, list, leaving: leaving)
    for row in leaving { leave(row, list) }
  }

  /// Sets the other side of new members, after all rows that change with it are fetched.
  private func join(_ members: [any _ModelObject], _ list: LoadedList, leaving: [UInt64]) {
    if loadRows != nil {
      fetch(members.map { $0._$state.row } + leaving, list.relation, lists: list.relation.isInverseList)
      fetchOwners(of: members, list)
      // The store does not have them any more.
      for member in members where member._$state.flags.contains(.gone) && list.contains(member._$state.row) {
        drop(member, from: list)
      }
    }
    for member in members where member._$state.row != 0 && !member._$state.flags.contains(.gone) { join(member, list) }
  }

  /// Fetches missing values that a change of links needs.
  ///
  /// The context may show a newer snapshot afterwards. Call it when the ledger has the program's
  /// change. A later change would be compared with the newer list, and would restore members that
  /// another program removed.
  ///
  /// - Parameters:
  ///   - rows: the rows.
  ///   - relation: the relationship, whose target is the rows' class.
  ///   - lists: whether the members of lists are needed too.
  func fetch(_ rows: [UInt64], _ relation: Relation, lists: Bool = false) {
    guard let loadRows else { return }
    objects.attempt { try loadRows(rows.filter(RowNumber.leads).map { (store.maps[relation.target], $0) }, lists) }
  }

  /// Fetches missing members of a stored object's lists, and of other objects of its batch.
  func fetchLists(of object: any _ModelObject, _ origin: RowOrigin) {
    if objects.isUnlisted(origin, object) { fetchBatch(object, origin, lists: true, isMissing: objects.isUnlisted) }
  }

  /// Fetches missing values of an object, and of other objects of its batch.
  func fetchValues(of object: any _ModelObject, _ origin: RowOrigin) {
    guard object._$state.flags.contains(.fault), objects.isUnloaded(origin, object._$state.row) else { return }
    fetchBatch(object, origin, lists: false, isMissing: objects.isUnloaded)
  }

  private func fetchBatch(
    _ object: any _ModelObject, _ origin: RowOrigin, lists: Bool, isMissing: (RowOrigin, UInt64) -> Bool
  ) {
    guard let loadRows else { return }
    var rows = [(map: origin.map, row: object._$state.row)]
    if let (batch, place) = objects.batch(of: object, origin) {
      batch.around(place) { row in
        guard row != object._$state.row, isMissing(origin, row) else { return false }
        rows.append((origin.map, row))
        return true
      }
    }
    do { try loadRows(rows, lists) } catch {
      if object._$state.flags.contains(.fault) { objects.fail(object, error) } else { objects.fail(error) }
    }
  }

  /// Fetches the former owners of a list's new members, because their lists change too.
  private func fetchOwners(of members: [any _ModelObject], _ list: LoadedList) {
    guard let inverse = list.relation.inverse else { return }
    var owners: [UInt64] = []
    var target = list.relation
    for member in members where member._$state.row != 0 && !member._$state.flags.contains(.gone) {
      guard let origin = member._$state.origin as? RowOrigin, let back = relation(origin, inverse), !back.isList,
        let owner = objects.need(member, { try current(member, back, origin: origin) })
      else { continue }
      owners.append(owner)
      target = back
    }
    if !owners.isEmpty { fetch(owners, target) }
  }

  /// Sets the other side of a new member: its reference names the list's owner.
  func join(_ member: any _ModelObject, _ list: LoadedList) {
    guard let inverse = list.relation.inverse, let origin = member._$state.origin as? RowOrigin,
      let back = relation(origin, inverse)
    else { return }
    if back.isList {
      if !contains(member, back, origin: origin, row: list.key.row) {
        edit(member, inverse, member: list.owner, adds: true)
      }
      return
    }
    guard let former = objects.need(member, { try current(member, back, origin: origin) }), former != list.key.row
    else {
      return
    }
    if RowNumber.leads(former), let other = objects.need(member, { try self.former(back.target, former) }) {
      edit(other, list.relation.property, member: member, adds: false)
    }
    setReference(member, inverse, row: list.key.row)
  }

  /// Whether an object's own side names the list's owner.
  func isMember(_ member: any _ModelObject, _ list: LoadedList) -> Bool {
    if member._$state.row == 0 { return false }
    guard let inverse = list.relation.inverse, let origin = member._$state.origin as? RowOrigin,
      let back = relation(origin, inverse)
    else { return list.contains(member._$state.row) }
    if back.isList { return contains(member, back, origin: origin, row: list.key.row) }
    return objects.need(member) { try current(member, back, origin: origin) } == list.key.row
  }

  private func contains(_ object: any _ModelObject, _ relation: Relation, origin: RowOrigin, row: UInt64) -> Bool {
    let key = LinkKey(object, origin, property: relation.property)
    if let list = ledger.lists[key] {
      return list.contains(row) || list.absent.contains(row) || ledger.adopting[key]?.contains(row) == true
    }
    if let edit = ledger.edits[key] {
      if edit.hasAdded(row) { return true }
      if edit.removed.contains(row) { return false }
    }
    if object._$state.flags.contains(.inserted) { return false }
    return objects.need(object) {
      guard let side = try session.snapshot().catalog.relationship(relation.way.id) else { return false }
      return try session.snapshot().links(side).contains(RowID(row), in: RowID(key.row))
    } ?? false
  }

  /// Clears the other side of a former member.
  private func leave(_ row: UInt64, _ list: LoadedList) {
    guard let inverse = list.relation.inverse,
      let member = objects.need(list.owner, { try live(list.relation.target, row) }),
      let origin = member._$state.origin as? RowOrigin, let back = relation(origin, inverse)
    else { return }
    if back.isList { return edit(member, inverse, member: list.owner, adds: false) }
    if objects.need(member, { try current(member, back, origin: origin) }) == list.key.row {
      setReference(member, inverse, row: RowNumber.nothing)
    }
  }
}
