import Foundation
import RoostFile
import RoostQuery
import RoostRecords
import RoostTransfer

extension Command {
  static var export: Command {
    Command(
      name: "export", summary: "Write rows as text that can be imported again. Writes nothing to the store.",
      discussion: [
        "References are written as the unique keys of their targets, so they are valid in another store too. The file gets",
        "its name when it is complete. Without '--output' the text goes to standard output.",
      ],
      syntax: Syntax(
        operands: Asked.operands,
        options: Asked.options + Asked.columnsOptions + [
          Format.option,
          Syntax.Option(
            name: "output", value: "file", help: "The file to write; compressed if its name ends with .lz4.",
            letter: "o"),
          Syntax.Option(name: "replace", help: "Replace an existing file."),
          Syntax.Option(name: "lz4", help: "Compress the output as an LZ4 frame, like the program lz4."),
          Syntax.Option(name: "delimiter", value: "character", help: "What separates the cells of a table (,)."),
          Syntax.Option(name: "json", help: "Print what was done as JSON; needs '--output'."),
        ])
    ) { arguments, console in
      do { return try Exporting(arguments, console).run() } catch let fault as QuestionFault {
        guard let file = arguments.operand(2), file == fault.text, Format.isName(file) else { throw fault }
        throw UsageError(
          sentence: "'\(file)' is no condition: write '--output \(file)' to name the file", showsUsage: false)
      }
    }
  }
}

/// An export with the options of the command line.
private struct Exporting {
  struct Report: Encodable {
    var entity: String
    var rows: Int
    var output: String
    var seconds: Double
  }

  let arguments: Arguments
  let console: Console
  let asked: Asked
  let format: TextFormat
  let output: String?
  let isPacked: Bool

  init(_ arguments: Arguments, _ console: Console) throws {
    self.arguments = arguments
    self.console = console
    asked = try Asked(arguments)
    let output = arguments.text("output")
    self.output = output
    isPacked = arguments.has("lz4") || output.map(Format.isPacked) ?? false
    format =
      output == nil && arguments.text("format") == nil
      ? .jsonLines : try Format.find(arguments, path: output, names: asked.columns)
    if output == nil {
      if arguments.has("json") { throw UsageError(sentence: "'--json' prints a report, and needs '--output'") }
      if isPacked, console.isTerminal {
        throw UsageError(sentence: "Compressed output cannot go to a terminal: add '--output <file>'")
      }
    }
  }

  private var standardOutput: any ByteOutput {
    if isPacked { return DescriptorOutput(.standardOutput) }
    let isJSON = format == .json || format == .jsonLines
    return ConsoleOutput(console) { isJSON ? SafeText.json($0) : SafeText.lines($0) }
  }

  func run() throws -> Ending {
    let witness = try AsOf.rows(arguments)
    guard let output else {
      let target = standardOutput
      let held = HeldOutput(isPacked ? try PackedOutput(target) : target)
      try witness.read(mayRestart: { !held.hasFlowed }) { reader in
        held.restart()
        _ = try write(reader, to: held, Progress("exporting", of: 0, on: console.quiet(true)))
      }
      try held.release()
      return .good
    }
    return try run(witness, into: output)
  }

  private func run(_ witness: RecordWitness, into output: String) throws -> Ending {
    if !arguments.has("replace"), try DiskFileSystem.shared.exists(output) {
      throw StoreError(.alreadyExists, "there is a file of this name: give '--replace' to replace it", path: output)
    }
    try OutputPlace.check(output, store: witness.path)
    let began = ContinuousClock.now
    // The name contains this process's number, so that no other process's file is overwritten.
    let making = "\(output)-making-\(ProcessInfo.processInfo.processIdentifier)"
    var rows = 0
    var isMade = false
    do {
      try Unfinished.removing([making]) {
        try witness.read { reader in
          let stream = DescriptorOutput(try ByteStream.writing(making, replaces: isMade))
          isMade = true
          let query = try asked.query(reader.catalog)
          let total = console.isTerminal ? try Planner(Ground(reader)).count(query) : 0
          let target: any ByteOutput = isPacked ? try PackedOutput(stream) : stream
          rows = try write(
            reader, to: target, Progress("exporting", of: total, on: console.quiet(arguments.has("json"))))
        }
      }
      try OutputPlace.finish(making, as: output, replaces: arguments.has("replace"))
    } catch {
      if isMade { try? DiskFileSystem.shared.remove(making) }
      throw error
    }
    let seconds = ReadableNumber.seconds(ContinuousClock.now - began)
    if arguments.has("json") {
      try console.json(Report(entity: asked.entity, rows: rows, output: output, seconds: seconds))
    } else {
      console.line(
        console.styled("exported", .good)
          + "  \(ReadableNumber.count(rows, "row")) of \(asked.entity) to \(output), in "
          + ReadableNumber.time(.seconds(seconds)))
    }
    return .good
  }

  private func write(_ reader: RecordReader, to output: any ByteOutput, _ bar: Progress) throws -> Int {
    let counting = CountingOutput(output, bar)
    defer { counting.bar.end() }
    return try Exporter(
      reader, format, columns: asked.columns, computes: true, of: asked.rows(reader.catalog)
    ).write(
      asked.query(reader.catalog), to: counting)
  }
}

/// Shows the number of lines, which is about the number of rows: tables and lists have a line more.
private final class CountingOutput: ByteOutput {
  private let output: any ByteOutput
  var bar: Progress
  private var lines = 0

  init(_ output: any ByteOutput, _ bar: Progress) {
    self.output = output
    self.bar = bar
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    lines += bytes.reduce(0) { $0 + ($1 == 10 ? 1 : 0) }
    bar.advance(to: lines)
    try output.write(bytes)
  }

  func finish() throws { try output.finish() }
}
