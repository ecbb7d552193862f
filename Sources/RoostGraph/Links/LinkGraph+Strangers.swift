internal import RoostRecords

/// Handles members of classes that the program does not know: they are not shown, and stay.
extension LinkGraph {
  /// Whether a row exists but is of a class that the program does not know.
  func isStranger(_ row: RowID, _ relation: Relation) throws -> Bool {
    let map = store.maps[relation.target]
    guard map.family != nil, objects.registered(store.maps[map.home], row) == nil,
      !isDoomed(map.home, row.number)
    else { return false }
    return try session.table(map).contains(row)
  }

  /// Finds the strangers among a list's rows.
  func noteStrangers(_ rows: [UInt64], _ list: LoadedList) throws {
    list.strangers = []
    if store.maps[list.relation.target].family == nil { return }
    var last: UInt64?
    for row in rows {
      if try isStranger(RowID(row), list.relation) { list.strangers.append((row, last)) } else { last = row }
    }
  }
}
