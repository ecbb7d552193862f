internal import RoostRecords

/// The names of objects and rows in errors.
extension ObjectTable {
  func name(_ object: any _ModelObject) -> ObjectName {
    ObjectName(type(of: object)._$type.name, object._$state.row)
  }

  func name(_ key: LinkKey) -> ObjectName { ObjectName(map(of: key).type.name, key.row) }

  func name(_ row: RowName) -> ObjectName {
    guard let home = store.map(of: row.entity) else { return ObjectName("?", row.row.number) }
    return name(LinkKey(map: home.number, row: row.row.number, property: 0))
  }
}
