import Foundation
import RoostFile
import RoostRecords
import RoostTransfer

extension Command {
  static var history: Command {
    Command(
      name: "history", summary: "Print what transactions changed, the newest last. Nothing is written.",
      discussion: [
        "With '--follow' it goes on with what is committed from now on, until it is stopped; the store may be open in",
        "another process, which knows nothing of it.",
      ],
      syntax: Syntax(
        operands: [Syntax.Operand(name: "path", help: "The store. It may be open in another process.")],
        options: [
          Syntax.Option(name: "limit", value: "n", help: "At most so many transactions, the newest (20).", letter: "n"),
          Syntax.Option(name: "after", value: "transaction", help: "Those behind this one, the oldest first."),
          Syntax.Option(name: "entity", value: "name", help: "Those that changed its rows.", isRepeating: true),
          Syntax.Option(name: "author", value: "name", help: "Those of this author."),
          Syntax.Option(name: "follow", help: "Go on with what comes.", letter: "f"),
          Syntax.Option(name: "interval", value: "ms", help: "How often it is looked for what comes (500)."),
          Syntax.Option(name: "json", help: "Print JSON, a line for each transaction."),
        ])
    ) { arguments, console in
      try HistoryTail(arguments, console).run()
    }
  }
}

/// The end of a store's history, and what comes behind it.
struct HistoryTail {
  struct Change: Encodable {
    var entity: String
    /// `insert`, `update` or `delete`.
    var kind: String
    var first: UInt64
    var last: UInt64
    var properties: [String]?
    /// What was kept of the row, as text.
    var values: [String: String?]?
  }

  struct Line: Encodable {
    var transaction: UInt64
    var time: String
    var author: String
    var isCatalogChanged: Bool
    var changes: [Change]
  }

  private let path: String
  private let limit: Int
  private let after: UInt64?
  private let entities: [String]
  private let author: String?
  private let follows: Bool
  private let interval: Int
  private let isJSON: Bool
  private let console: Console

  init(_ arguments: Arguments, _ console: Console) throws {
    path = arguments.operands[0]
    let after = try arguments.number("after", in: 0...Int.max)
    self.after = after.map { UInt64($0) }
    limit = try arguments.number("limit", in: 0...Int.max) ?? (after == nil ? 20 : .max)
    entities = arguments.texts("entity")
    author = arguments.text("author")
    follows = arguments.has("follow")
    interval = try arguments.number("interval", in: 10...3_600_000) ?? 500
    isJSON = arguments.has("json")
    self.console = console
  }

  func run() throws -> Ending {
    let witness = try Looking.rows(path)
    // Asked before it is read, so that nothing falls between the two.
    var changed: [Date?]? = Self.changed(witness.path)
    var (lines, place) = try witness.read { reader in
      (try after.map { try read(reader, after: $0, most: limit) } ?? newest(reader), reader.commit)
    }
    try put(lines)
    if lines.isEmpty, !follows, !isJSON { console.line("no transaction") }
    while follows {
      usleep(UInt32(clamping: interval * 1000))
      try console.checkReader()
      let now = Self.changed(witness.path)
      // Two writes may have one time, so what is new is looked at once more.
      let isNew = now.contains { $0.map { -$0.timeIntervalSinceNow < 1 } ?? false }
      if now == changed, !isNew { continue }
      guard let found = try next(witness, place) else { continue }
      changed = now
      (lines, place) = found
      try put(lines)
    }
    return .good
  }

  /// What came since a transaction; nil while the owner writes the store anew each time, so that it could not be read.
  private func next(_ witness: RecordWitness, _ place: UInt64) throws -> (lines: [Line], place: UInt64)? {
    do {
      guard try witness.refresh() else { return ([], place) }
      return try witness.read { reader in (try read(reader, after: place, most: .max), max(place, reader.commit)) }
    } catch let error as StoreError where error.code == .busy { return nil }
  }

  /// When the store's files were last written.
  private static func changed(_ path: String) -> [Date?] {
    [path, path + "-log"].map { path in
      (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
  }

  // MARK: Reading

  private func range(_ reader: RecordReader) throws -> HistoryRange {
    var range = HistoryRange(by: author, crossesGaps: true)
    if !entities.isEmpty { range.entities = Set(try entities.map { try Looking.entity($0, reader.catalog).id }) }
    return range
  }

  private func read(_ reader: RecordReader, after place: UInt64, most: Int) throws -> [Line] {
    var range = try range(reader)
    range.after = place
    let cursor = try reader.history(range)
    var lines: [Line] = []
    while lines.count < most, let transaction = try cursor.move() {
      lines.append(try line(transaction, reader, range.entities))
    }
    return lines
  }

  private func newest(_ reader: RecordReader) throws -> [Line] {
    var range = try range(reader)
    range.isReversed = true
    let cursor = try reader.history(range)
    var lines: [Line] = []
    while lines.count < limit, let transaction = try cursor.move() {
      lines.append(try line(transaction, reader, range.entities))
    }
    return lines.reversed()
  }

  private func line(
    _ transaction: HistoryTransaction, _ reader: RecordReader, _ wanted: Set<EntityID>?
  ) throws -> Line {
    let catalog = reader.catalog
    var changes: [Change] = []
    try transaction.entry.changes(of: wanted) { change in
      let entity = catalog.entity(change.entity)
      func fieldName(_ id: FieldID) -> String { entity?.field(id)?.name ?? "field \(id.number)" }
      let name = entity?.name ?? "entity \(change.entity.number)"
      // What is ours is nobody's business.
      if name.hasPrefix("@") { return }
      var found = Change(
        entity: name, kind: "\(change.kind)", first: change.rows.lowerBound, last: change.rows.upperBound)
      if change.kind == .update {
        let relationships = change.relationships.map { number in
          catalog.relationship(RelationshipID(number))?.name ?? "relationship \(number)"
        }
        found.properties = change.fields.map { fieldName($0) } + relationships
      }
      if !change.values.isEmpty {
        found.values = Dictionary(
          change.values.map { (fieldName($0.field), Self.text($0)) }, uniquingKeysWith: { first, _ in first })
      }
      changes.append(found)
    }
    return Line(
      transaction: transaction.number, time: Self.time(transaction.stamp), author: transaction.author,
      isCatalogChanged: transaction.entry.isCatalogChanged, changes: changes)
  }

  private static func text(_ kept: HistoryChange.Kept) -> String? {
    switch kept.content {
    case .tooLarge(let count): return "(\(Wording.bytes(count)))"
    case .value(.null): return nil
    case .value(let value):
      var text: [UInt8] = []
      switch value {
      case .array, .set, .dictionary, .structure: ValueWriter.appendJSON(value, as: kept.type, to: &text)
      default: return ValueWriter.plain(value)
      }
      return String(decoding: text, as: UTF8.self)
    }
  }

  private static func time(_ stamp: HybridTime) -> String {
    // Seconds since 2001, as dates are written everywhere else.
    ValueWriter.plain(.date(Double(stamp.milliseconds) / 1000 - 978_307_200))
  }

  // MARK: Printing

  private func put(_ lines: [Line]) throws {
    for line in lines {
      if isJSON { try console.jsonLine(line) } else { show(line) }
      try console.checkReader()
    }
  }

  private func show(_ line: Line) {
    var words = "\(line.time)  \(line.author.isEmpty ? "-" : line.author)  "
    var parts: [String] = line.isCatalogChanged ? ["models changed"] : []
    var counts: [(key: String, rows: UInt64, first: UInt64, last: UInt64, properties: [String])] = []
    for change in line.changes {
      let key = "\(change.entity) \(change.kind)"
      let rows = change.last - change.first + 1
      if let at = counts.firstIndex(where: { $0.key == key }) {
        counts[at].rows += rows
        counts[at].last = max(counts[at].last, change.last)
        counts[at].properties += (change.properties ?? []).filter { !counts[at].properties.contains($0) }
      } else {
        counts.append((key, rows, change.first, change.last, change.properties ?? []))
      }
    }
    let verbs = ["insert": "inserted", "update": "updated", "delete": "deleted"]
    for one in counts {
      let (entity, kind) =
        one.key.split(separator: " ").last.map { (one.key.dropLast($0.count + 1), String($0)) } ?? ("", "")
      var text = "\(entity): \(Wording.count(one.rows)) \(verbs[kind] ?? kind)"
      text += one.rows == 1 ? " (#\(one.first)" : " (#\(one.first) to #\(one.last)"
      if !one.properties.isEmpty { text += ": " + one.properties.joined(separator: ", ") }
      parts.append(text + ")")
    }
    words += parts.isEmpty ? "nothing of rows" : parts.joined(separator: "; ")
    console.line(console.styled("\(line.transaction)", .strong) + "  " + words)
  }
}
