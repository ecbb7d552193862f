internal import RoostRecords

/// Hides links of deleted objects, and shows them again if the deletion is undone before a save:
/// see ``LinkLedger``.
extension LinkGraph {
  /// Hides an object in the loaded lists of others.
  func leaveLists(_ object: any _ModelObject, _ origin: RowOrigin) {
    let row = object._$state.row
    for list in lists(of: object, origin) where list.contains(row) {
      drop(object, from: list)
      noteAbsent(row, list)
    }
  }

  /// Records that a list has a member that it does not show.
  func noteAbsent(_ row: UInt64, _ list: LoadedList) {
    guard list.absent.insert(row).inserted else { return }
    deletions.noteAbsence(LinkKey(map: list.relation.home, row: row, property: 0), in: list.key)
  }

  /// Whether a row is marked for deletion, and may come back.
  func awaitsDeletion(_ row: UInt64, _ relation: Relation) -> Bool {
    if let known = objects.registered(store.maps[relation.home], RowID(row)) {
      return known._$state.flags.contains(.deleted) && (!known._$state.flags.contains(.gone) || isUnborn(known))
    }
    return isDoomed(relation.home, row)
  }

  /// Whether it was deleted before it was ever saved, and there was no save since.
  func isUnborn(_ object: any _ModelObject) -> Bool {
    guard deletions.hasUnborn, let origin = object._$state.origin as? RowOrigin else { return false }
    return deletions.isUnborn(LinkKey(object, origin))
  }

  /// Undoes an unsaved deletion, with the objects that its delete rules included.
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - list: a list that the object is being added to.
  func takeBack(_ object: any _ModelObject, _ list: LinkKey?) {
    // The slot of an unsettled list differs from its rows. The given list may be in the middle of a
    // change.
    let pair = list.flatMap { ledger.lists[$0]?.relation.pair }
    for other in ledger.unsettled.pairs where other != pair { settle(other) }
    guard let origin = object._$state.origin as? RowOrigin else { return }
    let own = LinkKey(object, origin)
    deletions.forgetReasons(own)
    var waiting = [own]
    var back: Set<ObjectIdentifier> = []
    var isUnloaded = false
    while let next = waiting.popLast() {
      waiting += deletions.keep(next)
      let map = store.maps[next.map]
      if deletions.unmarkDoomed(next) {
        // Lists that were read meanwhile lack it, so there must be an object to add to them.
        let one = try? objects.readOne(next.row, self.objects.origin(map), isAlone: false)
        if let one, comeBack(one, next, but: list) { isUnloaded = true }
        continue
      }
      guard let one = objects.registered(map, RowID(next.row)), one._$state.flags.contains(.deleted) else { continue }
      one._$state.flags.remove(deletions.unmarkUnborn(next) ? [.deleted, .gone] : .deleted)
      back.insert(ObjectIdentifier(one))
      if comeBack(one, next, but: list) { isUnloaded = true }
    }
    changes.takeBackDeletions(back)
    if isUnloaded { tidy() }
  }

  /// Shows an object again in the lists that hide it; returns whether some were unloaded for that.
  private func comeBack(_ object: any _ModelObject, _ key: LinkKey, but list: LinkKey?) -> Bool {
    var isUnloaded = false
    for owner in deletions.takeAbsences(key) {
      guard let one = ledger.lists[owner], one.absent.remove(key.row) != nil, owner != list else { continue }
      // If the list has no other changes, the store knows the member's place.
      if unloadList(owner) {
        isUnloaded = true
      } else {
        edit(one.owner, owner.property, member: object, adds: true)
      }
    }
    return isUnloaded
  }

  /// Shows members that were added while the program had the list moved out.
  func showAbsent(_ list: LoadedList) {
    for row in list.absent.sorted() {
      guard let member = objects.registered(store.maps[list.relation.target], RowID(row)),
        !member._$state.flags.contains(.deleted)
      else { continue }
      list.absent.remove(row)
      edit(list.owner, list.key.property, member: member, adds: true)
    }
  }

  /// The loaded lists of other objects that contain an object.
  private func lists(of object: any _ModelObject, _ origin: RowOrigin) -> [LoadedList] {
    if ledger.lists.isEmpty { return [] }
    var found: [LoadedList] = []
    let key = LinkKey(object, origin)
    for case .some(let relation) in store.relations[origin.map.number] {
      guard relation.isInverseList, let inverse = relation.inverse else { continue }
      guard let rows = objects.need(object, { try rows(key, object, relation: relation) }) else { continue }
      for row in rows {
        if let list = ledger.lists[LinkKey(map: relation.home, row: row, property: inverse)] { found.append(list) }
      }
    }
    for way in store.oneWayLists(to: origin.map) {
      guard let owners = objects.need(object, { try owners(of: key, way) }) else { continue }
      for row in owners {
        if let list = ledger.lists[LinkKey(map: way.owner, row: row, property: way.property)] { found.append(list) }
      }
    }
    // The store does not know the changes of one-way lists.
    for list in ledger.oneWays.compactMap({ ledger.lists[$0] })
    where list.relation.home == origin.map.home && list.contains(key.row) {
      if !found.contains(where: { $0 === list }) { found.append(list) }
    }
    return found
  }

  /// The owners of one-way lists that contain a row.
  func owners(of key: LinkKey, _ way: OneWay) throws -> [UInt64] {
    let catalog = try session.snapshot().catalog
    guard let side = catalog.relationship(way.id), let inverse = catalog.inverse(of: side) else { return [] }
    return try session.snapshot().links(inverse).rows(of: RowID(key.row)).map(\.number)
  }
}
