internal import RoostCare
package import RoostFile
internal import RoostPages
internal import RoostTrees

/// A store of rows that somebody only looks at, perhaps beside the process that has it open.
///
/// Nothing is written and no lock is taken: the newest durable superblock is read, and the log is replayed in memory. The
/// owner does not know of it, and may use a page again; then that page fails its check, and reading begins anew on the
/// newer state: ten times at the most. So what is read is always one state that was committed.
///
/// One thread at a time may use it.
package final class RecordWitness {
  private var store: RecordStore
  private let make: () throws(StoreError) -> RecordStore
  /// How often reading began anew so far.
  package private(set) var restarts = 0

  package init(
    _ path: String, cacheBytes: Int? = nil, fileSystem: any FileSystem = DiskFileSystem.shared
  ) throws(StoreError) {
    var options = StoreOptions()
    options.readOnly = true
    options.cacheBytes = cacheBytes
    let opening = options
    make = { () throws(StoreError) in try RecordStore(path, options: opening, fileSystem: fileSystem) }
    store = try make()
  }

  private init(_ store: RecordStore, make: @escaping () throws(StoreError) -> RecordStore) {
    (self.store, self.make) = (store, make)
  }

  /// A witness that reads a former state of the store: see ``RecordStore/rewound(to:)``. `refresh()` finds nothing newer.
  package func past(_ place: (RecordReader) throws -> HistoryPlace) throws -> RecordWitness {
    let past = try read { reader in try store.rewound(to: place(reader)) }
    return RecordWitness(past) { past }
  }

  package var path: String { store.store.path }

  /// Reads one state, from its begin to its end.
  ///
  /// The closure may run again from the start, on a newer state. What it gave away before then is of no account; where that
  /// cannot be taken back `mayRestart` says no, and the read throws `busy`.
  package func read<Result>(
    mayRestart: () -> Bool = { true }, _ body: (RecordReader) throws -> Result
  ) throws -> Result {
    try Store.retrying(
      { store.store },
      renew: {
        guard mayRestart() else { throw interrupted }
        restarts += 1
        store = try make()
      }
    ) { try store.read(body) }
  }

  private var interrupted: StoreError {
    StoreError(.busy, "the owner of the store wrote it anew in the middle of what was being given away", path: path)
  }

  /// Goes on to the newest state; true if that is another one.
  package func refresh() throws -> Bool {
    let newer = try make()
    defer { store = newer }
    return newer.store.published.snapshot.transaction != store.store.published.snapshot.transaction
  }
}
