import CLMDB

/// The music library in LMDB: a record encoding and index databases made by hand for exactly these operations.
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
/// Unchecked because of the pointer: an environment may be used by all threads, says its manual.
final class LMDBLibraryStore: LibraryStore, @unchecked Sendable {
  let environment: OpaquePointer
  let library: Library
  let databases: Databases

  struct Databases {
    var tracks: MDB_dbi = 0
    var albums: MDB_dbi = 0
    var artists: MDB_dbi = 0
    var parents: MDB_dbi = 0
    var children: MDB_dbi = 0
    /// Id to row.
    var ids: MDB_dbi = 0
    /// A byte 1 and the genre, or 0 for nil, to rows.
    var genres: MDB_dbi = 0
    /// Big-endian bits of the date that sort as it does, to rows.
    var dates: MDB_dbi = 0
    /// Album to rows of its tracks.
    var tracksOfAlbums: MDB_dbi = 0
    /// Parent and place, big-endian, to the child's row.
    var childrenOfParents: MDB_dbi = 0
  }

  init(_ directory: String, _ library: Library, _ durability: Durability) throws {
    self.library = library
    var created: OpaquePointer?
    try LMDB.check(mdb_env_create(&created), "mdb_env_create")
    environment = created!
    do {
      try LMDB.check(mdb_env_set_mapsize(environment, LMDBEngine.mapSize), "mdb_env_set_mapsize")
      try LMDB.check(mdb_env_set_maxdbs(environment, 10), "mdb_env_set_maxdbs")
      // Readers belong to transactions and not to threads: one thread may read beside its own writes.
      var flags = UInt32(MDB_NOTLS)
      if durability == .relaxed { flags |= UInt32(MDB_NOSYNC) }
      try LMDB.check(mdb_env_open(environment, directory, flags, 0o644), "mdb_env_open")
      databases = try Self.openDatabases(environment)
    } catch {
      mdb_env_close(environment)
      throw error
    }
  }

  private static func openDatabases(_ environment: OpaquePointer) throws -> Databases {
    let transaction = try LMDB.begin(environment)
    func open(_ name: String, _ flags: Int32) throws -> MDB_dbi {
      var opened: MDB_dbi = 0
      try LMDB.check(mdb_dbi_open(transaction, name, UInt32(flags | MDB_CREATE), &opened), "mdb_dbi_open")
      return opened
    }
    let rows = MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP
    let databases = Databases(
      tracks: try open("tracks", MDB_INTEGERKEY), albums: try open("albums", MDB_INTEGERKEY),
      artists: try open("artists", MDB_INTEGERKEY), parents: try open("parents", MDB_INTEGERKEY),
      children: try open("children", MDB_INTEGERKEY), ids: try open("ids", 0), genres: try open("genres", rows),
      dates: try open("dates", rows), tracksOfAlbums: try open("tracksOfAlbums", rows | MDB_INTEGERKEY),
      childrenOfParents: try open("childrenOfParents", 0))
    try LMDB.check(mdb_txn_commit(transaction), "mdb_txn_commit")
    return databases
  }

  func session() throws -> any LibrarySession { try LMDBLibrarySession(self) }

  func close() throws {
    defer { mdb_env_close(environment) }
    try LMDB.check(mdb_env_sync(environment, 1), "mdb_env_sync")
  }
}
