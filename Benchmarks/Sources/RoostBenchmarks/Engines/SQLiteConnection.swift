import CSQLite

/// A connection to a SQLite file, used by one thread at a time.
final class SQLiteConnection {
  private let handle: OpaquePointer
  private let engine: String

  private static let countsNoMemory = sqlite_count_no_memory() == SQLITE_OK

  /// Turns off the counting of allocations, whose lock all connections share. Every connection
  /// calls it before it opens. Only the first call has an effect.
  static func countNoMemory() {
    precondition(countsNoMemory, "SQLite was started before its first connection")
  }

  init(_ path: String, engine: String) throws {
    Self.countNoMemory()
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw EngineError(engine, "open", String(cString: sqlite3_errstr(code)))
    }
    handle = opened
    self.engine = engine
    sqlite3_busy_timeout(handle, 60_000)
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  func execute(_ sql: String) throws {
    try check(sqlite3_exec(handle, sql, nil, nil, nil), sql)
  }

  func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    try check(code, sql)
    return statement!
  }

  /// Runs a statement that returns no rows, and resets it for the next use.
  @inline(__always)
  func run(_ statement: OpaquePointer) throws {
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    if code != SQLITE_DONE { try check(code, "step") }
  }

  /// Calls `body` for each row, and resets the statement for the next use.
  @inline(__always)
  func each(_ statement: OpaquePointer, _ body: (OpaquePointer) throws -> Void) throws {
    defer { sqlite3_reset(statement) }
    var code = sqlite3_step(statement)
    while code == SQLITE_ROW {
      try body(statement)
      code = sqlite3_step(statement)
    }
    guard code == SQLITE_DONE else { throw failure("step") }
  }

  /// The row number of the last insert.
  var lastRow: Int64 {
    get { sqlite3_last_insert_rowid(handle) }
    set { sqlite3_set_last_insert_rowid(handle, newValue) }
  }

  @inline(__always)
  func check(_ code: Int32, _ call: String) throws {
    if code != SQLITE_OK { throw failure(call) }
  }

  func failure(_ call: String) -> EngineError {
    EngineError(engine, call, String(cString: sqlite3_errmsg(handle)))
  }
}
