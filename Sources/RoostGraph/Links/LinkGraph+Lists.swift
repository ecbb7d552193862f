internal import RoostRecords

/// Loads and hides lists, and changes them for the program or for an inverse.
extension LinkGraph {
  /// Puts a list into its slot, with the changes that inverses made to it since it was stored.
  ///
  /// - Parameters:
  ///   - object: the owner.
  ///   - relation: the relationship.
  ///   - origin: the owner's origin.
  ///   - withSiblings: whether to load the lists of other objects of the batch too, because a loop
  ///     reads them next.
  func load(_ object: any _ModelObject, _ relation: Relation, origin: RowOrigin, withSiblings: Bool = true) {
    settle(relation.pair)
    // An object of its row in the identity map may own the list.
    if object.isKeptCopy { return showOnce(object, relation) }
    if let list = ledger.lists[LinkKey(object, origin, property: relation.property)] { return show(list) }
    if isEnding(object) { return showOnce(object, relation) }
    // The members could not be fetched. The slot stays empty, so that the next getter tries again.
    if objects.isUnlisted(origin, object) { return }
    var rows: [UInt64] = []
    do { try loadOne(object, relation, origin: origin, rows: &rows) } catch {
      // The stored members stay, because no save succeeds until the changes are rolled back.
      objects.fail(object, error)
      session.release(object.many(relation.property).replace([]) ?? [])
      return
    }
    if object._$state.flags.contains(.inserted) || !withSiblings { return }
    let list = ledger.lists[LinkKey(object, origin, property: relation.property)]
    session.release(ledger.setAwaited(list))
    defer { session.release(ledger.setAwaited(nil)) }
    let count = loadSiblings(object, relation, origin: origin, rows: &rows)
    if count == 0 {
      session.statistics.listsLoaded += 1
      objects.noteSingle(origin, relation.property)
    }
    noteLists(count == 0 ? 0 : count + 1, relation, members: rows)
  }

  /// Puts one list into its slot and appends its rows to `rows`.
  func loadOne(
    _ object: any _ModelObject, _ relation: Relation, origin: RowOrigin, rows: inout [UInt64]
  ) throws {
    let key = LinkKey(object, origin, property: relation.property)
    let edit = ledger.edits[key]
    var members: [AnyObject] = []
    var loaded: [UInt64] = []
    var strangers: [(row: UInt64, behind: UInt64?)] = []
    var absent: [UInt64] = []
    func add(_ member: (any _ModelObject)?) {
      guard let member else { return }
      members.append(member)
      loaded.append(member._$state.row)
    }
    if !object._$state.flags.contains(.inserted),
      let side = try session.snapshot().catalog.relationship(relation.way.id)
    {
      var walk = try MemberWalk(session.snapshot().links(side))
      try walk.begin(RowID(object._$state.row))
      while let row = try walk.next() {
        if edit?.removed.contains(row.number) == true { continue }
        let found = try member(relation.target, row.number)
        if found == nil {
          if try isStranger(row, relation) {
            strangers.append((row.number, loaded.last))
          } else {
            absent.append(row.number)
          }
        }
        add(found)
      }
    }
    for row in edit?.added ?? [] {
      let found = try live(relation.target, row)
      if found == nil, awaitsDeletion(row, relation) { absent.append(row) }
      add(found)
    }
    ledger.removeEdit(key)
    session.release(object.many(relation.property).replace(members) ?? [])
    let list = LoadedList(key, object, relation: relation, rows: loaded)
    list.strangers = strangers
    for row in absent { noteAbsent(row, list) }
    rows += loaded
    if edit != nil {
      list.isDirty = true
      list.storedCount = nil
    }
    keep(list)
  }

  /// Records a list that is in its slot.
  func keep(_ list: LoadedList) {
    // After the context was closed it would never be unloaded.
    if session.isClosed { return }
    ledger.add(list)
    defer { if let changing = ledger.unsettled[list.relation.pair], changing !== list { hideOthers(changing) } }
    ledger.noteVisible(list)
    if ledger.mustUnload { unloadOldest(but: list) }
  }

  func show(_ list: LoadedList) {
    guard let hidden = list.hidden else { return }
    list.hidden = nil
    list.slot.members = hidden
    ledger.noteVisible(list)
  }

  /// Moves the members of all other lists of the relationship out of their slots.
  func hideOthers(_ list: LoadedList) {
    if ledger.isVisibleAlone(list) { return }
    guard var visible = ledger.takeVisible(list.relation.pair) else { return }
    visible.removeAll { other in
      if other === list || !other.owner._$state.flags.isDisjoint(with: .lent) { return false }
      // An unloaded list has no members in a slot.
      if other.hidden == nil, ledger.lists[other.key] === other { other.hidden = other.slot.take() }
      return true
    }
    session.release(ledger.setVisible(visible, list.relation.pair) ?? [])
  }

  // MARK: Changes

  func willWriteList(_ object: any _ModelObject, _ relation: Relation, origin: RowOrigin) {
    let key = LinkKey(object, origin, property: relation.property)
    if ledger.unsettled[relation.pair]?.key == key { return }
    fetchLists(of: object, origin)
    settle(relation.pair)
    if ledger.lists[key]?.slot.isFilled != true { load(object, relation, origin: origin) }
    guard let list = ledger.lists[key] else { return }
    hideOthers(list)
    noteUnsettled(list)
  }

  /// Updates a list after the program changed it. Members added at the end are inserted at once. So
  /// their own side shows the owner even if they are removed again before the next read. Members
  /// removed at the end are handled later. After any other change both sides are updated now.
  func didWriteList(_ object: any _ModelObject, _ relation: Relation, origin: RowOrigin) {
    guard let list = ledger.lists[LinkKey(object, origin, property: relation.property)] else {
      return regain(object, relation, origin: origin)
    }
    if loadRows != nil {
      // Values may have to be fetched, which only `settle` does. If two lists are written at once,
      // the first one is no longer recorded.
      if ledger.unsettled[relation.pair] !== list { noteUnsettled(list) }
      return settle(relation.pair)
    }
    // In many-to-many relationships a member that is removed and added again changes its place in
    // its own list. Observers of the members' sides are told at once.
    switch addedAtEnd(list) {
    case .others: return settle(relation.pair)
    case .none: if relation.isByLinks || objects.observesObjects { return settle(relation.pair) }
    case .one(let one):
      let member = model(one, relation)
      if objects.isForeign(member) || !welcome(member, list) { return settle(relation.pair) }
    case .many(let all):
      let members = all.map { model($0, relation) }
      if members.contains(where: objects.isForeign) { return settle(relation.pair) }
      for member in members where !welcome(member, list) { return settle(relation.pair) }
    }
    if list.refuses { return settle(relation.pair) }
    // Updating other sides may have put their lists into their slots.
    if list.isUnsettled { hideOthers(list) }
  }

  /// Adds a new member; returns false if it is a member already, so that the list contains it
  /// twice.
  private func welcome(_ member: any _ModelObject, _ list: LoadedList) -> Bool {
    if !isEnding(member), !member._$state.flags.contains(.deleted), isMember(member, list) { return false }
    take(member, list)
    if member._$state.row != 0, !list.refuses { join(member, list) }
    return true
  }

  /// The members that were added at the end of a list, as far as its length and last members tell.
  private enum Newcomers {
    case none
    case one(AnyObject)
    case many([AnyObject])
    /// Another change.
    case others
  }

  /// Compares the end of a list that the program changed, where most changes are made.
  private func addedAtEnd(_ list: LoadedList) -> Newcomers {
    guard let members = list.slot.members else { return .none }
    let (count, before) = (members.count, list.rows.count)
    if count > before {
      if before > 0, row(members[before - 1], list.relation) != list.rows[before - 1] { return .others }
      return count == before + 1 ? .one(members[before]) : .many(Array(members[before...]))
    }
    guard count < before else { return .others }
    return count == 0 || row(members[count - 1], list.relation) == list.rows[count - 1] ? .none : .others
  }

  /// A member of a list, or the target of a reference: an object of the relationship's class or a
  /// subclass.
  func model(_ object: AnyObject, _ relation: Relation) -> any _ModelObject {
    store.maps[relation.target].type.object(object)
  }

  private func row(_ member: AnyObject, _ relation: Relation) -> UInt64 { model(member, relation)._$state.row }

  /// Adds an object to the list of another object, or removes it, because the object's own side
  /// changed.
  func edit(_ owner: any _ModelObject, _ property: Int, member: any _ModelObject, adds: Bool) {
    guard let origin = owner._$state.origin as? RowOrigin else { return }
    session.notify(owner, property)
    // The list of an object that was deleted before it was saved is kept in case that the object is
    // restored. No error is recorded, because no user set it.
    if !owner._$state.flags.contains(.gone) { changes.noteChange(owner, property, origin: origin) }
    let key = LinkKey(owner, origin, property: property)
    let row = member._$state.row
    if let list = ledger.lists[key] {
      show(list)
      if adds, member._$state.flags.contains(.deleted) || !list.slot.isFilled {
        noteAbsent(row, list)
      } else if adds {
        list.slot.append(member)
        list.append(row)
      } else if list.absent.remove(row) == nil {
        list.slot.remove(member)
        list.remove(row)
      }
      list.isDirty = true
      if relation(origin, property)?.inverse == nil { ledger.noteOneWay(key) }
      return
    }
    let edit: LinkLedger.Edit
    if let known = ledger.edits[key] {
      edit = known
    } else {
      edit = LinkLedger.Edit(owner: owner)
      ledger.add(edit, key)
    }
    if adds { edit.add(row, isNew: member._$state.flags.contains(.inserted)) } else { edit.remove(row) }
  }

  /// Removes a deleted object from a list, without marking the list as changed.
  func drop(_ object: any _ModelObject, from list: LoadedList) {
    show(list)
    list.slot.remove(object)
    list.remove(object._$state.row)
    session.notify(list.owner, list.relation.property)
  }

  // MARK: Unloading

  /// Unloads the lists that were loaded first, down to half of the limit; lists with changes stay.
  func unloadOldest(but needed: LoadedList? = nil) {
    var kept: [LoadedList] = []
    for list in ledger.loadedQueue {
      if ledger.isOverHalf, list !== needed, unload(list) { continue }
      kept.append(list)
    }
    session.release(ledger.setQueue(kept))
    // Other collections would keep the owners of unloaded lists alive.
    tidy()
    ledger.deferUnloading()
  }

  /// Unloads a list; returns false if it has changes or is in use.
  private func unload(_ list: LoadedList) -> Bool {
    guard !list.hasChanges, list !== ledger.awaited, list.owner._$state.flags.isDisjoint(with: [.lent, .inserted])
    else {
      return false
    }
    drop(list)
    return true
  }

  private func drop(_ list: LoadedList) {
    for members in list.takeMembers() { session.release(members) }
    // The caller still holds it.
    ledger.remove(list)
  }

  /// Unloads the list of a row, if it is loaded and has no changes. Returns whether it did. Call
  /// ``tidy()`` afterwards.
  @discardableResult
  func unloadList(_ key: LinkKey) -> Bool {
    guard let list = ledger.lists[key], unload(list) else { return false }
    session.notify(list.owner, list.relation.property)
    return true
  }

  /// Unloads every list that has no changes.
  func unloadLists() {
    var kept: [LoadedList] = []
    for list in ledger.loadedQueue {
      if unload(list) { session.notify(list.owner, list.relation.property) } else { kept.append(list) }
    }
    session.release(ledger.setQueue(kept))
    tidy()
  }

  /// Unloads all lists and discards all changes. Returns the objects that the lists held.
  func takeLinks() -> [Any] {
    let empty = LinkLedger(most: ledger.most)
    let former = exchange(&ledger, with: empty)
    isSettled = true
    deletions = DeletionMarks()
    var held: [Any] = [former]
    for list in former.lists.values { for members in list.takeMembers() { held.append(members) } }
    return held
  }

  /// Forgets unloaded lists and counts the members of the others.
  func tidy() {
    for pair in ledger.visible.pairs {
      let visible = ledger.visible[pair]?.filter { ledger.lists[$0.key] === $0 && $0.hidden == nil }
      session.release(ledger.setVisible(visible, pair) ?? [])
    }
    session.release(ledger.setQueue(ledger.loadedQueue))
    ledger.count()
  }
}
