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

  /// The engine that ratios are taken of.
  static let subject = "roost"
}
