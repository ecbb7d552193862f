import RoostFile
import RoostTestSupport
import Testing

@testable import RoostRecords

/// The expected history of a store, kept beside it in plain dictionaries.
struct HistoryLedger {
  typealias Row = [String: Value]

  /// The changes of one transaction to the existing rows, and the rows that it added.
  struct Page: Equatable {
    var number: UInt64 = 0
    var author = ""
    var isCatalogChanged = false
    var inserted = Set<UInt64>()
    var updated: [UInt64: Set<String>] = [:]
    /// For each deleted row, its `id` before the transaction.
    var deleted: [UInt64: Value] = [:]

    var isEmpty: Bool { !isCatalogChanged && inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
  }

  var rows: [UInt64: Row] = [:]
  var next: UInt64 = 1
  /// Reserved numbers without a row yet; nil if there are none.
  var reserved: [RowID]?
  var number: UInt64 = 0
  var pages: [Page] = []
  /// The open transaction, and the rows before it.
  var page = Page()
  var before: [UInt64: Row] = [:]
  /// Whether the open transaction has anything to commit.
  var hasRecords = false

  static let names = ["id", "title", "genre", "rating", "text"]

  static func catalog() throws -> RoostRecords.Catalog {
    var catalog = Catalog()
    try catalog.add(entity: "Other") { (entity) throws(RecordFault) in try entity.add("name", .string) }
    try catalog.add(entity: "Track") { (entity) throws(RecordFault) in
      try entity.add("id", .string)
      try entity.add("title", .string)
      try entity.add("genre", .string, isOptional: true)
      try entity.add("rating", .int16, isOptional: true)
      try entity.add("text", .string)
    }
    try catalog.add(index: "id", of: "Track", on: ["id"], isUnique: true)
    try catalog.add(index: "genre", of: "Track", on: ["genre", "title"])
    return catalog
  }

  mutating func begin(_ author: String) {
    page = Page()
    page.author = author
    before = rows
    hasRecords = false
  }

  mutating func commit() {
    guard hasRecords else { return }
    number += 1
    page.number = number
    if !page.isEmpty { pages.append(page) }
  }

  private static func value(_ name: String, _ generator: inout SplitMix64) -> Value {
    switch name {
    case "id": .string("id \(generator.below(200))")
    case "title": .string(String(repeating: "t\(generator.below(9))", count: generator.below(6)))
    case "genre": generator.chance(1, in: 4) ? .null : .string("genre \(generator.below(5))")
    case "rating": generator.chance(1, in: 3) ? .null : .int(Int64(generator.below(6)))
    default:
      .string(String(repeating: "x", count: [10, 300, 1500, 9000][generator.below(4)]) + "\(generator.below(9))")
    }
  }

  /// Inserts under the next number, or under any reserved one.
  private mutating func insert(
    _ builder: inout RowBuilder, _ table: TableWriter, _ generator: inout SplitMix64
  ) throws -> RowID {
    guard let numbers = reserved, !numbers.isEmpty, generator.chance(3, in: 4) else {
      return try table.insert(&builder)
    }
    let at = generator.below(numbers.count)
    try table.insert(&builder, as: numbers[at])
    reserved?.remove(at: at)
    return numbers[at]
  }

  /// Reserves some more numbers, if this play reserves numbers.
  mutating func reserve(_ store: RecordStore, _ generator: inout SplitMix64) throws {
    guard var numbers = reserved, numbers.count < 40 else { return }
    let entity = try store.read { try $0.table("Track").entity.id }
    for _ in 0..<generator.below(4) {
      let count = UInt64(1 + generator.below(5))
      let first = try store.reserve(count, of: entity)
      #expect(rows[first.number] == nil && !numbers.contains(first))
      numbers += (0..<count).map { RowID(first.number + $0) }
    }
    reserved = numbers
  }

  /// Changes the table and the ledger in the same way.
  mutating func change(_ table: TableWriter, _ generator: inout SplitMix64) throws {
    let some = rows.keys.sorted()
    switch some.isEmpty ? 0 : generator.below(6) {
    case 0...2:
      let values = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, Self.value($0, &generator)) })
      let isTaken = rows.values.contains { $0["id"] == values["id"] }
      do {
        var builder = table.makeBuilder()
        for (name, value) in values { try builder.set(table.slot(name), value) }
        let id = try insert(&builder, table, &generator)
        #expect(!isTaken && rows[id.number] == nil)
        if reserved == nil { #expect(id.number == next) }
        next = max(next, id.number + 1)
        rows[id.number] = values
        page.inserted.insert(id.number)
        hasRecords = true
      } catch let fault as RecordFault {
        #expect(fault.code == .notUnique && isTaken)
      }
    case 3, 4:
      let id = some[generator.below(some.count)]
      let values = Self.names.filter { _ in generator.chance(1, in: 3) }.map { ($0, Self.value($0, &generator)) }
      let isTaken = rows.contains { row in row.key != id && values.contains { $0.0 == "id" && row.value["id"] == $0.1 }
      }
      do {
        try table.update(RowID(id)) { builder in
          for (name, value) in values { try builder.set(table.slot(name), value) }
        }
        #expect(!isTaken)
      } catch let fault as RecordFault {
        #expect(fault.code == .notUnique && isTaken)
        return
      }
      // A value outside the row counts as changed whenever it is set.
      let changed = values.filter { name, value in
        if rows[id]![name] != value { return true }
        if case .string(let text) = value { return name == "text" && text.utf8.count > 1000 }
        return false
      }
      for (name, value) in values { rows[id]![name] = value }
      if !page.inserted.contains(id), !changed.isEmpty {
        page.updated[id, default: []].formUnion(changed.map(\.0))
      }
      if !changed.isEmpty { hasRecords = true }
    default:
      let id = some[generator.below(some.count)]
      #expect(try table.delete(RowID(id)))
      rows[id] = nil
      page.updated[id] = nil
      if page.inserted.remove(id) == nil { page.deleted[id] = before[id]!["id"]! }
      hasRecords = true
    }
  }

  // MARK: The store's history

  static func page(_ transaction: HistoryCommit, _ catalog: RoostRecords.Catalog) throws -> Page {
    var page = Page()
    page.number = transaction.number
    page.author = transaction.author
    page.isCatalogChanged = transaction.entry.isCatalogChanged
    let entity = try #require(catalog.entity("Track"))
    try transaction.entry.changes { change in
      #expect(change.entity == entity.id)
      switch change.kind {
      case .insert: page.inserted.formUnion(change.rows)
      case .update:
        page.updated[change.row.number] = Set(change.fields.compactMap { entity.field($0)?.name })
        #expect(change.relationships.isEmpty)
      case .delete:
        let id = change.values.first { $0.field == entity.field("id")?.id }
        guard case .value(let value)? = id?.content else {
          Issue.record("a deleted row without its id")
          return
        }
        page.deleted[change.row.number] = value
      }
    }
    return page
  }

  static func pages(
    _ reader: RecordReader, after token: HistoryPlace? = nil, crossesGaps: Bool = false
  ) throws -> [(page: Page, token: HistoryPlace)] {
    let cursor = try reader.history(after: token, crossesGaps: crossesGaps)
    var found: [(Page, HistoryPlace)] = []
    while let transaction = try cursor.move() {
      found.append((try page(transaction, reader.catalog), transaction.token))
    }
    return found
  }

  /// The rows that the full history produces are the existing rows.
  static func rebuild(_ reader: RecordReader, _ context: String) throws {
    let entity = try #require(reader.catalog.entity("Track"))
    var rows: [UInt64: [FieldID: RowsChange.Content]] = [:]
    let cursor = try reader.history()
    while let transaction = try cursor.move() {
      try transaction.entry.changes { change in
        let values = Dictionary(uniqueKeysWithValues: change.values.map { ($0.field, $0.content) })
        switch change.kind {
        case .insert: rows[change.row.number] = values
        case .update: rows[change.row.number]?.merge(values) { $1 }
        case .delete: #expect(rows.removeValue(forKey: change.row.number) != nil, "\(context)")
        }
      }
    }
    let table = try reader.table("Track")
    #expect(table.count == rows.count, "\(context)")
    for (id, contents) in rows {
      let values = try #require(try table.values(RowID(id)), "\(context)")
      for field in entity.fields {
        switch (contents[field.id], values[field.name]) {
        case (.value(let one)?, let other?): #expect(one == other, "\(context) row \(id)")
        case (.tooLarge(let count)?, .string(let text)?): #expect(count == text.utf8.count, "\(context) row \(id)")
        // The field was added after the entry about the row.
        case (nil, let other?): #expect(other == field.initial ?? .null, "\(context) row \(id)")
        default: Issue.record("\(context) row \(id)")
        }
      }
    }
  }
}
