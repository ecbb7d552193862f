internal import RoostRecords

/// Letting the other side know what a user did to a list.
extension LinkGraph {
  /// Lets all lists that users changed agree with their other sides.
  func settle() {
    if isSettled { return }
    for pair in ledger.unsettled.pairs { settle(pair) }
  }

  func settle(_ pair: UInt32) {
    while let list = ledger.unsettled[pair] {
      // While it is moved out nobody knows what it will be.
      guard list.slot.isFilled else { return }
      noteSettled(list)
      noteDirty(list)
      agree(list)
      if !list.absent.isEmpty { showAbsent(list) }
    }
  }

  /// Notes that a program changes a list, so that its other sides must agree before anything is read of the relationship.
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
      // What could not be taken leaves the list.
      if list.refuses {
        list.refuses = false
        agreeWhole(list)
      }
      return
    }
    agreeWhole(list)
  }

  /// What was added to a list, where the rows that it had are still its first ones; nil where something else happened.
  private func tail(_ list: LoadedList) -> [any _ModelObject]? {
    guard let members = list.slot.members, members.count >= list.rows.count else { return nil }
    guard let first = members.first else { return [] }
    let rows = MemberRows(model(first, list.relation))
    if !rows.begin(members, list.rows) { return nil }
    return members[list.rows.count...].map { model($0, list.relation) }
  }

  /// Whether one of the objects is there already, or comes twice, or brings itself along when it is taken into the context.
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

  /// Takes a member into the context; where it led here already it would come in again.
  func take(_ member: any _ModelObject, _ list: LoadedList) {
    do { try insert(member, into: list.key) } catch {
      list.refuses = true
      return changes.complain(error, list.owner, property: list.relation.property)
    }
    guard member._$state.row != 0, mayLead(list.owner, list.relation, to: member) else { return list.refuses = true }
    list.append(member._$state.row)
  }

  /// Compares a list with what the other side knows of it.
  func agreeWhole(_ list: LoadedList) {
    noteDirty(list)
    if list.storedCount != 0 { list.storedCount = nil }
    let all = (list.slot.members ?? []).map { model($0, list.relation) }
    let before = list.rows
    // What is the same at the beginning and at the end need not be looked at.
    var start = 0
    let shorter = min(all.count, before.count)
    while start < shorter, all[start]._$state.row == before[start] { start += 1 }
    var end = 0
    while end < shorter - start, all[all.count - 1 - end]._$state.row == before[before.count - 1 - end] { end += 1 }
    var seen = Set<UInt64>()
    var members: [any _ModelObject] = []
    let old = Set(before[start..<before.count - end])
    for member in all[start..<all.count - end] {
      // What was deleted meanwhile may still stand there.
      if !objects.isForeign(member), member._$state.flags.contains(.gone), old.contains(member._$state.row) { continue }
      do { try insert(member, into: list.key) } catch {
        // It goes out of the list again.
        changes.complain(error, list.owner, property: list.relation.property)
        continue
      }
      let row = member._$state.row
      guard row != 0, mayLead(list.owner, list.relation, to: member) else { continue }
      if seen.insert(row).inserted { members.append(member) }
    }
    let (first, last) = (before[..<start], before[(before.count - end)...])
    // A member may be there twice, in the part that changed and in one that did not.
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

  /// Makes new members' sides say that they belong to the list's owner, once all that changes with them is fetched.
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

  /// Fetches values that a change of links needs, where they are not here yet.
  ///
  /// The context may show a newer snapshot afterwards. Call it when the ledger has the user's change. A change that is noted later would be
  /// compared with the newer list, and would bring back members that another program took out.
  ///
  /// - Parameter lists: whether the members of lists are needed too.
  func fetch(_ rows: [UInt64], _ relation: Relation, lists: Bool = false) {
    guard let loadRows else { return }
    objects.attempt { try loadRows(rows.filter(RowNumber.leads).map { (store.maps[relation.target], $0) }, lists) }
  }

  /// Fetches the members of a stored object's lists, where they are not here yet, and of those that came with it.
  func fetchLists(of object: any _ModelObject, _ origin: RowOrigin) {
    if objects.isUnlisted(origin, object) { fetchBatch(object, origin, lists: true, isMissing: objects.isUnlisted) }
  }

  /// Fetches the values of an object, where they are not here yet, and of those that came with it.
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

  /// Fetches the former owners of a list's new members: their lists change too.
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

  /// Makes a new member's side say that it belongs to the list's owner.
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

  /// Whether an object's own side says that it belongs to the list's owner.
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

  /// Makes a former member's side say that it belongs to the list's owner no more.
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
