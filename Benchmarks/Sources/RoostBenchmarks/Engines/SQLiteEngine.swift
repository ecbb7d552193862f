import CSQLite
import Foundation

/// SQLite of the system: write-ahead log, one table, prepared statements.
///
/// Integer keys are the table's rowid. String keys are TEXT in a table WITHOUT ROWID: one tree
/// instead of two (text and blob keys measured the same). The eight bytes of a string key's value
/// are an INTEGER of the same size.
struct SQLiteEngine: Engine {
  let name: String
  private let pragmas: [String]
  private let purpose: String

  static let fileName = "store.sqlite"

  init(_ settings: Settings) {
    name = settings.name
    pragmas = settings.pragmas
    purpose = settings.purpose
  }

  var note: String {
    "SQLite \(String(cString: sqlite3_libversion())), WAL, \(purpose), prepared statements, one writer admitted at a"
      + " time by a lock of the process; synced is synchronous=FULL, relaxed is synchronous=NORMAL (synced at"
      + " checkpoints only)"
  }

  func open(_ directory: String, keys: KeyKind, durability: Durability) throws -> any Store {
    let level =
      switch durability {
      case .synced: "FULL"
      case .relaxed: "NORMAL"
      }
    return try SQLiteStore(
      engine: name, path: "\(directory)/\(Self.fileName)", keys: keys,
      pragmas: pragmas + ["synchronous=\(level)"])
  }

  /// The settings of a connection.
  struct Settings: Sendable {
    let name: String
    let purpose: String
    let pragmas: [String]

    /// These settings with a cache of `bytes` bytes and no mapped file.
    func limited(toCache bytes: Int) -> Settings {
      Settings(name: name, purpose: purpose, pragmas: pragmas + ["cache_size=\(-bytes / 1024)", "mmap_size=0"])
    }

    static let standard = Settings(name: "sqlite", purpose: "settings as shipped", pragmas: [])

    /// A cache with room for the whole store, pages read from a map, and a checkpoint every 64 MiB
    /// of log.
    ///
    /// The rare checkpoints halve the time of random inserts and cost ascending ones a few per
    /// cent. So compare ascending ones with the better of the two settings.
    static let tuned = Settings(
      name: "sqlite-tuned", purpose: "256 MiB cache, 2 GiB map, checkpoint each 64 MiB",
      pragmas: ["cache_size=-262144", "mmap_size=2147418112", "wal_autocheckpoint=16384"])
  }
}

/// One SQLite file; every session is a separate connection.
///
/// Unchecked because of `keeper`: only `init` and `settle` use it, on the thread that owns the store.
final class SQLiteStore: Store, @unchecked Sendable {
  let engine: String
  let keys: KeyKind
  /// Admits one writer at a time. SQLite's own waiting sleeps between attempts and took 1.7 times
  /// as long.
  let turn = NSLock()

  private let path: String
  private let pragmas: [String]
  private let keeper: SQLiteConnection

  init(engine: String, path: String, keys: KeyKind, pragmas: [String]) throws {
    self.engine = engine
    self.path = path
    self.keys = keys
    self.pragmas = pragmas
    keeper = try SQLiteConnection(path, engine: engine)
    try keeper.execute("PRAGMA journal_mode=WAL")
    switch keys {
    case .integers:
      try keeper.execute("CREATE TABLE entries(key INTEGER PRIMARY KEY, value BLOB NOT NULL)")
    case .strings:
      try keeper.execute("CREATE TABLE entries(key TEXT PRIMARY KEY NOT NULL, value INTEGER NOT NULL) WITHOUT ROWID")
    }
  }

  func session() throws -> any Session {
    let connection = try SQLiteConnection(path, engine: engine)
    for pragma in pragmas {
      try connection.execute("PRAGMA \(pragma)")
    }
    return try SQLiteSession(connection, of: self)
  }

  func settle() throws {
    try keeper.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  func close() throws {}
}
