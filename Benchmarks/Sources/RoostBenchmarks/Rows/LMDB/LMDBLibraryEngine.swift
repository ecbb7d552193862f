import CLMDB

/// The music library in LMDB, with record encoding and index databases written by hand for these
/// operations.
struct LMDBLibraryEngine: LibraryEngine {
  let name = "lmdb"

  var note: String {
    "LMDB \(MDB_VERSION_MAJOR).\(MDB_VERSION_MINOR).\(MDB_VERSION_PATCH), 16 GiB map; a packed record, one database for"
      + " rows and one for each index (sorted duplicates of eight bytes), readers renew their transaction; E1 walks the"
      + " index of dates, as its programmer would; synced is its default, relaxed is MDB_NOSYNC (a crash of the machine"
      + " may damage the store)"
  }

  func open(_ directory: String, _ library: Library, durability: Durability) throws -> any LibraryStore {
    try LMDBLibraryStore(directory, library, durability)
  }
}

/// One LMDB environment.
///
/// Unchecked because of the pointer: according to the manual all threads may use an environment.
final class LMDBLibraryStore: LibraryStore, @unchecked Sendable {
  let environment: OpaquePointer
  let library: Library
  let spaces: LibrarySpaces<MDB_dbi>

  init(_ directory: String, _ library: Library, _ durability: Durability) throws {
    self.library = library
    var created: OpaquePointer?
    try LMDB.check(mdb_env_create(&created), "mdb_env_create")
    environment = created!
    do {
      try LMDB.check(mdb_env_set_mapsize(environment, LMDBEngine.mapSize), "mdb_env_set_mapsize")
      try LMDB.check(mdb_env_set_maxdbs(environment, 10), "mdb_env_set_maxdbs")
      // Readers belong to transactions instead of threads, so one thread may read during its own
      // writes.
      var flags = UInt32(MDB_NOTLS)
      if durability == .relaxed { flags |= UInt32(MDB_NOSYNC) }
      try LMDB.check(mdb_env_open(environment, directory, flags, 0o644), "mdb_env_open")
      spaces = try Self.openSpaces(environment)
    } catch {
      mdb_env_close(environment)
      throw error
    }
  }

  private static func openSpaces(_ environment: OpaquePointer) throws -> LibrarySpaces<MDB_dbi> {
    let transaction = try LMDB.begin(environment)
    let rows = MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP
    let spaces = try LibrarySpaces { name, kind in
      let flags: Int32 =
        switch kind {
        case .records: MDB_INTEGERKEY
        case .names: 0
        case .entries: rows
        case .entriesOfNumbers: rows | MDB_INTEGERKEY
        }
      var opened: MDB_dbi = 0
      try LMDB.check(mdb_dbi_open(transaction, name, UInt32(flags | MDB_CREATE), &opened), "mdb_dbi_open")
      return opened
    }
    try LMDB.check(mdb_txn_commit(transaction), "mdb_txn_commit")
    return spaces
  }

  func session() throws -> any LibrarySession { try LMDBLibrarySession(self) }

  func close() throws {
    defer { mdb_env_close(environment) }
    try LMDB.check(mdb_env_sync(environment, 1), "mdb_env_sync")
  }
}
