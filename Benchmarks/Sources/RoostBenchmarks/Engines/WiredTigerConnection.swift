#if WiredTiger
  import CWiredTiger

  /// One open WiredTiger database with the settings of this program.
  ///
  /// Unchecked because of the pointer: according to the manual all threads may use a connection.
  final class WiredTigerConnection: @unchecked Sendable {
    private let handle: UnsafeMutablePointer<WT_CONNECTION>

    static let settings =
      "WiredTiger \(WIREDTIGER_VERSION_MAJOR).\(WIREDTIGER_VERSION_MINOR).\(WIREDTIGER_VERSION_PATCH), 1 GB cache, log,"
      + " checkpoint each 64 MB of log, snapshot isolation, no compression, else as it is by default; synced is"
      + " transaction_sync by fsync, relaxed is method=none (the log is written and not synced)"

    init(_ directory: String, _ durability: Durability) throws {
      let method =
        switch durability {
        case .synced: "fsync"
        case .relaxed: "none"
        }
      // The changes of a transaction have to fit into the cache: 256 MB did not hold a million
      // tracks.
      let settings =
        "create,cache_size=1GB,log=(enabled=true,file_max=64MB,prealloc=false),checkpoint=(log_size=64MB),"
        + "transaction_sync=(enabled=true,method=\(method))"
      var opened: UnsafeMutablePointer<WT_CONNECTION>?
      try WiredTiger.check(wiredtiger_open(directory, nil, settings, &opened), "wiredtiger_open")
      handle = opened!
    }

    /// A session for one thread.
    func session() throws -> WiredTigerAccess {
      var opened: UnsafeMutablePointer<WT_SESSION>?
      try WiredTiger.check(wiredtiger_open_session(handle, "isolation=snapshot", &opened), "open_session")
      return WiredTigerAccess(opened!)
    }

    /// Writes everything to its place, so that no log is needed.
    func settle() throws {
      let access = try session()
      defer { access.close() }
      try access.checkpoint()
    }

    /// Closes the connection, which writes a checkpoint.
    func close() throws {
      try WiredTiger.check(wiredtiger_close(handle), "close")
    }
  }

  /// One thread's transactions on a WiredTiger database.
  final class WiredTigerAccess {
    private let session: UnsafeMutablePointer<WT_SESSION>

    fileprivate init(_ session: UnsafeMutablePointer<WT_SESSION>) { self.session = session }

    /// Also closes all cursors. The caller cannot handle a failure.
    func close() { _ = wiredtiger_close_session(session) }

    func create(_ table: String, key: String, value: String) throws {
      try WiredTiger.check(
        wiredtiger_create(session, "table:\(table)", "key_format=\(key),value_format=\(value)"), "create")
    }

    func cursor(_ table: String, _ settings: String? = nil) throws -> WiredTigerCursor {
      var opened: WiredTigerCursor?
      try WiredTiger.check(wiredtiger_open_cursor(session, "table:\(table)", settings, &opened), "open_cursor")
      return opened!
    }

    func checkpoint() throws { try WiredTiger.check(wiredtiger_checkpoint(session), "checkpoint") }

    @inline(__always)
    func write(_ body: () throws -> Void) throws { try transact(body) }

    /// Calls `body`, which reads one snapshot.
    @inline(__always)
    func read<Result>(_ body: () throws -> Result) throws -> Result { try transact(body) }

    /// Resets the cursors at the end of the transaction.
    @inline(__always)
    private func transact<Result>(_ body: () throws -> Result) throws -> Result {
      try WiredTiger.check(wiredtiger_begin(session), "begin_transaction")
      let result: Result
      do {
        result = try body()
      } catch {
        // The first error is the one to report.
        _ = wiredtiger_rollback(session)
        throw error
      }
      try WiredTiger.check(wiredtiger_commit(session), "commit_transaction")
      return result
    }
  }

  /// Functions that every call of WiredTiger needs.
  enum WiredTiger {
    @inline(__always)
    static func check(_ code: Int32, _ call: String) throws {
      if code != 0 { throw EngineError("wiredtiger", call, String(cString: wiredtiger_strerror(code))) }
    }

    /// Returns false if the call found nothing.
    @inline(__always)
    static func found(_ code: Int32, _ call: String) throws -> Bool {
      if code == WT_NOTFOUND { return false }
      try check(code, call)
      return true
    }
  }
#endif
