internal import RoostRecords

/// Lists of objects that end, and lists that a program had moved out when they were given up.
extension LinkGraph {
  /// Puts a list into the slot of an object that ends, and notes nothing of it. Nobody has changed it: else it would be kept.
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

  /// Takes up what a user made of a list that was given up, or unloaded, while he was at it: it is as if he began now.
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
