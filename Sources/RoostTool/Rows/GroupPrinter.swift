import RoostRecords
import RoostTransfer

/// Prints the groups of a query.
struct GroupPrinter {
  private let witness: RecordWitness
  private let asked: Asked
  private let console: Console

  init(_ witness: RecordWitness, _ asked: Asked, console: Console) {
    (self.witness, self.asked, self.console) = (witness, asked, console)
  }

  func run(_ format: String) throws -> Ending {
    switch format {
    case "json": try text(.json, SafeText.json)
    case "jsonl": try text(.jsonLines, SafeText.json)
    case "csv": try text(.csv(), SafeText.lines)
    default: try table()
    }
    return .good
  }

  private func groups(_ reader: RecordReader) throws -> GroupRows? {
    guard let question = try asked.groups(reader.catalog) else { return nil }
    return GroupRows(question, try asked.query(reader.catalog), reader: reader)
  }

  private func text(_ format: TextFormat, _ filter: @escaping (String) -> String) throws {
    let output = HeldOutput(ConsoleOutput(console, filter: filter))
    try witness.read(mayRestart: { !output.hasFlowed }) { reader in
      output.restart()
      guard let groups = try groups(reader) else { return }
      var (lines, text) = (ValueLines(format, groups.columns), [UInt8]())
      lines.begin(&text)
      try groups.forEach { values in
        lines.add(values, to: &text)
        if text.count < 1 << 16 { return }
        try text.withUnsafeBytes { try output.write($0) }
        text.removeAll(keepingCapacity: true)
      }
      lines.end(&text)
      try text.withUnsafeBytes { try output.write($0) }
    }
    try output.release()
  }

  private func table() throws {
    let output = HeldOutput(ConsoleOutput(console, filter: { $0 }))
    var count = 0
    try witness.read(mayRestart: { !output.hasFlowed }) { reader in
      output.restart()
      count = 0
      guard let groups = try groups(reader) else { return }
      let columns = groups.columns
      var table = TextTable(
        columns.map { TextTable.Column(name: $0.name, isNumber: $0.type.isNumber) }, console
      ) { try output.write($0) }
      try groups.forEach { values in
        try table.add(zip(columns, values).map { column, value in RowListing.text((value, column.type)) })
        count += 1
      }
      try table.end()
    }
    try output.release()
    if console.isTerminal { console.line(console.styled(ReadableNumber.count(count, "group"), .faint)) }
  }
}
