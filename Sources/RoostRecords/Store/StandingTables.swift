internal import RoostFile
internal import RoostPages

/// Keeps the tables of the last transaction open for the next one.
///
/// Opening a table takes a look-up and some objects for each of its trees, which costs more than
/// writing a row. So a small transaction leaves its tables here, with the snapshot that it
/// committed. A transaction that begins at exactly this snapshot continues with them. Any other
/// transaction opens its own.
///
/// Unchecked because of `kept`, which is read and written under the lock. Tables that were taken
/// out are used by one thread.
final class StandingTables: @unchecked Sendable {
  private let lock = Lock()
  private var kept: (tables: Tables, snapshot: Snapshot)?

  /// Tables of a transaction that made more pages would keep too much memory.
  private static let mostPages = 256

  deinit { kept?.tables.end() }

  /// Takes out the tables of a snapshot, if they are kept.
  func take(_ snapshot: Snapshot) -> Tables? {
    let taken = lock.withLock { exchange(&kept, with: nil) }
    guard let taken else { return nil }
    if taken.snapshot == snapshot { return taken.tables }
    taken.tables.end()
    return nil
  }

  /// Keeps tables for the next transaction, unless newer ones are kept or the transaction was
  /// large.
  func keep(_ tables: Tables, _ snapshot: Snapshot, pages: Int) {
    guard tables.isStanding, pages <= Self.mostPages else { return tables.end() }
    let left = lock.withLock { () -> Tables? in
      if let newer = kept, newer.snapshot.stamp > snapshot.stamp { return tables }
      return exchange(&kept, with: (tables, snapshot))?.tables
    }
    left?.end()
  }

  func drop() { lock.withLock { exchange(&kept, with: nil) }?.tables.end() }
}
