internal import RoostRecords

/// Finds rows by their keys, in one snapshot.
struct RowFinder {
  private let reader: RecordReader

  init(_ reader: RecordReader) { self.reader = reader }

  func row(_ key: Value, _ way: KeyWay) throws -> RowID? {
    let table = try reader.table(way.entity)
    if case .reference(let row) = key { return try table.contains(row) ? row : nil }
    guard let index = way.index else { return nil }
    return try table.row(unique: index, [key])
  }
}
