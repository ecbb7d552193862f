internal import RoostRecords

/// Looking for an object with the same unique values before anything is saved.
extension GraphContext {
  /// The stored object that has unique values of this one; nil if there is none, or if it is this one itself.
  package func existing(like object: any _ModelObject) throws -> (any _ModelObject)? {
    try call(.reading) {
      try advance()
      let map = try map(of: object)
      guard let (row, _) = try row(like: object, map), row != object._$state.row || object._$state.origin == nil else {
        return nil
      }
      return try existing(store.maps[map.home], RowID(row))
    }
  }

  /// Throws where an object has unique values of a stored one, or of one that waits to be saved.
  package func checkUnique(_ object: any _ModelObject) throws { try call(.reading) { try checkUniqueNow(object) } }

  private func checkUniqueNow(_ object: any _ModelObject) throws {
    try advance()
    let map = try map(of: object)
    let own = object._$state.row
    if let (row, index) = try row(like: object, map), row != own { throw likeness(object, map, row, index) }
    let uniques = store.uniques(of: map)
    if uniques.isEmpty { return }
    let values = try self.values(of: object, map)
    for other in inserted + changed where other !== object && other.entityMap?.home == map.home {
      let flags = other._$state.flags
      guard flags.isPending, !flags.contains(.deleted) else { continue }
      let others = try self.values(of: other, other.entityMap ?? map)
      for index in uniques {
        let (one, two) = (index.parts.map { values[$0.field] }, index.parts.map { others[$0.field] })
        if one == two, !one.contains(nil), !one.contains(.null) {
          throw likeness(object, map, other._$state.row, index)
        }
      }
    }
  }

  private func likeness(_ object: any _ModelObject, _ map: EntityMap, _ row: UInt64, _ index: Index) -> GraphFault {
    let names = index.parts.compactMap { map.entity.field($0.field)?.name }.joined(separator: ", ")
    let other = ObjectName(map.type.name, row)
    let own = object._$state.row
    return GraphFault(
      .notUnique, "\(other) has the same value already, and only one may have it: change that one instead",
      entity: map.type.name, row: own == 0 ? nil : own, property: names, others: [other])
  }

  private func row(like object: any _ModelObject, _ map: EntityMap) throws -> (UInt64, Index)? {
    let uniques = store.uniques(of: map)
    if uniques.isEmpty { return nil }
    let table = try table(map)
    let values = try values(of: object, map)
    for index in uniques {
      let wanted = index.parts.compactMap { values[$0.field] }
      if wanted.count < index.parts.count || wanted.contains(.null) { continue }
      guard let row = try table.row(unique: index.name, wanted) else { continue }
      // What waits for its deletion, or was changed here, stands in nobody's way.
      if let known = registered(store.maps[map.home], row) {
        if known._$state.flags.contains(.deleted) { continue }
        if known !== object, known._$state.flags.contains(.changed) {
          let now = try self.values(of: known, known.entityMap ?? map)
          if index.parts.map({ now[$0.field] }) != index.parts.map({ values[$0.field] }) { continue }
        }
      }
      return (row.number, index)
    }
    return nil
  }

  /// An object's values as its row would have them.
  private func values(of object: any _ModelObject, _ map: EntityMap) throws -> [FieldID: Value] {
    if let origin = object._$state.origin as? RowOrigin, object._$state.flags.contains(.fault) { fill(object, origin) }
    let box = sink(map)
    box.sink.clear()
    object._$encode(into: &box.sink)
    if let failure = box.sink.failure { throw failure }
    let fields = map.entity.fields.map(\.id)
    let values = try table(map).values(fields, of: RowID(object._$state.row), in: box.sink.builder)
    return Dictionary(zip(fields, values)) { first, _ in first }
  }
}

extension GraphStore {
  func uniques(of map: EntityMap) -> [Index] { uniqueIndexes[map.number] }
}
