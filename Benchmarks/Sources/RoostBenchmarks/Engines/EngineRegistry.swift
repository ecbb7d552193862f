/// The engines, in the order of the tables' columns.
enum EngineRegistry {
  static let engines: [any Engine] =
    [
      RoostEngine(),
      SQLiteEngine(.standard),
      SQLiteEngine(.tuned),
      LMDBEngine(),
    ] + rocksDB.engines + wiredTiger.engines

  static let libraries: [any LibraryEngine] =
    [
      RoostLibraryEngine(),
      SQLiteLibraryEngine(.standard),
      SQLiteLibraryEngine(.tuned),
      LMDBLibraryEngine(),
    ] + rocksDB.libraries + wiredTiger.libraries

  /// Object layers: Roost's, and those over SQLite, compared with rows of SQLite.
  static let objects: [any LibraryEngine] =
    [
      ObjectsEngine(),
      SQLiteLibraryEngine(.standard),
      SQLiteLibraryEngine(.tuned),
      SQLiteObjectsEngine(),
    ] + grdb

  private typealias OptionalPeer = (engines: [any Engine], libraries: [any LibraryEngine])

  // Peers that are included if the manifest found their headers.
  #if RocksDB
    private static let rocksDB: OptionalPeer = ([RocksDBEngine()], [RocksDBLibraryEngine()])
  #else
    private static let rocksDB: OptionalPeer = ([], [])
  #endif
  #if WiredTiger
    private static let wiredTiger: OptionalPeer = ([WiredTigerEngine()], [WiredTigerLibraryEngine()])
  #else
    private static let wiredTiger: OptionalPeer = ([], [])
  #endif
  // A peer that is included if `GRDB_PATH` names its checkout.
  #if GRDB
    private static let grdb: [any LibraryEngine] = [GRDBLibraryEngine()]
  #else
    private static let grdb: [any LibraryEngine] = []
  #endif

  /// The engine whose times are divided by those of the others.
  static let subject = "roost"
}
