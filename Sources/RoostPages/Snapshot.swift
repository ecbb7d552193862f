/// One consistent state of the store: the root of the catalog that holds all trees' roots.
package struct Snapshot: Hashable, Sendable {
  /// The stamp of the commit's last step; snapshots are ordered by it.
  package var stamp: UInt64
  /// The commit's number, counted from 1; 0 for an empty store.
  package var transaction: UInt64
  package var catalog: Root

  package static let empty = Snapshot(stamp: 1, transaction: 0, catalog: .empty)
}

/// How long a commit waits.
package enum SyncMode: UInt8, Sendable {
  /// Until the log is synced: an acknowledged commit survives a crash.
  case full = 0
  /// Not at all: a crash may lose the newest commits, in order, never parts of one.
  case relaxed = 1
}
