import RoostQuery
import RoostRecords
import RoostTransfer

/// How the shell prints rows.
enum ResultMode: String, CaseIterable {
  case table, json, jsonl, csv, markdown, vertical

  static func find(_ word: String) throws(UsageError) -> ResultMode {
    if let mode = ResultMode(rawValue: word) { return mode }
    let known = allCases.map(\.rawValue)
    throw UsageError(
      sentence: "There is no mode '\(word)'" + Spelling.hint(word, among: known)
        + (Spelling.nearest(word, among: known) == nil ? "; there are \(known.joined(separator: ", "))" : ""))
  }
}

/// Prints rows in a mode of the shell.
struct ResultPrinter {
  /// A column of a table is not much use below this width.
  private static let narrowest = 6

  private let witness: RecordWitness
  private let asked: Asked
  private let console: Console

  init(_ witness: RecordWitness, _ asked: Asked, console: Console) {
    (self.witness, self.asked, self.console) = (witness, asked, console)
  }

  func run(_ mode: ResultMode) throws {
    switch mode {
    case .table where try isTooWide(): try print { VerticalRows($0, console) }
    case .vertical: try print { VerticalRows($0, console) }
    case .markdown: try print { MarkdownRows($0, console) }
    default: _ = try RowPrinter(witness, asked, console: console).run(mode.rawValue)
    }
  }

  /// Whether the terminal has no room for all columns side by side.
  private func isTooWide() throws -> Bool {
    guard console.isTerminal else { return false }
    let count = try witness.read { reader in
      _ = try Looking.entity(asked.entity, reader.catalog)
      return try RowListing(reader, of: asked.entity, columns: asked.columns).columns.count
    }
    return count * Self.narrowest > console.width
  }

  private func print(_ make: ([String]) -> any RowForm) throws {
    let output = HeldOutput(ConsoleOutput(console, filter: { $0 }))
    try witness.read(mayRestart: { !output.hasFlowed }) { reader in
      output.restart()
      let query = try asked.query(reader.catalog)
      let listing = try RowListing(reader, of: asked.entity, columns: asked.columns)
      let form = make(listing.columns.map(\.name))
      var count = 0
      try output.write(form.head)
      try listing.forEach(query) { cells in
        count += 1
        try output.write(form.row(cells, number: count))
        return true
      }
    }
    try output.release()
  }
}

/// The text of rows in one mode.
protocol RowForm {
  var head: String { get }
  func row(_ cells: [String?], number: Int) -> String
}

/// A table as Markdown writes it.
struct MarkdownRows: RowForm {
  private let columns: [String]

  init(_ columns: [String], _ console: Console) { self.columns = columns }

  /// A cell without characters that would end it, or begin something else.
  static func cell(_ text: String) -> String {
    var safe = ""
    for character in SafeText.line(text) {
      if "|\\`*_<>[]".contains(character) { safe.append("\\") }
      safe.append(character)
    }
    return safe
  }

  var head: String {
    "| " + columns.map(Self.cell).joined(separator: " | ") + " |\n" + "|"
      + columns.map { _ in " --- |" }.joined() + "\n"
  }

  func row(_ cells: [String?], number: Int) -> String {
    "| " + cells.map { $0.map(Self.cell) ?? "" }.joined(separator: " | ") + " |\n"
  }
}

/// Each column on a line of its own, for rows that are wider than the terminal.
struct VerticalRows: RowForm {
  private let columns: [String]
  private let width: Int
  private let console: Console

  init(_ columns: [String], _ console: Console) {
    self.columns = columns
    self.console = console
    width = columns.map { TextWidth.columns(SafeText.line($0)) }.max() ?? 0
  }

  var head: String { "" }

  func row(_ cells: [String?], number: Int) -> String {
    var text = number > 1 ? "\n" : ""
    for (name, cell) in zip(columns, cells) {
      let label = SafeText.line(name)
      let padded = String(repeating: " ", count: width - TextWidth.columns(label)) + label + "  "
      text += console.text(console.styled(padded, .faint) + (cell ?? "nil")) + "\n"
    }
    return text
  }
}
