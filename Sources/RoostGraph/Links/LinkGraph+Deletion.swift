internal import RoostFile
internal import RoostRecords

/// Deletes objects and follows the delete rules of their relationships.
extension LinkGraph {
  /// Marks an object for deletion by the next save, with the objects that its delete rules include.
  /// That is visible at once. An object without a row is only removed. The save checks whether a
  /// rule forbids the deletion.
  func delete(_ object: any _ModelObject) throws {
    guard let origin = try objects.origin(of: object) else {
      throw GraphFault(
        .foreign, "the object has no context, so there is nothing to delete", entity: type(of: object)._$type.name)
    }
    // A deleted object has no row to delete.
    if object._$state.flags.contains(.gone) { return }
    settle()
    try fetchFollowers(of: object, origin)
    var waiting = [(row: LinkKey(object, origin), owner: LinkKey?.none)]
    var seen: Set<LinkKey> = []
    while let (next, owner) = waiting.popLast() {
      guard seen.insert(next).inserted else { continue }
      let map = store.maps[next.map]
      // A watcher of changes needs all of them as objects. So does a class that validates its
      // deletions.
      let needsObject = changes.isWatched || store.judgedHomes.contains(map.home)
      let known = try objects.registered(map, RowID(next.row)) ?? (needsObject ? live(next.map, next.row) : nil)
      for row in try followers(next, known) { waiting.append((row, next)) }
      if let known { mark(known) }
      deletions.mark(next, with: owner, hasObject: known != nil)
      session.noteChange()
    }
  }

  /// Fetches the lists of an object and of the objects deleted with it, before any is marked: an
  /// error changes nothing.
  private func fetchFollowers(of object: any _ModelObject, _ origin: RowOrigin) throws {
    guard let loadRows else { return }
    var level = [LinkKey(object, origin)]
    var seen = Set(level)
    while !level.isEmpty {
      try loadRows(level.map { (store.maps[$0.map], $0.row) }, true)
      var next: [LinkKey] = []
      for key in level {
        for row in try followers(key, objects.registered(store.maps[key.map], RowID(key.row)))
        where seen.insert(row).inserted {
          next.append(row)
        }
      }
      level = next
    }
  }

  private func mark(_ object: any _ModelObject) {
    let flags = object._$state.flags
    guard !flags.contains(.deleted), let origin = object._$state.origin as? RowOrigin else { return }
    // Its last values stay readable.
    if flags.contains(.fault) { fetchValues(of: object, origin) }
    if object._$state.flags.contains(.fault) { objects.fill(object, origin) }
    objects.makeValuesOutside(object)
    changes.willDelete(object)
    leaveLists(object, origin)
    object._$state.flags.insert(.deleted)
    if flags.contains(.inserted) {
      object._$state.flags.insert(.gone)
      deletions.noteUnborn(LinkKey(object, origin))
      changes.mayDangle = true
    } else {
      changes.noteDeletion(object)
    }
  }

  /// Finds the rows that are deleted with a row.
  private func followers(_ key: LinkKey, _ object: (any _ModelObject)?) throws -> [LinkKey] {
    var found: [LinkKey] = []
    for case .some(let relation) in store.relations[objects.map(of: key).number] where relation.deleteRule == .cascade {
      for row in try rows(key, object, relation: relation) {
        found.append(LinkKey(map: relation.home, row: row, property: 0))
      }
    }
    return found
  }

  /// The rows that a relationship refers to, with unsaved changes.
  func rows(_ key: LinkKey, _ object: (any _ModelObject)?, relation: Relation) throws -> [UInt64] {
    if let object, let origin = object._$state.origin as? RowOrigin {
      if !relation.isList { return try leading(object, relation, origin: origin).map { [$0] } ?? [] }
      if let list = ledger.lists[LinkKey(object, origin, property: relation.property)] { return list.linked }
    }
    let edit = ledger.edits[LinkKey(map: key.map, row: key.row, property: relation.property)]
    var rows: [UInt64] = []
    if object?._$state.flags.contains(.inserted) != true {
      for row in try stored(key, relation) where edit?.removed.contains(row) != true { rows.append(row) }
    }
    return rows + (edit?.added ?? [])
  }

  /// The rows that a relationship refers to in the snapshot.
  func stored(_ key: LinkKey, _ relation: Relation) throws -> [UInt64] {
    guard let side = try session.snapshot().catalog.relationship(relation.way.id) else { return [] }
    if case .reference = relation.way {
      let table = try session.table(store.maps[key.map])
      guard let access = try? table.access(side.name) else { return [] }
      let value = try table.withRow(RowID(key.row)) { (row) throws(StoreError) in try table.value(access, row) }
      if case .reference(let row)? = value { return [row.number] }
      return []
    }
    return try session.snapshot().links(side).rows(of: RowID(key.row)).map(\.number)
  }
}
