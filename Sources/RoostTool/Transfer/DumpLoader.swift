import Foundation
import Roost
import RoostFile
import RoostPages
import RoostRecords
import RoostTransfer

/// Makes a store from the lines of a dump.
///
/// Rows are stored before any relationship exists, so they may come in any order. Then the relationships are added, the lists are
/// stored, and the whole store is verified. Each transaction has a few thousand lines, so a large dump needs little memory.
final class DumpLoader {
  private let batch: RecordBatch
  private let values: ValueReader
  private let source: TextReader
  private let store: RecordStore
  private let progress: (UInt64) -> Void
  private var schema: DumpSchema?
  private var catalog = Catalog()
  private var hasRelationships = false
  private var counts: [EntityID: Int] = [:]
  /// The row numbers of each entity are less than this.
  private var ends: [EntityID: UInt64] = [:]
  private(set) var rows = 0
  private(set) var lists = 0
  private var isEnded = false
  private var lines = DumpLines()

  init(_ input: any ByteInput, into path: String, limits: TransferLimits, progress: @escaping (UInt64) -> Void) throws {
    batch = try RecordBatch()
    values = try ValueReader(batch, limits: limits)
    source = try TextReader(input, .jsonLines, limits: limits)
    self.progress = progress
    store = try RecordStore(path, reservesRows: true, writer: HistoryWriter.ofThisProgram)
  }

  func run() throws {
    do { try load() } catch {
      defer { try? store.close() }
      // A dangling reference fails the check of all references. The error with the line says more.
      if hasRelationships, let missing = try? store.read(lines.missing) { throw missing }
      throw error
    }
    try store.close()
  }

  private func load() throws {
    while try source.next(batch) {
      var records = batch.records[...]
      if schema == nil, let first = records.popFirst() { try begin(first) }
      while !records.isEmpty {
        try store.write(.relaxed, author: "roost load") { writer in
          var done = 0
          // A batch of lines is a quarter of a megabyte or one long line.
          while done < 5000, let record = records.first {
            if try !line(record, writer) { break }
            records.removeFirst()
            done += 1
          }
        }
        if let record = records.first, try needsRelationships(record) { try addRelationships() }
      }
      progress(batch.inputEnd)
    }
    guard let schema else { throw TransferFault(.truncated, "the dump is empty", line: 1) }
    guard isEnded else {
      throw TransferFault(.truncated, "the dump ends before its last line: the file was cut off after \(rows) rows")
    }
    for entity in schema.entities where counts[EntityID(entity.number), default: 0] != entity.rows {
      throw TransferFault(
        .missing,
        "the dump has \(counts[EntityID(entity.number), default: 0]) rows of \(entity.name), and its first line says \(entity.rows)"
      )
    }
    try finish(schema)
  }

  // MARK: Schema

  private func begin(_ record: RecordBatch.Record) throws {
    if let fault = record.fault { throw fault }
    let schema: DumpSchema
    do { schema = try JSONDecoder().decode(DumpSchema.self, from: Data(batch.bytes(of: record))) } catch {
      throw TransferFault(
        .syntax, "the first line is not the schema of a dump: use 'roost import' for other text", line: 1)
    }
    catalog = try schema.catalog()
    self.schema = schema
    try store.write(.relaxed) { writer in
      try writer.setHistory(.off)
      try writer.change { $0 = catalog.withoutRelationships }
    }
    for entity in schema.entities where entity.nextRow > 1 {
      _ = try store.reserve(entity.nextRow - 1, of: EntityID(entity.number))
      ends[EntityID(entity.number)] = entity.nextRow
    }
  }

  private func addRelationships() throws {
    hasRelationships = true
    try store.write(.relaxed) { writer in try writer.change { $0 = catalog } }
  }

  private func finish(_ schema: DumpSchema) throws {
    if !hasRelationships { try addRelationships() }
    try store.write { writer in
      for entity in schema.entities { try writer.table(EntityID(entity.number)).keepNumbers(below: entity.nextRow) }
      try writer.setHistory(schema.historyMode)
    }
    let found = try store.verify()
    if let finding = found.findings.first {
      throw TransferFault(.wrongType, "the dump contradicts itself, so its store would be damaged: \(finding)")
    }
  }

  // MARK: Lines

  private func needsRelationships(_ record: RecordBatch.Record) throws -> Bool {
    if hasRelationships { return false }
    let word = try word(record)
    return word == "links" || word == "order"
  }

  private func word(_ record: RecordBatch.Record) throws -> String {
    if let fault = record.fault { throw fault }
    let tokens = batch.tokens[record.tokens]
    guard tokens.count > 2, tokens.first?.kind == .object else {
      throw batch.fault(.syntax, "an object is expected", at: record.bytes.lowerBound, in: record)
    }
    return batch.string(tokens[tokens.startIndex + 1])
  }

  /// Stores a line. Returns false if the relationships must be added first.
  private func line(_ record: RecordBatch.Record, _ writer: RecordWriter) throws -> Bool {
    let word = try word(record)
    func fault(_ code: TransferFault.Code, _ detail: String) -> TransferFault {
      batch.fault(code, detail, at: record.bytes.lowerBound, in: record)
    }
    if isEnded { throw fault(.syntax, "there is a line after the last one") }
    do {
      switch word {
      case "row": try row(record, writer)
      case "links", "order":
        if !hasRelationships { return false }
        try list(record, writer, isOrder: word == "order")
      case "end": try end(record)
      default: throw ValueFault(.unknown, "'\(word)' is unknown here: a line is a row, links, an order or the end")
      }
    } catch let error as ValueFault { throw fault(error.code, error.detail) } catch let error as RecordFault {
      throw fault(TransferFault.Code(error.code), error.detail)
    }
    return true
  }

  /// The tokens of a line: the values of its names, which have a fixed order.
  private func places(_ record: RecordBatch.Record, _ names: [String]) throws(ValueFault) -> [Int] {
    var at = record.tokens.lowerBound + 1
    var places: [Int] = []
    for name in names {
      guard at < record.tokens.upperBound - 1, batch.string(batch.tokens[at]) == name else {
        throw ValueFault(.syntax, "'\(name)' is expected")
      }
      places.append(at + 1)
      let value = batch.tokens[at + 1]
      at += 2 + (value.kind == .object || value.kind == .list ? value.count : 0)
    }
    guard at == record.tokens.upperBound - 1 else { throw ValueFault(.syntax, "there is more than is expected") }
    return places
  }

  private func row(_ record: RecordBatch.Record, _ writer: RecordWriter) throws {
    let places = try places(record, ["row", "of", "values"])
    if hasRelationships { throw ValueFault(.syntax, "rows come before lists") }
    let number = try DumpText.number(batch.tokens[places[0]], batch)
    let name = batch.string(batch.tokens[places[1]])
    guard let entity = catalog.entity(name) else {
      let hint = Spelling.hint(name, among: catalog.entities.map(\.name))
      throw ValueFault(.unknown, "the dump's first line has no entity '\(name)'" + hint.dropLast())
    }
    guard number > 0, number < ends[entity.id, default: 1] else {
      throw ValueFault(.outOfRange, "the dump's first line says that row numbers of \(name) end before \(number)")
    }
    guard batch.tokens[places[2]].kind == .list else { throw ValueFault(.wrongType, "a list of values is expected") }
    let table = try writer.table(entity.id)
    var builder = table.makeBuilder()
    let end = places[2] + batch.tokens[places[2]].count
    var at = places[2] + 1
    for field in entity.fields {
      guard at < end else {
        throw ValueFault(.missing, "there are fewer values than the \(entity.fields.count) fields of \(name)")
      }
      let value: Value
      do throws(ValueFault) { (value, at) = try DumpText.value(at: at, as: field.type, batch, reader: values) } catch {
        throw ValueFault(error.code, "\(error.detail), for \(name).\(field.name)")
      }
      do throws(RecordFault) { try builder.set(table.slot(field.name), value) } catch {
        throw ValueFault(TransferFault.Code(error.code), "\(error.detail), for \(name).\(field.name)")
      }
    }
    guard at == end else {
      throw ValueFault(.columns, "there are more values than the \(entity.fields.count) fields of \(name)")
    }
    try table.insert(&builder, as: RowID(number))
    counts[entity.id, default: 0] += 1
    lines.note(RowID(number), of: entity.id, line: record.line)
    rows += 1
  }

  private func list(_ record: RecordBatch.Record, _ writer: RecordWriter, isOrder: Bool) throws {
    let places = try places(record, [isOrder ? "order" : "links", "owner", "rows"])
    let number = try DumpText.number(batch.tokens[places[0]], batch)
    let owner = RowID(try DumpText.number(batch.tokens[places[1]], batch))
    guard let id = UInt32(exactly: number), let one = catalog.relationship(RelationshipID(id)), !one.isToOne else {
      throw ValueFault(.unknown, "the dump's first line has no list \(number)")
    }
    guard batch.tokens[places[2]].kind == .list else { throw ValueFault(.wrongType, "a list of rows is expected") }
    var members: [RowID] = []
    for token in batch.tokens[places[2]...].dropFirst().prefix(batch.tokens[places[2]].count - 1) {
      members.append(RowID(try DumpText.number(token, batch)))
    }
    let links = try writer.links(one)
    if isOrder {
      guard try Set(links.rows(of: owner)) == Set(members) else {
        throw ValueFault(.unknown, "the order of row \(owner.number) names other rows than those of its list")
      }
      try links.replace(members, of: owner)
    } else {
      for member in members where try !links.append(member, to: owner) {
        throw ValueFault(.duplicate, "row \(member.number) is twice in the list of row \(owner.number)")
      }
    }
    lists += 1
  }

  private func end(_ record: RecordBatch.Record) throws {
    let places = try places(record, ["end", "rows", "lists"])
    let (allRows, allLists) = (
      try DumpText.number(batch.tokens[places[1]], batch), try DumpText.number(batch.tokens[places[2]], batch)
    )
    guard allRows == rows, allLists == lists else {
      throw ValueFault(
        .missing, "the last line counts \(allRows) rows and \(allLists) lists, and there are \(rows) and \(lists)")
    }
    isEnded = true
  }
}
