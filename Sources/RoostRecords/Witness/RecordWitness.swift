internal import RoostCare
package import RoostFile
internal import RoostPages
internal import RoostTrees

/// Reads a store of rows without a lock, also while another process has it open.
///
/// It writes nothing. It reads the newest durable superblock and replays the log in memory. The
/// owner does not know of it and may reuse a page; then that page has a wrong checksum, and reading
/// begins again on the newer state, at most ten times. So a read always sees one committed state.
///
/// One thread at a time may use it.
package final class RecordWitness {
  private var store: RecordStore
  private let make: () throws(StoreError) -> RecordStore
  /// How often reading has begun again.
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

  /// Reads one state from begin to end.
  ///
  /// The closure may run again from the start, on a newer state. The caller must then discard
  /// earlier results. If it cannot, `mayRestart` returns false, and the read throws `busy`.
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
    StoreError(.busy, "the owner of the store changed it while results were already being returned", path: path)
  }

  /// Moves to the newest state. Returns true if it is another one.
  package func refresh() throws -> Bool {
    let newer = try make()
    defer { store = newer }
    return newer.store.published.snapshot.transaction != store.store.published.snapshot.transaction
  }
}
