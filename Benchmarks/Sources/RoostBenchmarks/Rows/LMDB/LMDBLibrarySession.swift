import CLMDB

/// One thread's transactions on the library.
final class LMDBLibrarySession: LibrarySession {
  let library: Library
  let databases: LMDBLibraryStore.Databases
  let environment: OpaquePointer
  /// Renewed for every read, which is quicker than a new one.
  let reader: OpaquePointer
  /// Where keys and values are put together.
  private let memory = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 8)

  // Parts of `memory`; the rest holds a row.
  var row: UnsafeMutableRawPointer { memory }
  var key: UnsafeMutableRawPointer { memory + 16 }
  var record: UnsafeMutableRawPointer { memory + 256 }

  init(_ store: LMDBLibraryStore) throws {
    library = store.library
    databases = store.databases
    environment = store.environment
    reader = try LMDB.begin(environment, readOnly: true)
    mdb_txn_reset(reader)
  }

  func close() { mdb_txn_abort(reader) }

  deinit { memory.deallocate() }

  // MARK: Keys

  @inline(__always)
  func named(_ number: UInt64) -> MDB_val {
    row.storeBytes(of: number, as: UInt64.self)
    return MDB_val(mv_size: 8, mv_data: row)
  }

  /// Beside `named`.
  @inline(__always)
  func integer(_ number: UInt64) -> MDB_val {
    key.storeBytes(of: number, as: UInt64.self)
    return MDB_val(mv_size: 8, mv_data: key)
  }

  @inline(__always)
  func genreKey(_ genre: UnsafeRawBufferPointer?) -> MDB_val {
    key.storeBytes(of: genre == nil ? 0 : 1, as: UInt8.self)
    if let genre { (key + 1).copyMemory(from: genre.baseAddress!, byteCount: genre.count) }
    return MDB_val(mv_size: 1 + (genre?.count ?? 0), mv_data: key)
  }

  @inline(__always)
  func dateKey(_ date: Double) -> MDB_val {
    let bits = date.bitPattern
    return integer((bits >> 63 == 0 ? bits | 1 << 63 : ~bits).bigEndian)
  }

  func childKey(_ parent: UInt64, _ position: Int64) -> MDB_val {
    key.storeBytes(of: parent.bigEndian, as: UInt64.self)
    key.storeBytes(of: position.bigEndian, toByteOffset: 8, as: Int64.self)
    return MDB_val(mv_size: 16, mv_data: key)
  }

  // MARK: Parts

  @inline(__always)
  func put(
    _ transaction: OpaquePointer, _ database: MDB_dbi, _ key: MDB_val, _ value: MDB_val, _ flags: Int32 = 0
  ) throws {
    var (key, value) = (key, value)
    try LMDB.check(mdb_put(transaction, database, &key, &value, UInt32(flags)), "mdb_put")
  }

  @inline(__always)
  func get(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: MDB_val) throws -> MDB_val {
    var (key, value) = (key, MDB_val())
    try LMDB.check(mdb_get(transaction, database, &key, &value), "mdb_get")
    return value
  }

  func withCursor<Result>(
    _ transaction: OpaquePointer, _ database: MDB_dbi, _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    var cursor: OpaquePointer?
    try LMDB.check(mdb_cursor_open(transaction, database, &cursor), "mdb_cursor_open")
    defer { mdb_cursor_close(cursor) }
    return try body(cursor!)
  }

  @inline(__always)
  func each(
    _ transaction: OpaquePointer, _ database: MDB_dbi, while goesOn: () -> Bool = { true },
    _ body: (MDB_val, MDB_val) throws -> Void
  ) throws {
    try withCursor(transaction, database) { cursor in
      var (key, value) = (MDB_val(), MDB_val())
      var code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
      while code == MDB_SUCCESS && goesOn() {
        try body(key, value)
        code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
      }
      if code != MDB_NOTFOUND { try LMDB.check(code, "mdb_cursor_get") }
    }
  }

  func write(_ body: (OpaquePointer) throws -> Void) throws {
    let transaction = try LMDB.begin(environment)
    do {
      try body(transaction)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try LMDB.check(mdb_txn_commit(transaction), "mdb_txn_commit")
  }

  func read(_ body: (OpaquePointer) throws -> Void) throws {
    try LMDB.check(mdb_txn_renew(reader), "mdb_txn_renew")
    defer { mdb_txn_reset(reader) }
    try body(reader)
  }
}
