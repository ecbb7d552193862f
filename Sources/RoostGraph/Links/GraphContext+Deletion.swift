internal import RoostFile
internal import RoostRecords

/// Deleting objects, with what their relationships say of others.
extension GraphContext {
  /// Deletes an object at the next save, and those that its rules take along; that is visible at once. An object that has no
  /// row yet is simply let go. Whether a rule forbids it is found out at the save.
  package func delete(_ object: any _ModelObject) throws { try call(.deleting) { try deleteNow(object) } }

  private func deleteNow(_ object: any _ModelObject) throws {
    guard let origin = try origin(of: object) else {
      throw GraphFault(
        .foreign, "the object is in no context, so there is nothing to delete", entity: type(of: object)._$type.name)
    }
    settle()
    var waiting = [LinkKey(map: origin.map.home, row: object._$state.row, property: 0)]
    var seen: Set<LinkKey> = []
    while let next = waiting.popLast() {
      guard seen.insert(next).inserted else { continue }
      let map = store.maps[next.map]
      let known = registered(map, RowID(next.row))
      try follow(next, known, &waiting)
      if let known { mark(known) } else { links.doomed.insert(next) }
    }
  }

  private func mark(_ object: any _ModelObject) {
    let flags = object._$state.flags
    guard !flags.contains(.deleted), let origin = object._$state.origin as? RowOrigin else { return }
    // Its last values stay readable.
    if flags.contains(.fault) { fill(object, origin) }
    leaveLists(object, origin)
    object._$state.flags.insert(.deleted)
    if flags.contains(.inserted) {
      object._$state.flags.insert(.gone)
      mayDangle = true
    } else {
      deleted.append(object)
    }
  }

  /// Takes a deletion back that was not saved. What it took along by its rules is taken back by itself.
  ///
  /// - Parameter list: one to which the object comes anyway.
  func takeBack(_ object: any _ModelObject, _ list: LinkKey?) {
    object._$state.flags.remove(.deleted)
    deleted.removeAll { $0 === object }
    guard let origin = object._$state.origin as? RowOrigin else { return }
    // It stands again in the lists that it left.
    for (property, one) in lists(of: object, origin) where one.key != list {
      if !one.rows.contains(object._$state.row) { edit(one.owner, property, object, adds: true) }
    }
  }

  /// The loaded lists of others in which an object stands, or stood before its deletion, each with its property.
  private func lists(of object: any _ModelObject, _ origin: RowOrigin) -> [(property: Int, list: LoadedList)] {
    var found: [(property: Int, list: LoadedList)] = []
    for case .some(let relation) in store.relations[origin.map.number] {
      guard relation.isInverseList, let inverse = relation.inverse else { continue }
      let key = LinkKey(map: origin.map.home, row: object._$state.row, property: 0)
      guard let rows = need(object, { try rows(key, object, relation) }) else { continue }
      for row in rows {
        guard let list = links.lists[LinkKey(map: relation.home, row: row, property: inverse)] else { continue }
        found.append((inverse, list))
      }
    }
    return found
  }

  /// Finds the rows that go with one.
  private func follow(_ key: LinkKey, _ object: (any _ModelObject)?, _ waiting: inout [LinkKey]) throws {
    for case .some(let relation) in store.relations[map(of: key).number] where relation.deleteRule == .cascade {
      for row in try rows(key, object, relation) {
        waiting.append(LinkKey(map: relation.home, row: row, property: 0))
      }
    }
  }

  private func rows(_ key: LinkKey, _ object: (any _ModelObject)?, _ relation: Relation) throws -> [UInt64] {
    if let object, let origin = object._$state.origin as? RowOrigin {
      if !relation.isList { return try leading(object, relation, origin).map { [$0] } ?? [] }
      if let list = links.lists[self.key(object, origin, relation.property)] { return list.rows }
    }
    let edit = links.edits[LinkKey(map: key.map, row: key.row, property: relation.property)]
    var rows: [UInt64] = []
    if object?._$state.flags.contains(.inserted) != true {
      for row in try stored(key, relation) where edit?.removed.contains(row) != true { rows.append(row) }
    }
    return rows + (edit?.added ?? [])
  }

  /// Where a row of the snapshot leads.
  func stored(_ key: LinkKey, _ relation: Relation) throws -> [UInt64] {
    guard let side = try snapshot().catalog.relationship(relation.way.id) else { return [] }
    if case .reference = relation.way {
      let table = try table(store.maps[key.map])
      guard let access = try? table.access(side.name) else { return [] }
      let value = try table.withRow(RowID(key.row)) { (row) throws(StoreError) in try table.value(access, row) }
      if case .reference(let row)? = value { return [row.number] }
      return []
    }
    return try snapshot().links(side).rows(of: RowID(key.row)).map(\.number)
  }

  /// Takes an object out of the loaded lists of others.
  private func leaveLists(_ object: any _ModelObject, _ origin: RowOrigin) {
    for (_, list) in lists(of: object, origin) { drop(object, from: list) }
  }
}
