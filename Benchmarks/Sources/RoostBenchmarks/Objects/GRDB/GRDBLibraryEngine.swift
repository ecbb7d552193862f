#if GRDB
  import GRDB

  /// The music library in GRDB, through its records and requests.
  struct GRDBLibraryEngine: LibraryEngine {
    let name = "grdb"

    var note: String {
      "GRDB over SQLite, \(settings.purpose), `Codable` records, the query interface and associations, one `DatabasePool`"
        + " a store because readers run beside a writer; foreign keys are checked, as GRDB does unless told otherwise; dates are"
        + " stored as numbers; synced is synchronous=FULL, relaxed is synchronous=NORMAL; no history"
    }

    /// Operations that make no object in `sqlite-objects` make no record in GRDB. GRDB cannot
    /// assign arrays of children.
    let omits = SQLiteObjectsEngine().omits
    private let settings: SQLiteEngine.Settings

    init(_ settings: SQLiteEngine.Settings = .tuned) { self.settings = settings }

    func limited(toCache bytes: Int) -> any LibraryEngine { GRDBLibraryEngine(settings.limited(toCache: bytes)) }

    func open(_ directory: String, _ library: Library, durability: Durability) throws -> any LibraryStore {
      try GRDBLibraryStore(
        "\(directory)/\(SQLiteEngine.fileName)", library, pragmas: settings.pragmas,
        synchronous: durability == .synced ? "FULL" : "NORMAL")
    }
  }

  /// One pool of connections: a writer, and readers that the pool opens on demand.
  final class GRDBLibraryStore: LibraryStore {
    let pool: DatabasePool
    let library: Library

    init(_ path: String, _ library: Library, pragmas: [String], synchronous: String) throws {
      SQLiteConnection.countNoMemory()
      var configuration = Configuration()
      configuration.prepareDatabase { database in
        for pragma in pragmas { try database.execute(sql: "PRAGMA \(pragma)") }
      }
      pool = try DatabasePool(path: path, configuration: configuration)
      self.library = library
      // Not with the other pragmas, because the pool sets NORMAL after those.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous=\(synchronous)") }
      try pool.write(Self.createTables)
    }

    func session() -> any LibrarySession { GRDBLibrarySession(self) }

    func close() throws {
      try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      try pool.close()
    }

    /// Creates the tables and indexes of `sqlite-tuned`, and the foreign keys for associations.
    private static func createTables(_ database: Database) throws {
      if try database.tableExists(TrackRecord.databaseTableName) { return }
      try database.create(table: "artists") { table in
        table.primaryKey("row", .integer)
        table.column("name", .text).notNull()
      }
      try database.create(table: "albums") { table in
        table.primaryKey("row", .integer)
        table.column("title", .text).notNull()
        table.column("artistRow", .integer).notNull().references("artists")
      }
      try createTracks(database)
      try database.create(table: "parents") { $0.primaryKey("row", .integer) }
      try database.create(table: "children") { table in
        table.primaryKey("row", .integer)
        table.column("parent", .integer).notNull().references("parents", onDelete: .cascade)
        table.column("position", .integer).notNull()
        table.column("name", .text).notNull()
      }
      try database.create(index: "byParent", on: "children", columns: ["parent", "position"])
    }

    private static func createTracks(_ database: Database) throws {
      try database.create(table: "tracks") { table in
        table.primaryKey("row", .integer)
        table.column("id", .text).notNull().unique()
        table.column("title", .text).notNull()
        table.column("artist", .text).notNull()
        table.column("albumRow", .integer).notNull().references("albums", onDelete: .cascade)
        table.column("duration", .double).notNull()
        table.column("genre", .text)
        table.column("releaseDate", .double).notNull()
        table.column("playCount", .integer).notNull()
        table.column("explicit", .boolean).notNull()
      }
      try database.create(index: "byGenre", on: "tracks", columns: ["genre"])
      try database.create(index: "byDate", on: "tracks", columns: ["releaseDate"])
      try database.create(index: "byAlbum", on: "tracks", columns: ["albumRow"])
    }
  }

  // MARK: Functions that Debian's SQLite lacks

  // GRDB refers to these functions for snapshots of the write-ahead log. Debian compiles SQLite
  // without them, so the program would not link. Only `ValueObservation` and `DatabaseSnapshotPool`
  // call them, and this program uses neither.
  #if os(Linux)
    @_cdecl("sqlite3_snapshot_get")
    func missingSnapshotGet(_: OpaquePointer?, _: OpaquePointer?, snapshot: OpaquePointer?) -> Int32 {
      missingSnapshots()
    }

    @_cdecl("sqlite3_snapshot_open")
    func missingSnapshotOpen(_: OpaquePointer?, _: OpaquePointer?, snapshot: OpaquePointer?) -> Int32 {
      missingSnapshots()
    }

    @_cdecl("sqlite3_snapshot_cmp")
    func missingSnapshotCompare(_: OpaquePointer?, _: OpaquePointer?) -> Int32 { missingSnapshots() }

    @_cdecl("sqlite3_snapshot_free")
    func missingSnapshotFree(_: OpaquePointer?) { missingSnapshots() }

    private func missingSnapshots() -> Never { preconditionFailure("this program has no snapshots of SQLite") }
  #endif
#endif
