internal import RoostRecords

/// Looks for an object with the same unique values before a save.
extension Saver {
  /// The stored object that has unique values of this one; nil if there is none, or if it is this
  /// object.
  func existing(like object: any _ModelObject) throws -> (any _ModelObject)? {
    try follower.advance()
    let map = try objects.map(of: object)
    guard let (row, _) = try row(like: object, map), row != object._$state.row || object._$state.origin == nil else {
      return nil
    }
    return try links.find(store.maps[map.home], RowID(row))
  }

  /// Throws if an object, or one that would be inserted with it, has the unique values of a stored
  /// or unsaved object.
  func checkUnique(_ object: any _ModelObject) throws {
    try follower.advance()
    var seen: Set<ObjectIdentifier> = []
    var waiting: [any _ModelObject] = [object]
    while let next = waiting.popLast() {
      guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
      if next !== object, next._$state.origin != nil { continue }
      try checkUniqueNow(next)
      if next._$state.origin != nil { continue }
      var collector = LinkCollector()
      next._$visit(&collector)
      waiting += collector.found
    }
  }

  private func checkUniqueNow(_ object: any _ModelObject) throws {
    let map = try objects.map(of: object)
    let own = object._$state.row
    if let (row, index) = try row(like: object, map), row != own { throw likeness(object, map, row: row, index: index) }
    let uniques = store.uniques(of: map)
    if uniques.isEmpty { return }
    let values = try self.values(of: object, map)
    for index in uniques {
      guard let wanted = index.uniqueValues(values) else { continue }
      if let row = try pendingRow(like: wanted, index, map, own: own) {
        throw likeness(object, map, row: row, index: index)
      }
    }
  }

  /// The row of an unsaved object that has these values.
  private func pendingRow(like wanted: [Value], _ index: Index, _ map: EntityMap, own: UInt64) throws -> UInt64? {
    for other in changes.changed where other.entityMap?.home == map.home && other._$state.row != own {
      let flags = other._$state.flags
      guard flags.contains(.changed), flags.isDisjoint(with: [.inserted, .deleted, .gone]) else { continue }
      if try has(other, wanted, index: index) { return other._$state.row }
    }
    for isAgain in [false, true] {
      try notePendingUniques()
      guard let row = changes.uniques.rows[PendingUniques.Key(index: index.id, values: wanted)], row != own else {
        return nil
      }
      if let other = objects.registered(store.maps[map.home], RowID(row)), other._$state.flags.contains(.inserted),
        !other._$state.flags.contains(.deleted), try has(other, wanted, index: index)
      {
        return row
      }
      // The object was deleted, or changed without its setter: another object may have the values.
      if !isAgain { changes.uniques = PendingUniques() }
    }
    return nil
  }

  private func has(_ object: any _ModelObject, _ wanted: [Value], index: Index) throws -> Bool {
    guard let map = object.entityMap, store.uniques(of: map).contains(where: { $0.id == index.id }) else {
      return false
    }
    let values = try self.values(of: object, map)
    return index.uniqueValues(values) == wanted
  }

  /// Records the unique values of objects that were inserted since the last call. Later their
  /// setters report changes.
  private func notePendingUniques() throws {
    if changes.uniques.count > changes.inserted.count { changes.uniques = PendingUniques() }
    for object in changes.inserted[changes.uniques.count...] {
      changes.uniques.count += 1
      let flags = object._$state.flags
      guard flags.contains(.inserted), !flags.contains(.deleted), let map = object.entityMap else { continue }
      let uniques = store.uniques(of: map)
      if uniques.isEmpty { continue }
      let values = try self.values(of: object, map)
      for index in uniques {
        guard let own = index.uniqueValues(values) else { continue }
        let key = PendingUniques.Key(index: index.id, values: own)
        if changes.uniques.rows[key] == nil { changes.uniques.rows[key] = object._$state.row }
      }
      // Setters of references report changes in any case.
      var bits = try uniqueBits(map)
      for case .some(let relation) in store.relations[map.number] { bits &= ~_ModelState.bit(relation.property) }
      object._$state.changed &= ~bits
    }
  }

  /// The bits of a class's properties that are part of a unique constraint.
  func uniqueBits(_ map: EntityMap) throws -> UInt64 {
    if let known = changes.uniques.bits[map.number] { return known }
    let unique = Set(store.uniques(of: map).flatMap(\.fields))
    var bits: UInt64 = 0
    for (bit, fields) in try objects.fields(map) where fields.contains(where: unique.contains) {
      bits |= 1 << UInt64(bit)
    }
    changes.uniques.bits[map.number] = bits
    return bits
  }

  private func likeness(_ object: any _ModelObject, _ map: EntityMap, row: UInt64, index: Index) -> GraphFault {
    let names = index.parts.compactMap { map.entity.field($0.field)?.name }.joined(separator: ", ")
    let other = ObjectName(map.type.name, row)
    let own = object._$state.row
    return GraphFault(
      .notUnique, "\(other) already has this unique value: change that object instead",
      entity: map.type.name, row: own == 0 ? nil : own, property: names, others: [other])
  }

  /// The unique values of an object, index by index.
  func uniqueValues(of object: any _ModelObject, _ map: EntityMap) throws -> [[Value?]] {
    let values = try values(of: object, map)
    return store.uniques(of: map).map { index in index.fields.sorted().map { values[$0] } }
  }

  private func row(like object: any _ModelObject, _ map: EntityMap) throws -> (UInt64, Index)? {
    let uniques = store.uniques(of: map)
    if uniques.isEmpty { return nil }
    let table = try session.table(map)
    let values = try values(of: object, map)
    for index in uniques {
      guard let wanted = index.uniqueValues(values) else { continue }
      guard let row = try table.row(unique: index.name, wanted) else { continue }
      // A row that is marked for deletion, or has other values here, does not conflict.
      if links.isDoomed(map.home, row.number) { continue }
      if let known = objects.registered(store.maps[map.home], row) {
        if known._$state.flags.contains(.deleted) { continue }
        if known !== object, known._$state.flags.contains(.changed) {
          let now = try self.values(of: known, known.entityMap ?? map)
          if index.uniqueValues(now) != wanted { continue }
        }
      }
      return (row.number, index)
    }
    return nil
  }

  /// The values of an object in the fields of unique constraints.
  func values(of object: any _ModelObject, _ map: EntityMap) throws -> [FieldID: Value] {
    if let origin = object._$state.origin as? RowOrigin, object._$state.flags.contains(.fault) {
      objects.fill(object, origin)
    }
    let box = sink(map)
    box.sink.clear()
    object._$encode(into: &box.sink)
    if let failure = box.sink.failure { throw failure }
    let fields = Set(store.uniques(of: map).flatMap(\.fields)).sorted()
    let values = try session.table(map).values(fields, of: RowID(object._$state.row), in: box.sink.builder)
    return Dictionary(zip(fields, values)) { first, _ in first }
  }
}

extension GraphStore {
  func uniques(of map: EntityMap) -> [Index] { uniqueIndexes[map.number] }
}
