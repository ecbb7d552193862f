internal import CRetain
internal import RoostRecords

/// Objects that end. A user's `deinit` may read its object, and even change it; but whoever keeps it then keeps memory that is given
/// back behind the `deinit`.
extension GraphContext {
  /// Whether the last reference to an object is gone, so that it must not be kept.
  func isGoing(_ object: any _ModelObject) -> Bool {
    guard let memory = swift_tryRetain(Unmanaged.passUnretained(object as AnyObject).toOpaque()) else { return true }
    Unmanaged<AnyObject>.fromOpaque(memory).release()
    return false
  }

  /// Puts a list into the slot of an object that ends, and notes nothing of it. Nobody has changed it: else it would be kept.
  func showOnce(_ object: any _ModelObject, _ relation: Relation) {
    var members: [AnyObject] = []
    attempt {
      guard let side = try snapshot().catalog.relationship(relation.way.id) else { return }
      for row in try snapshot().links(side).rows(of: RowID(object._$state.row)) {
        if let member = try member(relation.target, row.number) { members.append(member) }
      }
    }
    releaseLater(object.many(relation.property).replace(members) ?? [])
  }

  /// Takes up what a user made of a list that was given up, or unloaded, while he was at it: it is as if he began now.
  func regain(_ object: any _ModelObject, _ relation: Relation, _ origin: RowOrigin) {
    if isClosed || object.isUnreadable || isGoing(object) { return }
    let slot = object.many(relation.property)
    let new = slot.take()
    load(object, relation, origin)
    guard let list = links.lists[key(object, origin, relation.property)] else { return }
    hideOthers(list)
    list.isUnsettled = true
    releaseLater(links.unsettled.put(list, relation.pair))
    releaseLater(slot.replace(new) ?? [])
    settle(relation.pair)
  }
}
