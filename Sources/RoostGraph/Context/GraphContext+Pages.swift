internal import RoostRecords

/// Reads all rows of a store, page by page.
extension GraphContext {
  /// The images of the rows of a class and its subclasses that follow a row number, in the order of
  /// their numbers, with their lists.
  package func images(of map: EntityMap, after row: UInt64, count: Int) throws -> [ObjectImage] {
    try call(.fetching) {
      let home = store.maps[map.home]
      var rows: [(map: EntityMap, row: UInt64)] = []
      var cursor = try session.table(home).cursor()
      var isThere = try cursor.seek(RowID(row + 1))
      while isThere, rows.count < count {
        rows.append((home, try cursor.id.number))
        isThere = try cursor.next()
      }
      return try links.images(rows, lists: true).compactMap { $0 }
    }
  }

  /// The images of rows of a class and its subclasses, with their lists. Rows that do not exist are
  /// left out.
  package func images(of map: EntityMap, rows: [UInt64]) throws -> [ObjectImage] {
    try call(.fetching) {
      let home = store.maps[map.home]
      return try links.images(rows.map { (home, $0) }, lists: true).compactMap { $0 }
    }
  }
}
