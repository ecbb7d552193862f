/// The engines that take part, in the order of the tables' columns.
enum EngineRegistry {
  static let engines: [any Engine] = [
    RoostEngine(),
    SQLiteEngine(.standard),
    SQLiteEngine(.tuned),
    LMDBEngine(),
  ]

  static let libraries: [any LibraryEngine] = [
    RoostLibraryEngine(),
    SQLiteLibraryEngine(.standard),
    SQLiteLibraryEngine(.tuned),
    LMDBLibraryEngine(),
  ]

  /// Objects beside rows of SQLite and an object layer over them.
  static let objects: [any LibraryEngine] = [
    ObjectsEngine(),
    SQLiteLibraryEngine(.standard),
    SQLiteLibraryEngine(.tuned),
    SQLiteObjectsEngine(),
  ]

  /// The engine that ratios are taken of.
  static let subject = "roost"
}
