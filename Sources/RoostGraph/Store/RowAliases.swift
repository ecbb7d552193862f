internal import RoostFile
internal import RoostRecords

/// The row numbers that new objects had before they were merged into other rows.
///
/// The program may have kept an identifier of such an object. The numbers are never reused, so they
/// can refer to the new row. If there are too many, the oldest are forgotten.
///
/// Unchecked because the lock guards all of it.
final class RowAliases: @unchecked Sendable {
  private let lock = Lock()
  // Unchecked because only the holder of the lock accesses them, and they contain only numbers.
  @exclusivity(unchecked) private var rows: [LinkKey: UInt64] = [:]
  @exclusivity(unchecked) private var order: [LinkKey] = []
  private let most: Int

  init(most: Int = 1 << 16) { self.most = most }

  func add(_ map: Int, _ old: UInt64, row: UInt64) {
    let key = LinkKey(map: map, row: old, property: 0)
    lock.acquire()
    defer { lock.release() }
    if rows.updateValue(row, forKey: key) == nil { order.append(key) }
    if order.count <= most { return }
    // Half of them at a time, so that it costs little.
    for old in order.prefix(most / 2) { rows[old] = nil }
    order.removeFirst(most / 2)
  }

  func row(_ map: Int, _ row: UInt64) -> UInt64 {
    lock.withLock { rows.isEmpty ? row : rows[LinkKey(map: map, row: row, property: 0)] ?? row }
  }
}

extension GraphStore {
  /// The present row of an object that had this number: another row, if the object was merged into
  /// it.
  package func row(_ map: EntityMap, behind row: UInt64) -> UInt64 { aliases.row(map.home, row) }

  /// Records that an object was merged into another row.
  package func noteMerged(_ map: EntityMap, _ row: UInt64, into other: UInt64) {
    aliases.add(map.home, row, row: other)
  }

  /// The present rows of objects that had these numbers, in the same order.
  package func rows(behind rows: RowRuns) -> RowRuns {
    var found = RowRuns()
    for place in 0..<rows.count {
      let (map, row) = rows[place]
      found.append(map, RowID(self.row(maps[map], behind: row.number)))
    }
    return found
  }
}
