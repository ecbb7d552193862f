internal import RoostFile
internal import RoostPages

/// The tables of the last transaction, open for the next one.
///
/// Opening a table takes a look-up and some objects for each of its trees, which is more than a row takes. So a small transaction leaves its
/// tables here, together with the snapshot that it committed. A transaction that begins at this very snapshot goes on with them; any other
/// one opens its own.
///
/// Unchecked because of `kept`, which is read and written under the lock. Tables that were taken out are used by one thread.
final class StandingTables: @unchecked Sendable {
  private let lock = Lock()
  private var kept: (tables: Tables, snapshot: Snapshot)?

  /// A transaction that made more pages keeps too much memory.
  private static let mostPages = 256

  deinit { kept?.tables.end() }

  /// Takes out the tables of a snapshot, if they are here.
  func take(_ snapshot: Snapshot) -> Tables? {
    let taken = lock.withLock { exchange(&kept, with: nil) }
    guard let taken else { return nil }
    if taken.snapshot == snapshot { return taken.tables }
    taken.tables.end()
    return nil
  }

  /// Keeps tables until the next transaction, unless they are those of an older snapshot than what is kept, or of a large transaction.
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
