/// The music library as objects over SQLite: hand-written plain classes and an identity map.
struct SQLiteObjectsEngine: LibraryEngine {
  let name = "sqlite-objects"
  let note =
    "the tables and settings of `sqlite-tuned`, and an object layer over them, written by hand for these operations: a plain class with"
    + " strings and dates, an identity map, one object a row, prepared statements, saves that write changed columns only; no history, no"
    + " observation"
  let readsAlbums = false
  private let settings: SQLiteEngine.Settings

  init(_ settings: SQLiteEngine.Settings = .tuned) { self.settings = settings }

  func limited(toCache bytes: Int) -> any LibraryEngine { SQLiteObjectsEngine(settings.limited(toCache: bytes)) }

  /// The first of these operations make no object in an object layer either; they are the same as
  /// in `sqlite-tuned`.
  let omits: Set<RowsOperation> = [
    .genreCounts, .genreAverages, .playSum, .importBatch, .playCountsTogether, .deletionsTogether, .size,
    .childrenAssigned, .open,
  ]

  func open(_ directory: String, _ library: Library, durability: Durability) throws -> any LibraryStore {
    SQLiteObjectsStore(try SQLiteLibraryEngine(settings, name: name).store(directory, library, durability))
  }
}

final class SQLiteObjectsStore: LibraryStore {
  private let rows: SQLiteLibraryStore

  init(_ rows: SQLiteLibraryStore) { self.rows = rows }

  func session() throws -> any LibrarySession { try SQLiteObjectsSession(try rows.connect()) }
  func close() throws { try rows.close() }
}
