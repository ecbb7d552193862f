import RoostQuery
import RoostRecords
import RoostTransfer

/// Commands that read rows.
extension Command {
  static var query: Command {
    Command(
      name: "query", summary: "Print the rows of an entity that match a condition. Writes nothing.",
      discussion: [
        "The condition is written as in Swift: 'year >= 1959 && title.contains(\"blue\")', 'album?.title == \"Low\"',",
        "'tags.contains { $0.name == \"jazz\" }', 'date > date(\"2026-01-31\")', 'album == #12'. All rows come from one",
        "snapshot, also if another process writes. Wide columns are cut on a terminal, but not in a pipe.",
      ],
      syntax: Syntax(
        operands: Asked.operands,
        options: Asked.options + Asked.columnsOptions + [
          Syntax.Option(
            name: "format", value: "format", help: "How to print rows (table).",
            choices: ["table", "json", "jsonl", "csv"]),
          Syntax.Option(name: "json", help: "Print JSON, as '--format json'."),
          Syntax.Option(name: "explain", help: "Print how the query is executed, as 'roost explain' does."),
        ] + Asked.groupOptions)
    ) { arguments, console in
      let asked = try Asked(arguments)
      if arguments.has("json"), let other = arguments.text("format"), other != "json" {
        throw UsageError(sentence: "'--json' and '--format \(other)' contradict each other: leave one out")
      }
      let format = arguments.has("json") ? "json" : arguments.text("format") ?? "table"
      let witness = try AsOf.rows(arguments)
      if arguments.has("explain") {
        let report = try witness.read { reader in try ExplainReport(asked, reader, runs: true) }
        if format == "table" { report.write(to: console) } else { try console.json(report) }
        return .good
      }
      if asked.grouping == nil, arguments.has("count") {
        let count = try witness.read { reader in try Planner(Ground(reader)).plan(asked.query(reader.catalog)).count() }
        if format == "table" || format == "csv" {
          console.line("\(count)")
        } else {
          try console.jsonLine(["count": count])
        }
        return .good
      }
      return try AnswerPrinter(witness, asked.answer, console: console).run(format)
    }
  }

  static var explain: Command {
    Command(
      name: "explain", summary: "Print how a query is executed, and what it reads. Writes nothing.",
      discussion: [
        "Runs the query without printing its rows. Names an index that would help, if there is one."
      ],
      syntax: Syntax(
        operands: Asked.operands,
        options: Asked.options + [
          Syntax.Option(name: "plan-only", help: "Plan only; read no rows."),
          Syntax.Option(name: "json", help: "Print JSON."),
        ] + Asked.groupOptions)
    ) { arguments, console in
      let asked = try Asked(arguments)
      let witness = try AsOf.rows(arguments)
      let runs = !arguments.has("plan-only")
      let report = try witness.read { reader in try ExplainReport(asked, reader, runs: runs) }
      if arguments.has("json") { try console.json(report) } else { report.write(to: console) }
      return .good
    }
  }

  static var get: Command {
    Command(
      name: "get", summary: "Print one row and the rows that it references. Writes nothing.",
      discussion: ["Ends with 1 if there is no such row."],
      syntax: Syntax(
        operands: [
          Syntax.Operand(name: "path", help: "The store. It may be open in another process."),
          Syntax.Operand(name: "entity", help: "The entity of the row."),
          Syntax.Operand(name: "key", help: "The number of the row, as '#12', or the value of its first unique field."),
        ],
        options: [
          Syntax.Option(name: "by", value: "field", help: "The unique field that has the key."),
          Syntax.Option(name: "most", value: "n", help: "How many rows of each relationship to print (10)."),
          AsOf.option,
          Syntax.Option(name: "json", help: "Print JSON."),
        ])
    ) { arguments, console in
      let (name, key) = (arguments.operands[1], arguments.operands[2])
      let most = try arguments.number("most", in: 0...1_000_000) ?? 10
      let found = try AsOf.rows(arguments).read { reader -> RowPortrait? in
        let rows = try Looking.rowClass(name, reader.catalog)
        guard let row = try RowKey.row(key, by: arguments.text("by"), of: rows, reader) else { return nil }
        return try RowPortrait(row, of: rows, reader, most: most)
      }
      guard let found else { throw CheckFailure(sentence: "there is no \(name) '\(key)'") }
      if arguments.has("json") { try console.plain(SafeText.json(found.json) + "\n") } else { found.write(to: console) }
      return .good
    }
  }
}

extension RowPortrait {
  func write(to console: Console) {
    console.line(console.styled("\(entity) #\(row)", .strong))
    console.facts(fields.map { ("  " + $0.name, $0.text ?? "nil") })
    for one in relations {
      var text = one.keys.joined(separator: ", ")
      if one.isToMany {
        let more = one.count - one.keys.count
        text = "\(ReadableNumber.count(one.count)) of \(one.target)" + (text.isEmpty ? "" : ": " + text)
        if more > 0 { text += ", and \(ReadableNumber.count(more)) more" }
      } else if one.keys.isEmpty {
        text = "nil"
      } else {
        text = "\(one.target) " + text + (text.hasPrefix("#") ? "" : " (#\(one.rows[0]))")
      }
      console.line(console.styled("  \(one.name) → ", .faint) + text)
    }
  }

  /// The row as an exporter writes it, and the targets of its relationships.
  var json: String {
    var text: [UInt8] = []
    text += #"{"entity": "#.utf8
    ValueWriter.quote(entity, to: &text)
    text += #", "row": \#(row), "fields": \#(object), "relationships": {"#.utf8
    for (number, one) in relations.enumerated() {
      if number > 0 { text += ", ".utf8 }
      ValueWriter.quote(one.name, to: &text)
      text += #": {"target": "#.utf8
      ValueWriter.quote(one.target, to: &text)
      text += #", "count": \#(one.count), "rows": \#(one.rows), "keys": ["#.utf8
      for (place, key) in one.keys.enumerated() {
        if place > 0 { text += ", ".utf8 }
        ValueWriter.quote(key, to: &text)
      }
      text += "]}".utf8
    }
    text += "}}".utf8
    return String(decoding: text, as: UTF8.self)
  }
}

/// The result of `explain`.
struct ExplainReport: Encodable {
  struct Missing: Encodable {
    /// The entity of the index: that of the query, or one that a reference names.
    var entity: String
    var fields: [String]
    var reads: Int
    /// The line to add to the model.
    var line: String
  }

  var entity: String
  var plan: [String]
  var indexes: [String]
  /// The condition that is tested on rows.
  var test: String?
  var comesSorted: Bool
  /// The counts of the execution; nil if the query was only planned.
  var rowsRead: Int?
  var entriesRead: Int?
  var rowsFound: Int?
  /// The values that all rows of a group share; nil for a question about rows.
  var groupedBy: [String]?
  /// The number of groups before a condition on groups.
  var groups: Int?
  /// An index that does not exist, and the number of rows that would be read with it.
  var missingIndex: Missing?

  init(_ asked: Asked, _ reader: RecordReader, runs: Bool) throws {
    var query = try asked.query(reader.catalog)
    let planner = Planner(Ground(reader))
    if let question = try asked.groups(reader.catalog) {
      (query.offset, query.limit) = (0, nil)
      groupedBy = question.keys.map(\.name)
      if runs {
        groups = try planner.aggregate(query, by: question.keys.map(\.expression), []) { _, _, _ in }.groups.count
      }
    }
    let plan = try planner.plan(query)
    if runs { try plan.forEach { _ in true } }
    entity = asked.entity
    self.plan = plan.explanation.split(separator: "\n").map(String.init)
    let facts = plan.facts
    (indexes, test, comesSorted) = (facts.indexes, facts.test, facts.comesSorted)
    if runs { (rowsRead, entriesRead, rowsFound) = (plan.rowsRead, plan.entriesRead, plan.tally.results) }
    if let found = try planner.missingIndex(query, read: rowsRead ?? Int(min(plan.visited, 1e15))),
      let entity = reader.catalog.entity(found.entity)
    {
      let names = found.fields.compactMap { entity.field($0)?.name }
      missingIndex = Missing(
        entity: entity.name, fields: names, reads: found.reads, line: Planner.MissingIndex.line(entity.name, names))
    }
  }

  func write(to console: Console) {
    if let groupedBy {
      let words = groupedBy.isEmpty ? "all rows are one group" : "groups by " + groupedBy.joined(separator: ", ")
      console.line(text: words + (groups.map { ": " + ReadableNumber.count($0, "group") } ?? ""))
    }
    for line in plan { console.line(text: line) }
    if let missingIndex { console.line(text: Planner.MissingIndex.advice(missingIndex.line)) }
  }
}
