import RoostRecords
import RoostTransfer

/// Prints an answer while it is read.
///
/// The beginning is held back, so that reading can begin again if the owner of the store overwrites
/// a page that is being read. On a terminal that is a few pages of text. So the user sees the first
/// page at once, and memory does not grow with the answer.
struct AnswerPrinter {
  /// The number of bytes that are held back on a terminal.
  static let heldOnTerminal = 1 << 18

  private let witness: RecordWitness
  private let answer: any Answer
  private let console: Console

  init(_ witness: RecordWitness, _ answer: any Answer, console: Console) {
    (self.witness, self.answer, self.console) = (witness, answer, console)
  }

  /// Prints the answer as a table, or in a format for programs.
  func run(_ format: String) throws -> Ending {
    switch format {
    case "json": try text(.json, SafeText.json)
    case "jsonl": try text(.jsonLines, SafeText.json)
    case "csv": try text(.csv(), SafeText.lines)
    default: try table()
    }
    return .good
  }

  /// The number of columns.
  func width() throws -> Int { try witness.read { try answer.lines($0).columns.count } }

  private func text(_ format: TextFormat, _ filter: @escaping (String) -> String) throws {
    try hold(filter) { reader, output in try answer.write(format, reader, to: output) }
  }

  private func table() throws {
    var count = 0
    // Cells are made safe one by one, so that styles can be between them.
    try hold { reader, output in
      count = 0
      let lines = try answer.lines(reader)
      var table = TextTable(lines.columns, console) { try output.write($0) }
      try lines.forEach { cells in
        try table.add(cells)
        count += 1
      }
      try table.end()
    }
    if console.isTerminal { console.line(console.styled(ReadableNumber.count(count, answer.noun), .faint)) }
  }

  /// Prints each line in a form of its own.
  func run(_ make: ([String]) -> any RowForm) throws {
    try hold { reader, output in
      let lines = try answer.lines(reader)
      let form = make(lines.columns.map(\.name))
      var count = 0
      try output.write(form.head)
      try lines.forEach { cells in
        count += 1
        try output.write(form.row(cells, number: count))
      }
    }
  }

  /// Reads one state of the store, and prints the held text when all of it was read.
  private func hold(
    _ filter: @escaping (String) -> String = { $0 }, _ body: (RecordReader, HeldOutput) throws -> Void
  ) throws {
    let target = ConsoleOutput(console, filter: filter)
    let output = console.isTerminal ? HeldOutput(target, bound: Self.heldOnTerminal) : HeldOutput(target)
    try witness.read(mayRestart: { !output.hasFlowed }) { reader in
      output.restart()
      try body(reader, output)
    }
    try output.release()
  }
}

/// The text of lines that are independent of each other.
protocol RowForm {
  var head: String { get }
  func row(_ cells: [String?], number: Int) -> String
}
