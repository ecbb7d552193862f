/// One consistent state of the store: the root of the catalog, which holds the roots of all trees.
package struct Snapshot: Hashable, Sendable {
  /// The stamp of the commit's last step; snapshots are ordered by it.
  package var stamp: UInt64
  /// The commit's number, counted from 1; 0 for an empty store.
  package var transaction: UInt64
  package var catalog: Root

  package static let empty = Snapshot(stamp: 1, transaction: 0, catalog: .empty)
}

/// What a commit waits for.
package enum SyncMode: UInt8, Sendable {
  /// Until the log is synced: an acknowledged commit survives a crash.
  case full = 0
  /// For nothing: a crash may lose the newest commits, in order, never a part of one.
  case relaxed = 1
}
