import RoostCare
import RoostFile
import RoostGraph
import RoostKV
import RoostPages
import RoostRecords
import RoostTransfer

/// Opens stores that another process may have open. It writes nothing and takes no lock.
enum Looking {
  /// Opens a store of rows. Throws for a store of keys and values, and names the commands for it.
  static func rows(_ path: String) throws -> RecordWitness {
    if try StoreContent.of(path) == .keys {
      throw CheckFailure(
        sentence: "\(path) holds trees of keys and values, and no rows; 'roost info' and 'roost stats' describe them")
    }
    return try RecordWitness(path)
  }

  /// Opens any store as a store of trees.
  static func trees<Result>(_ path: String, _ body: (KeyValueStore) throws -> Result) throws -> Result {
    var store = try openTrees(path, isReading: true)
    defer { try? store.close() }
    return try Store.retrying(
      { store.store },
      renew: {
        try? store.close()
        store = try openTrees(path, isReading: true)
      }
    ) { try body(store) }
  }

  /// Opens a store of either kind, for commands that work on the whole file.
  static func openTrees(_ path: String, isReading: Bool) throws -> KeyValueStore {
    var settings = StoreSettings()
    settings.readOnly = isReading
    settings.createIfMissing = false
    let floor = try StoreContent.of(path) == .rows ? RecordStore.floor : nil
    return try KeyValueStore(path, options: settings.options, fileSystem: DiskFileSystem.shared, floor: floor)
  }

  /// The class with a name. Rows of a subclass are stored with those of its topmost class.
  static func rowClass(_ name: String, _ catalog: Catalog) throws -> RowClass {
    let entity = try entity(name, catalog)
    guard let lineage = try StoredLineage(name, catalog), let root = catalog.entity(lineage.root) else {
      return RowClass(entity)
    }
    return RowClass(name, in: root, above: lineage.above, heirs: lineage.heirs, catalog)
  }

  /// The names of the classes of a store.
  static func names(_ catalog: Catalog) -> [String] {
    catalog.entities.map(\.name).filter { !$0.hasPrefix("@") }.sorted()
  }

  static func entity(_ name: String, _ catalog: Catalog) throws -> Entity {
    if let entity = catalog.entity(name) { return entity }
    let known = catalog.entities.map(\.name).filter { !$0.hasPrefix("@") }.sorted()
    let hint = Spelling.hint(name, among: known)
    let names = known.isEmpty ? "nothing" : known.prefix(20).map { "'\($0)'" }.joined(separator: ", ")
    throw CheckFailure(
      sentence: "the store has no '\(name)'"
        + (hint.isEmpty ? "; it has \(names)" : hint + " It has \(names)")
    )
  }
}
