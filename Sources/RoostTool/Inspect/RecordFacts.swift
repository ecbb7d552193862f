import RoostFile
import RoostPages
import RoostRecords
import RoostTransfer

/// The facts that `info` and `verify` print about a store of rows.
struct RecordFacts: Encodable {
  struct Index: Encodable {
    var name: String
    var entries: UInt64
    var isUnique: Bool
    /// False while it is built in steps.
    var isBuilt: Bool
  }

  struct Entity: Encodable {
    var name: String
    var rows: UInt64
    var largeValues: UInt64
    var indexes: [Index]
  }

  struct History: Encodable {
    var mode: String
    var entries: Int
    var gaps: Int
    var firstTransaction: UInt64?
    var lastTransaction: UInt64?
    var consumers: Int
  }

  /// The version of the models; nil if no program with models opened the store, and in `verify`.
  var version: String?
  var entities: [Entity]
  var links: UInt64
  var history: History

  /// - Parameter subclasses: the numbers of objects of subclasses. Their rows are rows of their topmost class.
  init(_ found: RecordVerification, subclasses: [String: Int]) {
    entities = found.entities.filter { !$0.name.hasPrefix("@") }.map { entity in
      Entity(
        name: entity.name, rows: subclasses[entity.name].map { UInt64($0) } ?? entity.rows,
        largeValues: entity.largeValues,
        indexes: entity.indexes.map {
          Index(name: $0.name, entries: $0.entries, isUnique: $0.isUnique, isBuilt: $0.isBuilt)
        })
    }
    links = found.links
    history = History(
      mode: "\(found.history.mode)", entries: found.history.entries, gaps: found.history.gaps,
      firstTransaction: found.history.first, lastTransaction: found.history.last,
      consumers: found.history.consumers)
  }

  /// The numbers of objects of all subclasses.
  static func subclasses(_ reader: RecordReader) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for name in Looking.names(reader.catalog) {
      let rows = try Looking.rowClass(name, reader.catalog)
      if rows.isSubclass { counts[name] = try rows.count(reader) }
    }
    return counts
  }

  /// The facts of one state of a store that need no walk through all rows.
  init(_ reader: RecordReader) throws {
    let catalog = reader.catalog
    version = catalog.version?.number
    entities = try catalog.entities.filter { !$0.name.hasPrefix("@") }.map { entity in
      let table = try reader.table(entity.id)
      return Entity(
        name: entity.name, rows: UInt64(try Looking.rowClass(entity.name, catalog).count(reader)),
        largeValues: UInt64(table.largeCount),
        indexes: table.indexes.map {
          Index(name: $0.index.name, entries: UInt64($0.count), isUnique: $0.index.isUnique, isBuilt: $0.isWhole)
        })
    }
    links = try catalog.relationships.reduce(0) { UInt64(try reader.linkCount($1)) + $0 }
    let facts = try reader.historyFacts
    history = History(
      mode: "\(facts.mode)", entries: facts.entries, gaps: facts.gaps, firstTransaction: facts.first,
      lastTransaction: facts.last, consumers: facts.consumers)
  }

  /// Whether the file holds rows. If that is unknown, it is treated as a store of keys and values.
  static func isThere(_ path: String) -> Bool { (try? StoreContent.of(path)) == .rows }

  func write(to console: Console) {
    if let version { console.line("  models: version \(version)") }
    for entity in entities {
      var text = ReadableNumber.count(entity.rows, "row")
      if entity.largeValues > 0 { text += ", \(ReadableNumber.count(entity.largeValues, "piece")) of large values" }
      console.line("  " + console.styled(entity.name, .strong) + ": " + text)
      for index in entity.indexes {
        var text = "index \(index.name): \(ReadableNumber.count(index.entries, "entry", nouns: "entries"))"
        if index.isUnique { text += ", unique" }
        if !index.isBuilt { text += ", not built to the end" }
        console.line("    " + text)
      }
    }
    if links > 0 { console.line("  links: \(ReadableNumber.count(links))") }
    var text = "history: \(history.mode)"
    if let first = history.firstTransaction, let last = history.lastTransaction {
      text +=
        ", \(ReadableNumber.count(history.entries, "entry", nouns: "entries")) from transaction \(first) to \(last)"
    }
    if history.gaps > 0 { text += ", \(ReadableNumber.count(history.gaps, "gap"))" }
    if history.consumers > 0 { text += ", \(ReadableNumber.count(history.consumers, "consumer"))" }
    console.line("  " + text)
  }
}
