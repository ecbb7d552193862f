internal import RoostRecords

/// Lists: loading and hiding them, and what users and other sides do to them.
extension LinkGraph {
  /// Puts a list into its slot, with what other sides did to it since it was stored.
  ///
  /// - Parameter withSiblings: whether those of objects that came with this one are loaded too, because a loop asks for them next.
  func load(_ object: any _ModelObject, _ relation: Relation, origin: RowOrigin, withSiblings: Bool = true) {
    settle(relation.pair)
    if let list = ledger.lists[LinkKey(object, origin, property: relation.property)] { return show(list) }
    if isEnding(object) { return showOnce(object, relation) }
    // The members could not be fetched. The slot stays empty, so that the next getter asks again.
    if objects.isUnlisted(origin, object) { return }
    var rows: [UInt64] = []
    do { try loadOne(object, relation, origin: origin, rows: &rows) } catch {
      // What is there stays untouched, because no save passes until this is given up.
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

  /// Puts one list into its slot, and adds its rows to those of others.
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

  /// Notes a list that is in its slot.
  func keep(_ list: LoadedList) {
    // Nobody would let go of it where the context has ended.
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

  /// Takes the members of every other list of the relationship out of their slots.
  func hideOthers(_ list: LoadedList) {
    if ledger.isVisibleAlone(list) { return }
    guard var visible = ledger.takeVisible(list.relation.pair) else { return }
    visible.removeAll { other in
      if other === list || !other.owner._$state.flags.isDisjoint(with: .lent) { return false }
      // One that was unloaded meanwhile is in nobody's slot.
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

  /// Newcomers at the end come in at once, so that their own side shows it also where they go again before anybody reads.
  /// Members that went from the end are looked at later. After any other change both sides agree now.
  func didWriteList(_ object: any _ModelObject, _ relation: Relation, origin: RowOrigin) {
    guard let list = ledger.lists[LinkKey(object, origin, property: relation.property)] else {
      return regain(object, relation, origin: origin)
    }
    if loadRows != nil {
      // Values may have to be fetched, which only `settle` does. Of two lists that are written at once the first is not noted any more.
      if ledger.unsettled[relation.pair] !== list { noteUnsettled(list) }
      return settle(relation.pair)
    }
    // In lists of both sides a member that goes and comes again has another place on its own side.
    // Who waits for changes of the members' sides is told when they happen.
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
    // Letting others know may have brought their lists into their slots.
    if list.isUnsettled { hideOthers(list) }
  }

  /// Adds a new member; false if it is a member already, so that the list has it twice.
  private func welcome(_ member: any _ModelObject, _ list: LoadedList) -> Bool {
    if !isEnding(member), !member._$state.flags.contains(.deleted), isMember(member, list) { return false }
    take(member, list)
    if member._$state.row != 0, !list.refuses { join(member, list) }
    return true
  }

  /// The members that came in behind the others, as far as the end of a list tells.
  private enum Newcomers {
    case none
    case one(AnyObject)
    case many([AnyObject])
    /// Something else happened.
    case others
  }

  /// Looks at the end of a list that a user changed, which tells what is done most: adding there, or taking away.
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

  /// A member of a list, or what a reference leads to: of the relationship's target, or of a subclass of it.
  func model(_ object: AnyObject, _ relation: Relation) -> any _ModelObject {
    store.maps[relation.target].type.object(object)
  }

  private func row(_ member: AnyObject, _ relation: Relation) -> UInt64 { model(member, relation)._$state.row }

  /// Adds an object to a list of another one, or takes it out, because its own side says so.
  func edit(_ owner: any _ModelObject, _ property: Int, member: any _ModelObject, adds: Bool) {
    guard let origin = owner._$state.origin as? RowOrigin else { return }
    session.notify(owner, property)
    // The list of one that was deleted before it was saved is kept for the case that the owner comes back. Nothing is said of that: no user
    // has set it.
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

  /// Takes an object that goes out of a list, which need not be written for that.
  func drop(_ object: any _ModelObject, from list: LoadedList) {
    show(list)
    list.slot.remove(object)
    list.remove(object._$state.row)
    session.notify(list.owner, list.relation.property)
  }

  // MARK: Unloading

  /// Lets the lists that were loaded first go, down to half of the bound; those with changes stay.
  func unloadOldest(but needed: LoadedList? = nil) {
    var kept: [LoadedList] = []
    for list in ledger.loadedQueue {
      if ledger.isOverHalf, list !== needed, unload(list) { continue }
      kept.append(list)
    }
    session.release(ledger.setQueue(kept))
    // What names them there would keep their owners.
    tidy()
    ledger.deferUnloading()
  }

  /// Unloads a list; false if it has changes, or is in use at the moment.
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
    // The caller has it still.
    ledger.remove(list)
  }

  /// Unloads the list of a row, if it is loaded and has no changes; ``tidy()`` follows. Says whether it did.
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

  /// Unloads every list, and forgets what was changed. Returns what the lists held.
  func takeLinks() -> [Any] {
    let empty = LinkLedger(most: ledger.most)
    let former = exchange(&ledger, with: empty)
    isSettled = true
    deletions = DeletionMarks()
    var held: [Any] = [former]
    for list in former.lists.values { for members in list.takeMembers() { held.append(members) } }
    return held
  }

  /// Forgets lists that are not loaded any more, and counts the others.
  func tidy() {
    for pair in ledger.visible.pairs {
      let visible = ledger.visible[pair]?.filter { ledger.lists[$0.key] === $0 && $0.hidden == nil }
      session.release(ledger.setVisible(visible, pair) ?? [])
    }
    session.release(ledger.setQueue(ledger.loadedQueue))
    ledger.count()
  }
}
