internal import RoostRecords

/// Rolls changes back.
///
/// New objects have no context again. An object that the program holds gets its references back:
/// its slots hold the other objects themselves, as before it was inserted. New objects that neither
/// the program nor such an object references are released; objects that reference each other would
/// otherwise never be freed.
extension LinkGraph {
  /// Rolls all changes back: new objects have no context again, and changed ones become faults.
  func giveUp() {
    settle()
    objects.forgetInvalid()
    var new = changes.inserted.filter { $0._$state.flags.contains(.inserted) }
    let members = newMembers(new)
    // Now, not after the call, so that `holdOthers` finds the new objects that the program still
    // holds.
    session.endNow(takeChanges())
    holdOthers(&new, members)
    for object in new { letGo(object) }
  }

  /// Empties all collections of changes and returns their contents.
  private func takeChanges() -> [Any] {
    var held: [Any] = []
    for object in changes.changed + changes.deleted where !object._$state.flags.contains(.gone) {
      held += giveUp(object)
    }
    held += session.takeReleased()
    held += changes.take()
    held += takeLinks()
    objects.forgetSingles()
    return held + objects.takeKept()
  }

  /// Resets a stored object to its row and returns the objects that its slots held.
  private func giveUp(_ object: any _ModelObject) -> [Any] {
    let flags = object._$state.flags
    if flags.contains(.inserted) { return [] }
    object._$state.flags.remove([.changed, .deleted])
    object._$state.changed = 0
    if session.isShut { return [] }
    if changes.mayDangle, isDeletedElsewhere(object) {
      object.markGone()
      return []
    }
    if isLent(object) {
      giveUpRest(object)
      return []
    }
    let held = object._$forget()
    object._$state.flags.insert(.fault)
    session.notify(object, nil)
    return held
  }

  /// Whether another context deleted an object's row. Then the object keeps its values, because no
  /// row has others.
  private func isDeletedElsewhere(_ object: any _ModelObject) -> Bool {
    guard let origin = object._$state.origin as? RowOrigin else { return false }
    return (try? session.table(origin.map).contains(RowID(object._$state.row))) == false
  }

  private func isLent(_ object: any _ModelObject) -> Bool { !object._$state.flags.isDisjoint(with: .lent) }

  /// A value that is being changed in place counts as changed when the change ends; all other
  /// values are those of the row.
  private func giveUpRest(_ object: any _ModelObject) {
    guard let origin = object._$state.origin as? RowOrigin else { return }
    var lent: UInt64 = 0
    for (number, property) in origin.map.type.properties.enumerated() {
      if case .value = property.storage, !property.isByHand, !object._$isFilled(number) {
        lent |= _ModelState.bit(number)
      }
    }
    object._$state.changed = lent
    objects.fillUnchanged(object, origin)
    object._$state.changed = 0
  }

  // MARK: New objects

  /// The members of new objects' lists, by object and property.
  private func newMembers(_ new: [any _ModelObject]) -> [LinkKey: [UInt64]] {
    if ledger.lists.isEmpty && ledger.edits.isEmpty { return [:] }
    var found: [LinkKey: [UInt64]] = [:]
    for object in new {
      guard let origin = object._$state.origin as? RowOrigin else { continue }
      for case .some(let relation) in store.relations[origin.map.number] where relation.isList {
        let key = LinkKey(object, origin, property: relation.property)
        let rows = ledger.lists[key]?.linked ?? ledger.edits[key]?.added ?? []
        if !rows.isEmpty { found[key] = rows }
      }
    }
    return found
  }

  /// Makes the new objects that the program holds hold the objects that they reference, and so on.
  private func holdOthers(_ new: inout [any _ModelObject], _ members: [LinkKey: [UInt64]]) {
    // Optional, because the compiler would pass a copy of an unwrapped existential.
    var objects: [AnyObject?] = new.map { $0 as AnyObject }
    let count = objects.count
    new = []
    var waiting: [any _ModelObject] = []
    var seen: Set<ObjectIdentifier> = []
    for at in 0..<count where !isKnownUniquelyReferenced(&objects[at]) {
      if let object = objects[at] as? any _ModelObject, seen.insert(ObjectIdentifier(object)).inserted {
        waiting.append(object)
      }
    }
    while let next = waiting.popLast() {
      guard let origin = next._$state.origin as? RowOrigin else { continue }
      for case .some(let relation) in store.relations[origin.map.number] {
        for other in hold(next, relation, origin: origin, members: members)
        where other._$state.flags.contains(.inserted) && seen.insert(ObjectIdentifier(other)).inserted {
          waiting.append(other)
        }
      }
    }
    for object in objects {
      guard let object = object as? any _ModelObject else { continue }
      if !seen.contains(ObjectIdentifier(object)) { forgetLinks(of: object) }
      new.append(object)
    }
  }

  /// Puts the objects that a relationship of a new object refers to into its slot.
  private func hold(
    _ object: any _ModelObject, _ relation: Relation, origin: RowOrigin, members: [LinkKey: [UInt64]]
  ) -> [any _ModelObject] {
    if relation.isList {
      let rows = members[LinkKey(object, origin, property: relation.property)] ?? []
      let found = rows.compactMap { partner($0, relation) }
      // A list that is moved out comes back by itself.
      if !isLent(object) { _ = object.many(relation.property).replace(found.map { $0 as AnyObject }) }
      return found
    }
    let slot = object.one(relation.property)
    guard RowNumber.leads(slot.row) else {
      slot.hold(nil)
      return []
    }
    var other = partner(slot.row, relation)
    if other == nil, !origin.map.type.mayBeNil(relation.property) {
      other = objects.deadObject(store.maps[relation.target], RowID(slot.row))
    }
    slot.hold(other)
    return other.map { [$0] } ?? []
  }

  /// The object of a row, whether or not it was marked for deletion.
  private func partner(_ row: UInt64, _ relation: Relation) -> (any _ModelObject)? {
    let target = store.maps[relation.target]
    if let known = objects.registered(target, RowID(row)) { return known }
    do { return try objects.readOne(row, self.objects.origin(target)) } catch {
      // The next save throws the error, unless the context is closed.
      if !session.isClosed { objects.fail(error) }
      return nil
    }
  }

  private func forgetLinks(of object: any _ModelObject) {
    guard let origin = object._$state.origin as? RowOrigin else { return }
    for case .some(let relation) in store.relations[origin.map.number] where !relation.isList {
      object.one(relation.property).hold(nil)
    }
  }

  private func letGo(_ object: any _ModelObject) {
    if let origin = object._$state.origin as? RowOrigin {
      origin.objects.remove(object._$state.row, object._$state.ticket)
    }
    object.makeValues()
    object._$state.origin = nil
    object._$state.row = 0
    object._$state.changed = 0
    object._$state.flags.remove([.managed, .inserted, .changed, .deleted, .gone, .invalid])
    object._$state.flags.insert(.observed)
  }
}
