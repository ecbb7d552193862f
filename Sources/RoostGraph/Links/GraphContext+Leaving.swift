internal import RoostRecords

/// Leaving the lists of others with a deletion, and coming back where that is taken back before a save.
extension GraphContext {
  /// Takes an object out of the loaded lists of others.
  func leaveLists(_ object: any _ModelObject, _ origin: RowOrigin) {
    let row = object._$state.row
    for list in lists(of: object, origin) where list.rows.contains(row) {
      drop(object, from: list)
      noteLeft(RowID(row), list.key, list.relation)
    }
  }

  /// Records that a one-way list lacks a row marked for deletion. The row has no inverse that would tell, and the stored list still has
  /// rows that the program removed.
  func noteLeft(_ row: RowID, _ list: LinkKey, _ relation: Relation) {
    if relation.inverse != nil { return }
    links.left[LinkKey(map: relation.home, row: row.number, property: 0), default: []].append(list)
  }

  /// Whether it was deleted before it ever was saved, and no save came since.
  func isUnborn(_ object: any _ModelObject) -> Bool {
    guard !links.unborn.isEmpty, let origin = object._$state.origin as? RowOrigin else { return false }
    return links.unborn.contains(key(object, origin))
  }

  /// Takes a deletion back that was not saved, with what it took along by its rules.
  ///
  /// - Parameter list: one to which the object comes anyway.
  func takeBack(_ object: any _ModelObject, _ list: LinkKey?) {
    guard let origin = object._$state.origin as? RowOrigin else { return }
    let own = key(object, origin)
    var waiting = [own]
    var back: Set<ObjectIdentifier> = []
    var isUnloaded = false
    while let next = waiting.popLast() {
      if next != own, isTakenElsewhere(next) { continue }
      links.alsoTaken[next] = nil
      waiting += links.taken.removeValue(forKey: next) ?? []
      let map = store.maps[next.map]
      if links.doomed.remove(next) != nil {
        // Lists that were read meanwhile lack it, so there must be an object that can come in again.
        let one = try? readOne(next.row, self.origin(map), isAlone: false)
        if let one, comeBack(one, next, but: list) { isUnloaded = true }
        continue
      }
      guard let one = registered(map, RowID(next.row)), one._$state.flags.contains(.deleted) else { continue }
      one._$state.flags.remove(links.unborn.remove(next) == nil ? .deleted : [.deleted, .gone])
      back.insert(ObjectIdentifier(one))
      if comeBack(one, next, but: list) { isUnloaded = true }
    }
    let staying = deleted.filter { !back.contains(ObjectIdentifier($0)) }
    releaseLater(exchange(&deleted, with: staying))
    if isUnloaded { tidy() }
  }

  /// Whether something else that is still to be deleted takes a row along; then it goes with that from here on.
  private func isTakenElsewhere(_ row: LinkKey) -> Bool {
    while let other = links.alsoTaken[row]?.popLast() {
      if other == row { return true }
      let isDeleted =
        links.doomed.contains(other)
        || registered(store.maps[other.map], RowID(other.row))?._$state.flags.contains(.deleted) == true
      if !isDeleted { continue }
      links.taken[other, default: []].append(row)
      return true
    }
    return false
  }

  /// Brings an object into the lists again that it left; says whether some must be read for that.
  private func comeBack(_ object: any _ModelObject, _ key: LinkKey, but list: LinkKey?) -> Bool {
    guard let origin = object._$state.origin as? RowOrigin else { return false }
    var all = lists(of: object, origin).filter { $0.relation.inverse != nil }
    for key in links.left.removeValue(forKey: key) ?? [] {
      if let left = links.lists[key], !all.contains(where: { $0 === left }) { all.append(left) }
    }
    var isUnloaded = false
    for one in all where one.key != list && !one.rows.contains(object._$state.row) {
      // Where nothing else was changed the store knows the place.
      if unloadList(one.key) {
        isUnloaded = true
      } else {
        edit(one.owner, one.key.property, object, adds: true)
      }
    }
    return isUnloaded
  }

  /// The loaded lists of others in which an object stands, or stood before its deletion.
  private func lists(of object: any _ModelObject, _ origin: RowOrigin) -> [LoadedList] {
    if links.lists.isEmpty { return [] }
    var found: [LoadedList] = []
    let key = key(object, origin)
    for case .some(let relation) in store.relations[origin.map.number] {
      guard relation.isInverseList, let inverse = relation.inverse else { continue }
      guard let rows = need(object, { try rows(key, object, relation) }) else { continue }
      for row in rows {
        if let list = links.lists[LinkKey(map: relation.home, row: row, property: inverse)] { found.append(list) }
      }
    }
    for way in store.oneWayLists(to: origin.map) {
      guard let owners = need(object, { try owners(of: key, way) }) else { continue }
      for row in owners {
        if let list = links.lists[LinkKey(map: way.owner, row: row, property: way.property)] { found.append(list) }
      }
    }
    // Of those with changes the store knows nothing.
    for list in links.oneWays.compactMap({ links.lists[$0] })
    where list.relation.home == origin.map.home && list.rows.contains(key.row) {
      if !found.contains(where: { $0 === list }) { found.append(list) }
    }
    return found
  }

  /// The rows that lead to one by a list of which the member knows nothing.
  func owners(of key: LinkKey, _ way: OneWay) throws -> [UInt64] {
    let catalog = try snapshot().catalog
    guard let side = catalog.relationship(way.id), let inverse = catalog.inverse(of: side) else { return [] }
    return try snapshot().links(inverse).rows(of: RowID(key.row)).map(\.number)
  }
}

/// A list that leads one way: its members do not say in whose it is.
struct OneWay: Sendable {
  /// The map that stands for the classes of its owners.
  var owner: Int
  var property: Int
  var id: RelationshipID
}
