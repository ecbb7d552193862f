import RoostCare
import RoostFile
import RoostPages
import RoostTrees

/// The store of a read-only opening, which is opened again after its owner has written.
///
/// Transactions that read the older state keep it until they end.
final class Renewal: @unchecked Sendable {
  // Unchecked because `store` is protected by `lock`.
  private let lock = Lock()
  private var store: Store
  private var isClosed = false

  init(_ store: Store) { self.store = store }

  var current: Store { lock.withLock { store } }

  /// Opens the file again, unless another thread did so after `old` was current.
  func renew(_ old: Store) throws(StoreError) -> Store {
    try lock.withLock { () throws(StoreError) -> Store in
      if isClosed { throw StoreError(.closed, "the store is closed", path: old.path) }
      if store === old { store = try old.reopened() }
      return store
    }
  }

  /// Closes the newest store. It is not renewed any more.
  func close() throws(StoreError) {
    try lock.withLock { () throws(StoreError) in
      try store.close()
      isClosed = true
    }
  }

  /// Runs `body` on one snapshot. Runs it again on a newer one if the owner reused pages of the
  /// older one.
  func read<Result>(_ body: (Reader) throws -> Result) throws -> Result {
    var store = current
    return try Store.retrying({ store }, renew: { store = try renew(store) }) {
      let reader = try Reader(store)
      defer { reader.end() }
      return try body(reader)
    }
  }
}

extension KeyValueStore {
  /// Shows the commits that the owner made after a read-only store was opened. Returns true if
  /// there are any.
  ///
  /// A read-only store shows the commits that existed when it was opened. A store that is open for
  /// writing shows each commit at once, and this does nothing.
  ///
  /// - Throws: `StoreError` with the code `closed` if the read-only store is closed, `busy` if its
  ///   owner changed it during each of ten attempts, `notFound` or `storeMissing` if the file is
  ///   gone, and `damaged`, `truncated`, `logDamaged`, `logMissing` or `ioError` if it cannot be
  ///   read.
  @discardableResult
  public func refresh() throws -> Bool {
    guard let renewal else { return false }
    let old = renewal.current
    let new = try renewal.renew(old)
    return new.published.snapshot.transaction != old.published.snapshot.transaction
  }
}
