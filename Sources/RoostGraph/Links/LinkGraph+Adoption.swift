internal import RoostRecords

/// Inserts objects into the context with all objects that they reference.
extension LinkGraph {
  /// Inserts an object and the objects that it references. Each gets its lasting row number here.
  /// An object of this context stays as it is.
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - list: a list that already has the object as a member.
  func insert(_ object: any _ModelObject, into list: LinkKey?) throws {
    try session.checkOpen()
    if object._$state.origin == nil || list != nil, isEnding(object) {
      throw GraphFault(
        .deleted, "its deinit inserted it, and no context can keep a released object: insert it earlier",
        entity: type(of: object)._$type.name)
    }
    if try objects.origin(of: object) != nil {
      // An unsaved deletion is undone; a saved one cannot be.
      if object._$state.flags.contains(.gone), !isUnborn(object) {
        throw GraphFault(
          .deleted, "it is deleted, so it cannot be inserted again: make a new object", name: objects.name(object))
      }
      if object._$state.flags.contains(.deleted) { takeBack(object, list) }
      return
    }
    if object._$state.flags.contains(.fresh) { object.settle() }
    let map = try objects.map(of: object)
    try fetchTargets(of: object)
    if bringsNobody(object, map) { return try adoptAlone(object, map, list: list) }
    try adoptAll(object, list)
  }

  /// Fetches the stored objects in the relationships of a new object, and of the new objects that
  /// it references. Their side of a relationship changes too, so their values are needed.
  private func fetchTargets(of object: any _ModelObject) throws {
    guard let loadRows else { return }
    var rows: [(map: EntityMap, row: UInt64)] = []
    var seen: Set<ObjectIdentifier> = []
    var waiting: [any _ModelObject] = [object]
    while let next = waiting.popLast() {
      guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
      if let origin = try objects.origin(of: next) {
        if next._$state.flags.contains(.fault) { rows.append((origin.map, next._$state.row)) }
        continue
      }
      if next._$state.flags.contains(.fresh) { next.settle() }
      var collector = LinkCollector()
      next._$visit(&collector)
      waiting += collector.found
    }
    if !rows.isEmpty { try loadRows(rows, false) }
  }

  // MARK: One object

  /// Whether all objects that an object references are in the context already.
  private func bringsNobody(_ object: any _ModelObject, _ map: EntityMap) -> Bool {
    if store.hasLooseLinks[map.number] { return false }
    for case .some(let relation) in store.relations[map.number] {
      if relation.isList {
        if object.many(relation.property, map.type).members?.isEmpty == false { return false }
      } else if let other = object.one(relation.property, map.type).object {
        guard let origin = model(other, relation)._$state.origin as? RowOrigin, origin.table === objects else {
          return false
        }
      }
    }
    return true
  }

  /// Inserts an object that brings no others along, the usual case. Its lists are loaded when the
  /// program reads them.
  private func adoptAlone(_ object: any _ModelObject, _ map: EntityMap, list: LinkKey?) throws {
    try adopt(object, map)
    var mayShow = false
    for case .some(let relation) in store.relations[map.number] {
      if relation.isList {
        object.many(relation.property, map.type).members = nil
      } else {
        let owner = list.flatMap { relation.inverse == $0.property && relation.home == $0.map ? $0.row : nil }
        if adoptReference(object, relation, origin: objects.origin(map), isKnown: { $0 == owner }) { mayShow = true }
      }
    }
    if mayShow { hideAgain() }
  }

  private func adopt(_ object: any _ModelObject, _ map: EntityMap) throws {
    let row = try store.records.reserve(of: map.entity.id)
    let origin = objects.origin(map)
    let state = object._$place
    state.pointee.row = row.number
    state.pointee.origin = origin
    state.pointee.ticket = origin.objects.put(row.number, object)
    state.pointee.flags.insert([.managed, .inserted])
    state.pointee.flags.remove(.fresh)
    if !objects.marksNext() { state.pointee.flags.remove(.observed) }
    state.pointee.changed = .max
    changes.noteInsertion(object)
  }

  /// Replaces the object in a reference's slot by its row number. It updates the other side, unless
  /// that names the object already; returns whether it did.
  private func adoptReference(
    _ object: any _ModelObject, _ relation: Relation, origin: RowOrigin, isKnown: (UInt64) -> Bool
  ) -> Bool {
    let slot = object.one(relation.property, origin.map.type)
    if slot.row != 0 { return false }
    var row = RowNumber.nothing
    if let other = slot.object.map({ model($0, relation) }), mayLead(object, relation, to: other) {
      row = other._$state.row
      // After a rollback an object may reference one that others deleted.
      if other._$state.flags.contains(.gone) { changes.mayDangle = true }
    }
    slot.lead(to: row)
    if row == RowNumber.nothing || (relation.isInverseList && isKnown(row)) { return false }
    agree(object, relation, origin: origin, before: RowNumber.nothing, now: row)
    return true
  }

  /// Updating other sides may have shown lists while the program changes another list.
  private func hideAgain() {
    if isSettled { return }
    for list in ledger.unsettled.all { hideOthers(list) }
  }

  // MARK: Many

  private func adoptAll(_ object: any _ModelObject, _ list: LinkKey?) throws {
    // Finds all objects first: one may be of an unknown model or of another context.
    var found: [any _ModelObject] = []
    var seen: Set<ObjectIdentifier> = []
    var waiting: [any _ModelObject] = [object]
    while let next = waiting.popLast() {
      guard seen.insert(ObjectIdentifier(next)).inserted, try objects.origin(of: next) == nil else { continue }
      _ = try objects.map(of: next)
      if next._$state.flags.contains(.fresh) { next.settle() }
      found.append(next)
      var collector = LinkCollector()
      next._$visit(&collector)
      waiting += collector.found.reversed()
    }
    for one in found { try adopt(one, objects.map(of: one)) }
    // The members of each list, so that none is added twice.
    var members: [LinkKey: Set<UInt64>] = [:]
    if let list { members[list] = [object._$state.row] }
    var adopted: [LoadedList] = []
    for one in found { adoptLists(one, &members, adopted: &adopted) }
    var mayShow = !adopted.isEmpty
    for one in found {
      guard let origin = one._$state.origin as? RowOrigin else { continue }
      let own = one._$state.row
      for case .some(let relation) in store.relations[origin.map.number] where !relation.isList {
        let isHeard = adoptReference(one, relation, origin: origin) { row in
          guard let inverse = relation.inverse else { return false }
          return members[LinkKey(map: relation.home, row: row, property: inverse)]?.contains(own) == true
        }
        if isHeard { mayShow = true }
      }
    }
    // A member of a list that the program wrote keeps its place there, even if its own reference
    // names the owner.
    let former = ledger.beginAdoption(members)
    defer { ledger.endAdoption(former) }
    // Another list that is being changed may have hidden it before it was compared.
    for list in adopted {
      show(list)
      agreeWhole(list)
    }
    if mayShow { hideAgain() }
  }

  /// From here on the context manages the object's lists. It records their members; empty lists are
  /// loaded when the program reads them.
  private func adoptLists(
    _ object: any _ModelObject, _ known: inout [LinkKey: Set<UInt64>], adopted: inout [LoadedList]
  ) {
    guard let origin = object._$state.origin as? RowOrigin else { return }
    for case .some(let relation) in store.relations[origin.map.number] where relation.isList {
      let slot = object.many(relation.property)
      guard let members = slot.members, !members.isEmpty else {
        slot.members = nil
        continue
      }
      let key = LinkKey(object, origin, property: relation.property)
      let list = LoadedList(key, object, relation: relation, rows: [])
      keep(list)
      known[key] = Set(members.map { model($0, relation)._$state.row })
      adopted.append(list)
    }
  }
}
