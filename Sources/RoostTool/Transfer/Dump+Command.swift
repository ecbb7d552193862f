import Foundation
import RoostFile
import RoostPages
import RoostRecords
import RoostTransfer

extension Command {
  static var dump: Command {
    Command(
      name: "dump", summary: "Write a whole store as lines of JSON. Writes nothing to the store.",
      discussion: [
        "The first line is the schema; then comes a line for each row, with its number, and for each list. 'roost load' makes",
        "the same store of it, also with a newer version of Roost. The history is not written. '--as-of' dumps a former",
        "state of a store with a full history. The file gets its name when it is complete.",
      ],
      syntax: Syntax(
        operands: [
          Syntax.Operand(name: "path", help: "The store. It may be open in another process."),
          Syntax.Operand(
            name: "file", help: "The file to write; '-' is standard output. Compressed if its name ends with .lz4."),
        ],
        options: [
          Syntax.Option(name: "replace", help: "Replace an existing file."), AsOf.option,
          Syntax.Option(name: "json", help: "Print what was done as JSON."),
        ])
    ) { arguments, console in
      try Dumping(arguments: arguments, console: console).run()
    }
  }

  static var load: Command {
    Command(
      name: "load", summary: "Make a new store of a file that 'roost dump' wrote.",
      discussion: [
        "Rows have the same numbers, lists the same order, and the models the same version. The store gets its name when it is",
        "complete and verified; it has no history.",
      ],
      syntax: Syntax(
        operands: [
          Syntax.Operand(name: "file", help: "The dump; '-' is standard input."),
          Syntax.Operand(name: "path", help: "The new store. No file of this name may exist."),
        ],
        options: [
          Syntax.Option(name: "record-limit", value: "MiB", help: "The largest size of a line (256)."),
          Syntax.Option(name: "json", help: "Print what was done as JSON."),
        ])
    ) { arguments, console in
      try Loading(arguments: arguments, console: console).run()
    }
  }
}

/// A dump with the options of the command line.
private struct Dumping {
  struct Report: Encodable {
    var rows: Int
    var file: String
    var seconds: Double
  }

  let arguments: Arguments
  let console: Console

  func run() throws -> Ending {
    let output = arguments.operands[1]
    let witness = try AsOf.rows(arguments)
    if output == "-" {
      if arguments.has("json") { throw UsageError(sentence: "'--json' prints a report, and needs a file") }
      let held = HeldOutput(ConsoleOutput(console, filter: SafeText.json))
      try witness.read(mayRestart: { !held.hasFlowed }) { reader in
        held.restart()
        var writer = DumpWriter(reader, held) { _ in }
        _ = try writer.run()
      }
      try held.release()
      return .good
    }
    if !arguments.has("replace"), try DiskFileSystem.shared.exists(output) {
      throw StoreError(.alreadyExists, "there is a file of this name: give '--replace' to replace it", path: output)
    }
    try OutputPlace.check(output, store: witness.path)
    let began = ContinuousClock.now
    let rows = try write(witness, to: output)
    let seconds = ReadableNumber.seconds(ContinuousClock.now - began)
    if arguments.has("json") {
      try console.json(Report(rows: rows, file: output, seconds: seconds))
    } else {
      console.line(
        console.styled("dumped", .good)
          + "  \(ReadableNumber.count(rows, "row")) to \(output), in \(ReadableNumber.time(.seconds(seconds))); without the history"
      )
    }
    return .good
  }

  private func write(_ witness: RecordWitness, to output: String) throws -> Int {
    let making = "\(output)-making-\(ProcessInfo.processInfo.processIdentifier)"
    var rows = 0
    var isMade = false
    do {
      try Unfinished.removing([making]) {
        try witness.read { reader in
          let stream = DescriptorOutput(try ByteStream.writing(making, replaces: isMade))
          isMade = true
          let total = try reader.catalog.entities.reduce(0) { try $0 + reader.table($1.id).count }
          var bar = Progress("dumping", of: total, on: console.quiet(arguments.has("json")))
          defer { bar.end() }
          var writer = DumpWriter(reader, Format.isPacked(output) ? try PackedOutput(stream) : stream) {
            bar.advance(to: $0)
          }
          rows = try writer.run()
        }
      }
      try OutputPlace.finish(making, as: output, replaces: arguments.has("replace"))
    } catch {
      if isMade { try? DiskFileSystem.shared.remove(making) }
      throw error
    }
    return rows
  }
}

/// A load with the options of the command line.
private struct Loading {
  struct Report: Encodable {
    var rows: Int
    var lists: Int
    var path: String
    /// Files of an interrupted load of the same store, which were removed.
    var removed: [String]
    var seconds: Double
  }

  let arguments: Arguments
  let console: Console

  func run() throws -> Ending {
    let (file, path) = (arguments.operands[0], arguments.operands[1])
    for taken in [path, Store.logPath(try DiskFileSystem.shared.canonicalPath(path))]
    where try DiskFileSystem.shared.exists(taken) {
      throw StoreError(.alreadyExists, "there is a file of this name: choose a new name for the store", path: taken)
    }
    let bytes = (try arguments.number("record-limit", in: 1...2047) ?? 256) << 20
    var limits = TransferLimits()
    (limits.recordBytes, limits.fieldBytes) = (bytes, bytes)
    let (input, total) = try InputFile.open(file)
    let began = ContinuousClock.now
    let removed = try Leftovers.remove(of: path)
    if !arguments.has("json") {
      for name in removed { console.line(text: "removed \(name), which an interrupted load left") }
    }
    let making = Leftovers.path(path)
    let files = Leftovers.files(making)
    var bar = Progress(
      "loading", of: Int(clamping: total ?? 0), on: console.quiet(arguments.has("json") || total == nil))
    let report: Report
    do {
      (report, bar) = try Unfinished.removing(files) {
        var bar = bar
        let loader = try DumpLoader(input, into: making, limits: limits) { bar.advance(to: Int(clamping: $0)) }
        try loader.run()
        let seconds = ReadableNumber.seconds(ContinuousClock.now - began)
        return (Report(rows: loader.rows, lists: loader.lists, path: path, removed: removed, seconds: seconds), bar)
      }
      bar.end()
      try Leftovers.finish(making, as: path)
    } catch {
      bar.end()
      for left in files { try? DiskFileSystem.shared.remove(left) }
      throw WithdrawnStore.error(error, path)
    }
    if arguments.has("json") {
      try console.json(report)
    } else {
      console.line(
        console.styled("loaded", .good)
          + "  \(ReadableNumber.count(report.rows, "row")) and \(ReadableNumber.count(report.lists, "list")) into \(path), in "
          + ReadableNumber.time(.seconds(report.seconds)))
    }
    return .good
  }
}
