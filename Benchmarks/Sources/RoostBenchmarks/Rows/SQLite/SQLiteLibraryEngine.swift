import CSQLite
import Foundation

/// The music library in SQLite tables, through its C interface.
struct SQLiteLibraryEngine: LibraryEngine {
  let name: String
  private let settings: SQLiteEngine.Settings

  init(_ settings: SQLiteEngine.Settings, name: String? = nil) {
    self.name = name ?? settings.name
    self.settings = settings
  }

  func limited(toCache bytes: Int) -> any LibraryEngine {
    SQLiteLibraryEngine(settings.limited(toCache: bytes), name: name)
  }

  var note: String { SQLiteEngine(settings).note }

  func open(_ directory: String, _ library: Library, durability: Durability) throws -> any LibraryStore {
    try store(directory, library, durability)
  }

  func store(_ directory: String, _ library: Library, _ durability: Durability) throws -> SQLiteLibraryStore {
    let level = durability == .synced ? "FULL" : "NORMAL"
    return try SQLiteLibraryStore(
      engine: name, path: "\(directory)/\(SQLiteEngine.fileName)", library,
      pragmas: settings.pragmas + ["synchronous=\(level)"])
  }

  /// Only what a program needs to read one track: a connection, its settings and a statement.
  func openAndRead(_ directory: String) throws -> UInt64 {
    let connection = try SQLiteConnection("\(directory)/\(SQLiteEngine.fileName)", engine: name)
    for pragma in settings.pragmas { try connection.execute("PRAGMA \(pragma)") }
    let statement = try connection.prepare(
      "SELECT \(SQLiteLibrarySession.columns) FROM tracks ORDER BY row LIMIT 1")
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW else { throw connection.failure("no track") }
    return statement.track.word
  }
}

/// One SQLite file; every session is a separate connection.
///
/// Unchecked because of `keeper`: only `init` and `close` use it, on the thread that owns the store.
final class SQLiteLibraryStore: LibraryStore, @unchecked Sendable {
  let engine: String
  let library: Library
  /// Admits one writer at a time. SQLite's own waiting sleeps between attempts.
  let turn = NSLock()

  private let path: String
  private let pragmas: [String]
  private let keeper: SQLiteConnection

  private static let schema = """
    CREATE TABLE IF NOT EXISTS artists(row INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS albums(row INTEGER PRIMARY KEY, title TEXT NOT NULL, artist INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS tracks(
      row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, artist TEXT NOT NULL,
      album INTEGER NOT NULL, duration REAL NOT NULL, genre TEXT, releaseDate REAL NOT NULL,
      playCount INTEGER NOT NULL, explicit INTEGER NOT NULL);
    CREATE INDEX IF NOT EXISTS byGenre ON tracks(genre);
    CREATE INDEX IF NOT EXISTS byDate ON tracks(releaseDate);
    CREATE INDEX IF NOT EXISTS byAlbum ON tracks(album);
    CREATE TABLE IF NOT EXISTS parents(row INTEGER PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS children(
      row INTEGER PRIMARY KEY, parent INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL);
    CREATE INDEX IF NOT EXISTS byParent ON children(parent, position);
    """

  init(engine: String, path: String, _ library: Library, pragmas: [String]) throws {
    self.engine = engine
    self.path = path
    self.library = library
    self.pragmas = pragmas
    keeper = try SQLiteConnection(path, engine: engine)
    try keeper.execute("PRAGMA journal_mode=WAL")
    try keeper.execute(Self.schema)
  }

  func session() throws -> any LibrarySession { try connect() }

  func connect() throws -> SQLiteLibrarySession {
    let connection = try SQLiteConnection(path, engine: engine)
    for pragma in pragmas { try connection.execute("PRAGMA \(pragma)") }
    return try SQLiteLibrarySession(connection, of: self)
  }

  func close() throws { try keeper.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
}
