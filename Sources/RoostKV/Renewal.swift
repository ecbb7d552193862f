import RoostCare
import RoostFile
import RoostPages
import RoostTrees

/// The store behind a read-only opening, which is opened anew when its owner has moved on.
///
/// Transactions that read the older one keep it until they end.
final class Renewal: @unchecked Sendable {
  // Unchecked because `store` is guarded by `lock`.
  private let lock = Lock()
  private var store: Store
  private var isClosed = false

  init(_ store: Store) { self.store = store }

  var current: Store { lock.withLock { store } }

  /// Opens the file again, unless somebody did since `old` was current.
  func renew(_ old: Store) throws(StoreError) -> Store {
    try lock.withLock { () throws(StoreError) -> Store in
      if isClosed { throw StoreError(.closed, "the store is closed", path: old.path) }
      if store === old { store = try old.reopened() }
      return store
    }
  }

  /// Closes the newest store; nobody renews it any more.
  func close() throws(StoreError) {
    try lock.withLock { () throws(StoreError) in
      try store.close()
      isClosed = true
    }
  }

  /// Runs `body` on one snapshot, and again on a newer one where the owner used pages of the older one again.
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
  /// Shows what the owner has committed since a read-only store was opened; true if there is something newer.
  ///
  /// A read-only store shows the commits that were there when it was opened. A store that is open for writing shows
  /// each commit at once, and has nothing to do here.
  @discardableResult
  public func refresh() throws -> Bool {
    guard let renewal else { return false }
    let old = renewal.current
    let new = try renewal.renew(old)
    return new.published.snapshot.transaction != old.published.snapshot.transaction
  }
}
