import CLMDB

/// LMDB with its unnamed database, which writes one tree less than a named one.
///
/// Integer keys use MDB_INTEGERKEY. Ascending rows use MDB_APPEND, which fills pages completely and
/// searches nothing.
struct LMDBEngine: Engine {
  let name = "lmdb"

  /// Room for the largest workload. The file grows only as far as it is written.
  static let mapSize = 16 << 30

  var note: String {
    "LMDB \(MDB_VERSION_MAJOR).\(MDB_VERSION_MINOR).\(MDB_VERSION_PATCH), 16 GiB map, MDB_INTEGERKEY for integers,"
      + " MDB_APPEND for ascending rows; synced is its default, relaxed is MDB_NOSYNC (a crash of the machine may damage"
      + " the store)"
  }

  func open(_ directory: String, keys: KeyKind, durability: Durability) throws -> any Store {
    try LMDBStore(directory, keys: keys, durability: durability)
  }
}

/// One LMDB environment.
///
/// Unchecked because of the pointer: according to the manual all threads may use an environment.
final class LMDBStore: Store, @unchecked Sendable {
  let environment: OpaquePointer
  let database: MDB_dbi
  let keys: KeyKind

  init(_ directory: String, keys: KeyKind, durability: Durability) throws {
    var created: OpaquePointer?
    try LMDB.check(mdb_env_create(&created), "mdb_env_create")
    environment = created!
    self.keys = keys
    do {
      try LMDB.check(mdb_env_set_mapsize(environment, LMDBEngine.mapSize), "mdb_env_set_mapsize")
      // Readers belong to transactions instead of threads, so one thread may read during its own
      // writes.
      var flags = UInt32(MDB_NOTLS)
      if durability == .relaxed { flags |= UInt32(MDB_NOSYNC) }
      try LMDB.check(mdb_env_open(environment, directory, flags, 0o644), "mdb_env_open")

      let transaction = try LMDB.begin(environment)
      var opened: MDB_dbi = 0
      let kind = keys == .integers ? UInt32(MDB_INTEGERKEY) : 0
      try LMDB.check(mdb_dbi_open(transaction, nil, kind, &opened), "mdb_dbi_open")
      try LMDB.check(mdb_txn_commit(transaction), "mdb_txn_commit")
      database = opened
    } catch {
      mdb_env_close(environment)
      throw error
    }
  }

  func session() throws -> any Session {
    LMDBSession(self)
  }

  func settle() throws {
    try LMDB.check(mdb_env_sync(environment, 1), "mdb_env_sync")
  }

  func close() throws {
    mdb_env_close(environment)
  }
}

/// The few calls that store and session share.
enum LMDB {
  static func begin(_ environment: OpaquePointer, readOnly: Bool = false) throws -> OpaquePointer {
    var transaction: OpaquePointer?
    let flags = readOnly ? UInt32(MDB_RDONLY) : 0
    try check(mdb_txn_begin(environment, nil, flags, &transaction), "mdb_txn_begin")
    return transaction!
  }

  @inline(__always)
  static func check(_ code: Int32, _ call: String) throws {
    if code != MDB_SUCCESS { throw EngineError("lmdb", call, String(cString: mdb_strerror(code))) }
  }
}

extension MDB_val {
  /// Borrows bytes for one call. LMDB writes to a value's address only when it is asked to reserve.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }

  @inline(__always)
  var word: UInt64 {
    mv_data.loadUnaligned(as: UInt64.self)
  }
}
