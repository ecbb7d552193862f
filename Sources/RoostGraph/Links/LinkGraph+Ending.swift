internal import RoostRecords

/// Handles lists of objects whose `deinit` runs, and lists that were rolled back while the program
/// had moved them out.
extension LinkGraph {
  /// Puts a list into the slot of an object whose `deinit` runs, or which the program kept from a
  /// bulk write, and records nothing. The program has not changed the list: a changed list would be
  /// kept, and changes of such a copy have no effect.
  func showOnce(_ object: any _ModelObject, _ relation: Relation) {
    var members: [AnyObject] = []
    if let origin = object._$state.origin as? RowOrigin, objects.isUnlisted(origin, object) {
      return session.release(object.many(relation.property).replace([]) ?? [])
    }
    objects.attempt {
      guard let side = try session.snapshot().catalog.relationship(relation.way.id) else { return }
      for row in try session.snapshot().links(side).rows(of: RowID(object._$state.row)) {
        if let member = try member(relation.target, row.number) { members.append(member) }
      }
    }
    session.release(object.many(relation.property).replace(members) ?? [])
  }

  /// Records the program's change of a list that was rolled back or unloaded during the change, as
  /// if it began now.
  func regain(_ object: any _ModelObject, _ relation: Relation, origin: RowOrigin) {
    if session.isClosed || object.isUnreadable || isEnding(object) { return }
    let slot = object.many(relation.property)
    let new = slot.take()
    load(object, relation, origin: origin)
    guard let list = ledger.lists[LinkKey(object, origin, property: relation.property)] else { return }
    hideOthers(list)
    noteUnsettled(list)
    session.release(slot.replace(new) ?? [])
    settle(relation.pair)
  }
}
