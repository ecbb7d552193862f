internal import RoostRecords

/// Handles strangers: members of a list whose class the program does not know. The program does not
/// see them, and a save keeps them in the list.
extension LinkGraph {
  /// Whether a row exists but is of a class that the program does not know.
  func isStranger(_ row: RowID, _ relation: Relation) throws -> Bool {
    let map = store.maps[relation.target]
    guard map.family != nil, objects.registered(store.maps[map.home], row) == nil,
      !isDoomed(map.home, row.number)
    else { return false }
    return try session.table(map).contains(row)
  }

  /// Notes the strangers among a list's rows, each with the known member before it.
  func noteStrangers(_ rows: [UInt64], _ list: LoadedList) throws {
    list.strangers = []
    if store.maps[list.relation.target].family == nil { return }
    var last: UInt64?
    for row in rows {
      if try isStranger(RowID(row), list.relation) { list.strangers.append((row, last)) } else { last = row }
    }
  }
}
