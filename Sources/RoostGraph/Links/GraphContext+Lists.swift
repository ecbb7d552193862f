internal import RoostRecords

/// Lists: loading and hiding them, and what users and other sides do to them.
extension GraphContext {
  /// Puts a list into its slot, with what other sides did to it since it was stored.
  func load(_ object: any _ModelObject, _ relation: Relation, _ origin: RowOrigin) {
    settle(relation.pair)
    let key = key(object, origin, relation.property)
    if let list = links.lists[key] { return show(list) }
    var members: [AnyObject] = []
    var rows: [UInt64] = []
    func add(_ row: UInt64) throws {
      guard let member = try live(relation.target, row) else { return }
      members.append(member)
      rows.append(row)
    }
    var isEdited = false
    do {
      let edit = links.edits.removeValue(forKey: key)
      isEdited = edit != nil
      if !object._$state.flags.contains(.inserted), let side = try snapshot().catalog.relationship(relation.way.id) {
        var cursor = try snapshot().links(side).cursor(of: RowID(object._$state.row))
        while let row = try cursor.next() {
          if edit?.removed.contains(row.number) == true { continue }
          try add(row.number)
        }
      }
      for row in edit?.added ?? [] { try add(row) }
    } catch { fail(object, error) }
    object.many(relation.property).members = members
    let list = LoadedList(key, object, relation, rows)
    list.isDirty = isEdited
    if isEdited { list.storedCount = nil }
    keep(list)
  }

  /// Notes a list that is in its slot.
  func keep(_ list: LoadedList) {
    links.lists[list.key] = list
    defer { if let changing = links.unsettled[list.relation.pair], changing !== list { hideOthers(changing) } }
    links.visible[list.relation.pair, default: []].append(list)
    links.queue.append(list)
    links.memberCount += list.rows.count + 1
    if links.memberCount > links.unloadAt { unloadOldest(but: list) }
  }

  private func show(_ list: LoadedList) {
    guard let hidden = list.hidden else { return }
    list.hidden = nil
    list.slot.members = hidden
    links.visible[list.relation.pair, default: []].append(list)
  }

  /// Takes the members of every other list of the relationship out of their slots.
  private func hideOthers(_ list: LoadedList) {
    guard let visible = links.visible[list.relation.pair] else { return }
    var kept: [LoadedList] = []
    for other in visible {
      if other === list || !other.owner._$state.flags.isDisjoint(with: .lent) {
        kept.append(other)
        continue
      }
      // One that was unloaded meanwhile is in nobody's slot.
      guard links.lists[other.key] === other, other.hidden == nil else { continue }
      other.hidden = other.slot.take()
    }
    links.visible[list.relation.pair] = kept
  }

  // MARK: Changes

  func willWriteList(_ object: any _ModelObject, _ relation: Relation, _ origin: RowOrigin) {
    let key = key(object, origin, relation.property)
    if links.unsettled[relation.pair]?.key == key { return }
    settle(relation.pair)
    if !object._$isFilled(relation.property) || links.lists[key] == nil { load(object, relation, origin) }
    guard let list = links.lists[key] else { return }
    hideOthers(list)
    list.isUnsettled = true
    links.unsettled[relation.pair] = list
  }

  /// Newcomers at the end come in at once, so that their own side shows it also where they go again before anybody reads.
  /// Members that went from the end are looked at later. After any other change both sides agree now.
  func didWriteList(_ object: any _ModelObject, _ relation: Relation, _ origin: RowOrigin) {
    guard let list = links.lists[key(object, origin, relation.property)] else { return }
    // In lists of both sides a member that goes and comes again has another place on its own side.
    guard let added = addedAtEnd(list), !(relation.isByLinks && added.isEmpty) else { return settle(relation.pair) }
    for object in added {
      let member = model(object, relation)
      if isMember(member, list) { continue }
      take(member, list)
      if member._$state.row != 0 { join(member, list) }
    }
    // Letting others know may have brought their lists into their slots.
    if list.isUnsettled { hideOthers(list) }
  }

  /// Looks at the end of a list that a user changed, which tells what is done most: adding there, or taking away. The members
  /// that came in behind the others; nil where something else happened.
  private func addedAtEnd(_ list: LoadedList) -> ArraySlice<AnyObject>? {
    guard let members = list.slot.members else { return [] }
    let (count, before) = (members.count, list.rows.count)
    if count > before {
      if before > 0, row(members[before - 1], list.relation) != list.rows[before - 1] { return nil }
      return members[before...]
    }
    guard count < before else { return nil }
    return count == 0 || row(members[count - 1], list.relation) == list.rows[count - 1] ? [] : nil
  }

  /// A member of a list, or what a reference leads to: of the relationship's target, or of a subclass of it.
  func model(_ object: AnyObject, _ relation: Relation) -> any _ModelObject {
    store.maps[relation.target].type.object(object)
  }

  private func row(_ member: AnyObject, _ relation: Relation) -> UInt64 { model(member, relation)._$state.row }

  /// The members of a list that is moved out, as they were before.
  func lentMembers(_ object: any _ModelObject, _ property: Int, _ origin: RowOrigin) -> [any _ModelObject] {
    guard let relation = relation(origin, property), let list = links.lists[key(object, origin, property)] else {
      return []
    }
    return list.rows.compactMap { try? live(relation.target, $0) }
  }

  /// Adds an object to a list of another one, or takes it out, because its own side says so.
  func edit(_ owner: any _ModelObject, _ property: Int, _ member: any _ModelObject, adds: Bool) {
    guard let origin = owner._$state.origin as? RowOrigin else { return }
    noteChange(owner, property, origin)
    let key = key(owner, origin, property)
    let row = member._$state.row
    if let list = links.lists[key] {
      show(list)
      if adds {
        list.slot.append(member)
        list.rows.append(row)
      } else {
        list.slot.remove(member)
        list.remove(row)
      }
      list.isDirty = true
      return
    }
    let edit: LinkLedger.Edit
    if let known = links.edits[key] {
      edit = known
    } else {
      edit = LinkLedger.Edit(owner: owner)
      links.edits[key] = edit
    }
    if adds {
      edit.added.append(row)
    } else if let at = edit.added.lastIndex(of: row) {
      edit.added.remove(at: at)
    } else {
      edit.removed.insert(row)
    }
  }

  /// Takes an object that goes out of a list, which need not be written for that.
  func drop(_ object: any _ModelObject, from list: LoadedList) {
    show(list)
    list.slot.remove(object)
    list.remove(object._$state.row)
  }

  // MARK: Unloading

  /// Lets the lists that were loaded first go, down to half of the bound; those with changes stay.
  private func unloadOldest(but needed: LoadedList) {
    var kept: [LoadedList] = []
    for list in links.queue where links.lists[list.key] === list {
      if links.memberCount > LinkLedger.mostLoaded / 2, list !== needed, unload(list) { continue }
      kept.append(list)
    }
    links.queue = kept
    links.unloadAt = max(LinkLedger.mostLoaded, 2 * links.memberCount)
  }

  /// Unloads a list; false if it has changes, or is in use at the moment.
  private func unload(_ list: LoadedList) -> Bool {
    guard !list.hasChanges, list.owner._$state.flags.isDisjoint(with: [.lent, .inserted]) else { return false }
    drop(list)
    return true
  }

  private func drop(_ list: LoadedList) {
    list.slot.members = nil
    list.hidden = nil
    links.lists[list.key] = nil
    links.memberCount -= list.rows.count + 1
  }

  /// Unloads every list that has no changes.
  func unloadLists() {
    let all = links.queue
    links.queue = []
    for list in all where links.lists[list.key] === list && !unload(list) { links.queue.append(list) }
    tidy()
  }

  /// Unloads every list, and forgets what was changed.
  func forgetLinks() {
    let lists = links.lists.values
    for list in lists { drop(list) }
    links = LinkLedger()
  }

  private func tidy() {
    for (pair, lists) in links.visible {
      links.visible[pair] = lists.filter { links.lists[$0.key] === $0 && $0.hidden == nil }
    }
    links.memberCount = links.lists.values.reduce(0) { $0 + $1.rows.count + 1 }
  }
}
