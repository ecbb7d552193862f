import Foundation
import RoostFile
import RoostRecords
import RoostTransfer

extension Command {
  static var history: Command {
    Command(
      name: "history", summary: "Print what transactions changed, the newest last. Writes nothing.",
      discussion: [
        "With '--follow' it also prints new commits until you stop it. Another process may have the store open, and is not",
        "disturbed.",
      ],
      syntax: Syntax(
        operands: [Syntax.Operand(name: "path", help: "The store. It may be open in another process.")],
        options: [
          Syntax.Option(
            name: "limit", value: "n", help: "Print at most this many transactions, the newest (20).", letter: "n"),
          Syntax.Option(
            name: "after", value: "transaction", help: "Print those after this transaction, the oldest first."),
          Syntax.Option(
            name: "entity", value: "name", help: "Print those that changed rows of this entity.", isRepeating: true),
          Syntax.Option(name: "author", value: "name", help: "Print those of this author."),
          Syntax.Option(name: "program", value: "name", help: "Print those that this program wrote."),
          Syntax.Option(
            name: "as-of", value: "moment",
            help: "Print those up to a transaction, or before a time, as '2026-01-31T12:00:00Z'."),
          Syntax.Option(name: "follow", help: "Continue with new commits.", letter: "f"),
          Syntax.Option(name: "interval", value: "ms", help: "How often to look for new commits (500)."),
          Syntax.Option(name: "json", help: "Print JSON, a line for each transaction."),
        ])
    ) { arguments, console in
      try HistoryTail(arguments, console).run()
    }
  }
}

/// The end of a store's history, and the following commits.
struct HistoryTail {
  struct Change: Encodable {
    var entity: String
    /// `insert`, `update` or `delete`.
    var kind: String
    var first: UInt64
    var last: UInt64
    var properties: [String]?
    /// The stored values of the row, as text.
    var values: [String: String?]?
  }

  struct Line: Encodable {
    var transaction: UInt64
    var time: String
    var author: String
    /// The program that wrote it, and its process; nil if unknown.
    var program: String?
    var process: UInt64?
    var isCatalogChanged: Bool
    var changes: [Change]
  }

  private let path: String
  private let limit: Int
  private let after: UInt64?
  private let asOf: String?
  private let entities: [String]
  private let author: String?
  private let program: String?
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
    program = arguments.text("program")
    asOf = arguments.text("as-of")
    follows = arguments.has("follow")
    if follows, asOf != nil { throw UsageError(sentence: "'--follow' prints new commits: leave '--as-of' out") }
    interval = try arguments.number("interval", in: 10...3_600_000) ?? 500
    isJSON = arguments.has("json")
    self.console = console
  }

  func run() throws -> Ending {
    let witness = try Looking.rows(path)
    // Read before the history, so that no commit is missed in between.
    var changed: [Date?]? = Self.changed(witness.path)
    var shown = try show(witness) { reader, output in
      guard let start = try after ?? start(reader) else { return Shown(count: 0, place: reader.commit) }
      return try show(reader, after: start, most: limit, output)
    }
    if shown.count == 0, !follows, !isJSON { console.line("no transaction") }
    while follows {
      usleep(UInt32(clamping: interval * 1000))
      try console.checkReader()
      let now = Self.changed(witness.path)
      // Two writes may have the same time, so new content is read once more.
      let isNew = now.contains { $0.map { -$0.timeIntervalSinceNow < 1 } ?? false }
      if now == changed, !isNew, !shown.isCut { continue }
      guard let next = try next(witness, shown.place) else { continue }
      (changed, shown) = (now, next)
    }
    return .good
  }

  /// The number of printed transactions, and the last one of them.
  private struct Shown {
    var count: Int
    var place: UInt64
    /// Whether further transactions follow the last printed one.
    var isCut = false
  }

  /// Prints the transactions after `place`; nil if the owner writes so often that the store could
  /// not be read.
  private func next(_ witness: RecordWitness, _ place: UInt64) throws -> Shown? {
    do {
      _ = try witness.refresh()
      // The opened state is not always the printed one: an earlier reading may have failed.
      return try show(witness) { reader, output in
        reader.commit == place ? Shown(count: 0, place: place) : try show(reader, after: place, most: .max, output)
      }
    } catch let error as StoreError where error.code == .busy { return nil }
  }

  /// Prints the result of a reading after all of it was read.
  private func show(
    _ witness: RecordWitness, _ body: (RecordReader, HeldOutput) throws -> Shown
  ) throws -> Shown {
    let output = HeldOutput(ConsoleOutput(console, filter: { $0 }))
    do {
      let shown = try witness.read(mayRestart: { !output.hasFlowed }) { reader in
        output.restart()
        return try body(reader, output)
      }
      try output.release()
      return shown
    } catch let error as StoreError where error.code == .busy && output.hasFlowed {
      // A part of it was printed, and cannot be printed again.
      throw StoreError(.ioError, error.detail, path: error.path)
    }
  }

  /// The times of the last writes to the store's files.
  private static func changed(_ path: String) -> [Date?] {
    [path, path + "-log"].map { path in
      (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
  }

  // MARK: Reading

  private func range(_ reader: RecordReader) throws -> HistoryRange {
    var range = HistoryRange(by: author, crossesGaps: true)
    range.program = program
    if let asOf { range.through = try AsOf.place(asOf, reader).transaction }
    if !entities.isEmpty { range.entities = Set(try entities.map { try entity($0, reader.catalog) }) }
    return range
  }

  /// The history identifies rows by their topmost class.
  private func entity(_ name: String, _ catalog: Catalog) throws -> EntityID {
    let rows = try Looking.rowClass(name, catalog)
    if rows.isSubclass {
      throw CheckFailure(
        sentence: "the history has no '\(name)': its rows are rows of \(rows.entity.name), so ask for the history of "
          + rows.entity.name)
    }
    return rows.entity.id
  }

  /// Prints transactions after one, the oldest first.
  private func show(
    _ reader: RecordReader, after place: UInt64, most: Int, _ output: HeldOutput
  ) throws -> Shown {
    var range = try range(reader)
    range.after = place
    let cursor = try reader.history(range)
    var shown = Shown(count: 0, place: reader.commit)
    var last = place
    while let transaction = try cursor.move() {
      if shown.count == most { return Shown(count: most, place: last, isCut: true) }
      if isJSON {
        try writeJSON(transaction, reader.catalog, wanted: range.entities, output: output)
      } else {
        try output.write(console.text(words(transaction, reader.catalog, wanted: range.entities)) + "\n")
      }
      last = transaction.number
      shown.count += 1
    }
    return shown
  }

  /// The transaction before the newest `most` ones; nil if there is none.
  private func start(_ reader: RecordReader) throws -> UInt64? {
    var range = try range(reader)
    range.isReversed = true
    let cursor = try reader.history(range)
    var (count, first): (Int, UInt64?) = (0, nil)
    while count < limit, let transaction = try cursor.move() { (count, first) = (count + 1, transaction.number) }
    return first.map { $0 - 1 }
  }

  // MARK: Printing

  /// Writes one change after the other, because there may be millions.
  private func writeJSON(
    _ transaction: HistoryCommit, _ catalog: Catalog, wanted: Set<EntityID>?, output: HeldOutput
  ) throws {
    let writer = transaction.writer
    let line = Line(
      transaction: transaction.number, time: Self.time(transaction.stamp), author: transaction.author,
      program: writer == .unknown ? nil : writer.program, process: writer == .unknown ? nil : writer.process,
      isCatalogChanged: transaction.entry.isCatalogChanged, changes: [])
    let parts = try Console.jsonText(line).components(separatedBy: #""changes":[]"#)
    guard parts.count == 2 else { return }
    try output.write(parts[0] + #""changes":["#)
    var isFirst = true
    try forEachChange(of: transaction, catalog, wanted) { change in
      try output.write((isFirst ? "" : ",") + Console.jsonText(change))
      isFirst = false
    }
    try output.write("]" + parts[1] + "\n")
  }

  private func forEachChange(
    of transaction: HistoryCommit, _ catalog: Catalog, _ wanted: Set<EntityID>?, body: (Change) throws -> Void
  ) throws {
    try transaction.entry.changes(of: wanted) { change in
      let entity = catalog.entity(change.entity)
      func fieldName(_ id: FieldID) -> String { entity?.field(id)?.name ?? "field \(id.number)" }
      let name = entity?.name ?? "entity \(change.entity.number)"
      // Entities of the engine are not shown.
      if name.hasPrefix("@") { return }
      var found = Change(
        entity: name, kind: "\(change.kind)", first: change.rows.lowerBound, last: change.rows.upperBound)
      if change.kind == .update {
        let relationships = change.relationships.map { number in
          catalog.relationship(RelationshipID(number))?.name ?? "relationship \(number)"
        }
        found.properties = change.fields.map { fieldName($0) } + relationships
      }
      if isJSON, !change.values.isEmpty {
        found.values = Dictionary(
          change.values.map { (fieldName($0.field), Self.text($0)) }, uniquingKeysWith: { first, _ in first })
      }
      try body(found)
    }
  }

  private static func text(_ kept: RowsChange.Kept) -> String? {
    switch kept.content {
    case .tooLarge(let count): return "(\(ReadableNumber.bytes(count)))"
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
    // Seconds since 2001, as all dates are written. Milliseconds are appended, because a binary
    // number cannot hold them exactly.
    let seconds = ValueWriter.plain(.date(Double(stamp.milliseconds / 1000) - 978_307_200)).dropLast()
    let digits = String(stamp.milliseconds % 1000)
    return seconds + "." + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
  }

  /// A line about a transaction, with a sum for each entity.
  private func words(
    _ transaction: HistoryCommit, _ catalog: Catalog, wanted: Set<EntityID>?
  ) throws -> StyledText {
    struct Sum {
      var (entity, kind): (String, String)
      var rows: UInt64 = 0
      var (first, last): (UInt64, UInt64)
      var properties: [String] = []
    }
    var sums: [Sum] = []
    try forEachChange(of: transaction, catalog, wanted) { change in
      let found = sums.firstIndex { $0.entity == change.entity && $0.kind == change.kind }
      if found == nil {
        sums.append(Sum(entity: change.entity, kind: change.kind, first: change.first, last: change.last))
      }
      let at = found ?? sums.count - 1
      sums[at].rows += change.last - change.first + 1
      sums[at].first = min(sums[at].first, change.first)
      sums[at].last = max(sums[at].last, change.last)
      for one in change.properties ?? [] where !sums[at].properties.contains(one) { sums[at].properties.append(one) }
    }
    var parts = transaction.entry.isCatalogChanged ? ["models changed"] : []
    let verbs = ["insert": "inserted", "update": "updated", "delete": "deleted"]
    for one in sums {
      var text = "\(one.entity): \(ReadableNumber.count(one.rows)) \(verbs[one.kind] ?? one.kind)"
      text += one.rows == 1 ? " (#\(one.first)" : " (#\(one.first) to #\(one.last)"
      if !one.properties.isEmpty { text += ": " + one.properties.joined(separator: ", ") }
      parts.append(text + ")")
    }
    let author = transaction.author.isEmpty ? "-" : transaction.author
    let told = parts.isEmpty ? "nothing of rows" : parts.joined(separator: "; ")
    let writer = transaction.writer
    let program = writer == .unknown ? "" : " (\(writer.program) \(writer.process))"
    return console.styled("\(transaction.number)", .strong)
      + "  \(Self.time(transaction.stamp))  \(author)\(program)  \(told)"
  }
}
