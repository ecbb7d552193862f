import RoostRecords
import RoostTransfer

/// The format in which the shell prints rows and groups.
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

/// Prints an answer in a mode of the shell.
struct ResultPrinter {
  /// The least useful width of a column in a table.
  private static let narrowest = 6

  private let printer: AnswerPrinter
  private let console: Console

  init(_ witness: RecordWitness, _ asked: Asked, console: Console) {
    printer = AnswerPrinter(witness, asked.answer, console: console)
    self.console = console
  }

  func run(_ mode: ResultMode) throws {
    switch mode {
    case .table where try isTooWide(): try printer.run { VerticalRows($0, console) }
    case .vertical: try printer.run { VerticalRows($0, console) }
    case .markdown: try printer.run { MarkdownRows($0) }
    default: _ = try printer.run(mode.rawValue)
    }
  }

  /// Whether the terminal is too narrow for all columns side by side.
  private func isTooWide() throws -> Bool {
    try console.isTerminal && printer.width() * Self.narrowest > console.width
  }
}

/// A table in Markdown.
struct MarkdownRows: RowForm {
  private let columns: [String]

  init(_ columns: [String]) { self.columns = columns }

  /// The text of a cell, without characters that Markdown would interpret.
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
