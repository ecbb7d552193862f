import Foundation
import Roost
import RoostFile
import RoostPages
import RoostRecords
import RoostTransfer
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Command {
  static var `import`: Command {
    Command(
      name: "import", summary: "Import records from text into an entity of a store.",
      discussion: [
        "The store and its entity must exist, unless '--create' makes them. References name the unique keys of their",
        "targets, in any order; references without a target are listed at the end. Each chunk is one transaction; Ctrl-C ends the import after the chunk",
        "that is being written. A bad record ends the import, unless '--skip-bad' allows it. Ends with 1 if a record was",
        "skipped or a reference has no target. The store does not have the rules of '@Validate': a program that has the",
        "models checks them.",
      ],
      syntax: Syntax(
        operands: [
          Syntax.Operand(name: "path", help: "The store. No other process may have it open for writing."),
          Syntax.Operand(name: "entity", help: "The entity that gets the rows."),
          Syntax.Operand(
            name: "file", help: "A table, a JSON list of objects, or one JSON object a line; '-' is standard input."),
        ],
        options: [
          Format.option,
          Syntax.Option(
            name: "conflict", value: "way",
            help: "What to do with a record whose unique values a row has (update); 'insert' makes it a bad record.",
            choices: TextImportOptions.Conflict.allCases.map(\.rawValue)),
          Syntax.Option(name: "on", value: "index", help: "The unique index for '--conflict'; by default any."),
          Syntax.Option(
            name: "rename", value: "column=field",
            help: "The name of a column in the store; 'column=' ignores it.",
            isRepeating: true),
          Syntax.Option(name: "ignore-unknown", help: "Ignore unknown columns."),
          Syntax.Option(name: "skip-bad", value: "n", help: "Skip at most this many bad records."),
          Syntax.Option(
            name: "record-limit", value: "MiB", help: "The largest size of a record or field (16)."),
          Syntax.Option(name: "depth-limit", value: "n", help: "The greatest depth of nested lists and objects (64)."),
          Syntax.Option(
            name: "rejects", value: "file",
            help: "Where to write bad records, to import them again. A new file, except with '--resume'."),
          Syntax.Option(
            name: "chunk", value: "n", help: "How many records make one transaction; by default up to 50,000."),
          Syntax.Option(name: "sync", help: "Make each chunk durable before the next one."),
          Syntax.Option(name: "author", value: "name", help: "The author for the history (roost import)."),
          Syntax.Option(
            name: "resume", value: "name", help: "Continue an interrupted import of this name and input."),
          Syntax.Option(
            name: "dates", value: "form",
            help:
              "The unit of numbers that are dates: \(DateForm.words.joined(separator: ", ")); or how dates are "
              + "written, as dd.MM.yyyy."),
          Syntax.Option(
            name: "delimiter", value: "character",
            help: "What separates the cells of a table; by default taken from the first line."),
          Syntax.Option(
            name: "names", value: "names", help: "The columns of a table without a header line."),
          Syntax.Option(
            name: "create",
            help: "Make the entity, and the store if there is none, with the types of the columns. It asks first."),
          Syntax.Option(name: "yes", help: "Do not ask."),
          Syntax.Option(name: "dry-run", help: "Print the class that '--create' would make, and do nothing."),
          Waiting.option,
          Syntax.Option(name: "json", help: "Print what was done as JSON."),
        ]), changedStore: { $0.operands[0] }
    ) { arguments, console in
      try Importing(arguments, console).run()
    }
  }
}

/// An import with the options of the command line.
private struct Importing {
  struct Fault: Encodable {
    var code: String
    var detail: String
    var line: Int?
    var column: Int?
    var field: String?
  }

  struct Report: Encodable {
    var entity: String
    var records: Int
    var inserted: Int
    var updated: Int
    var kept: Int
    var bad: Int
    var resumed: Int
    var isCancelled: Bool
    var unresolved: Int
    var faults: [Fault]
    var seconds: Double
  }

  let arguments: Arguments
  let console: Console
  let format: TextFormat
  let options: TextImportOptions

  init(_ arguments: Arguments, _ console: Console) throws {
    self.arguments = arguments
    self.console = console
    format = try Format.find(arguments, path: arguments.operands[2], names: arguments.list("names"))
    var options = TextImportOptions(into: arguments.operands[1])
    options.conflict = arguments.text("conflict").flatMap { TextImportOptions.Conflict(rawValue: $0) } ?? .update
    if let form = arguments.text("dates") { options.dates = try DateForm(word: form) }
    options.uniqueIndex = arguments.text("on")
    for word in arguments.texts("rename") {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw UsageError(sentence: "The value '\(word)' is invalid for '--rename <column=field>'")
      }
      options.renames[parts[0]] = .some(parts[1].isEmpty ? nil : parts[1])
    }
    options.ignoresUnknown = arguments.has("ignore-unknown")
    if let most = try arguments.number("skip-bad", in: 0...Int.max) { options.badRecords = .skip(most: most) }
    if let most = try arguments.number("record-limit", in: 1...1 << 20) {
      (options.limits.recordBytes, options.limits.fieldBytes) = (most << 20, most << 20)
    }
    if let most = try arguments.number("depth-limit", in: 1...1000) { options.limits.depth = most }
    options.chunk = try arguments.number("chunk", in: 1...10_000_000)
    options.durability = arguments.has("sync") ? .full : .relaxed
    options.author = arguments.text("author") ?? "roost import"
    options.name = arguments.text("resume")
    self.options = options
  }

  func run() throws -> Ending {
    guard arguments.has("create") else {
      for option in ["yes", "dry-run"] where arguments.has(option) {
        throw UsageError(sentence: "'--\(option)' belongs to '--create'")
      }
      return try run(options)
    }
    return try create()
  }

  /// Makes the entity from the text's columns, then imports.
  private func create() throws -> Ending {
    let (path, file) = (arguments.operands[0], arguments.operands[2])
    if arguments.text("resume") != nil {
      throw UsageError(sentence: "'--create' begins an import, and '--resume' continues one: leave one out")
    }
    let creation = try ImportCreation(file, format, options: options)
    let isNew = try !DiskFileSystem.shared.exists(path)
    var catalog = isNew ? Catalog() : try catalog()
    try creation.add(to: &catalog)
    if !arguments.has("json") { for line in try creation.text { console.line(text: line) } }
    let question =
      "Make \(creation.entity) in \(isNew ? "the new store " : "")\(path), and import "
      + ReadableNumber.count(creation.records, "record")
    if arguments.has("dry-run") {
      if arguments.has("json") {
        try console.json(creation.text)
      } else {
        console.line(text: "Not done: " + question)
      }
      return .good
    }
    if !arguments.has("yes") {
      guard !arguments.has("json"), let isWanted = console.confirms(question + "?") else {
        throw UsageError(
          sentence: "This needs an answer: add '--yes', or '--dry-run' to see what would be done", showsUsage: false)
      }
      if !isWanted { return .failed }
    }
    var isMade = false
    do {
      let store = try open(createIfMissing: true)
      do { try store.write(author: options.author) { try $0.change { try creation.add(to: &$0) } } } catch {
        try? store.close()
        throw error
      }
      isMade = true
      try store.close()
      var options = options
      for (column, name) in creation.names { options.renames[column] = .some(name) }
      return try run(options)
    } catch {
      // The class is useless without its rows, and so is a new store.
      guard isNew else {
        if isMade { try? withdraw(creation.entity) }
        throw error
      }
      for left in [path, Store.logPath(path)] { try? DiskFileSystem.shared.remove(left) }
      throw WithdrawnStore.error(error, path)
    }
  }

  /// Removes a new class from a store, with the rows that were imported before an error.
  private func withdraw(_ entity: String) throws {
    let store = try open()
    defer { try? store.close() }
    try store.write(author: arguments.text("author") ?? "roost import") { writer in
      try writer.change { try $0.remove(entity: entity) }
    }
  }

  private func catalog() throws -> Catalog {
    try Waiting.whileInUse(arguments) { try Looking.rows(arguments.operands[0]).read { $0.catalog } }
  }

  private func open(createIfMissing: Bool = false) throws -> RecordStore {
    var options = StoreOptions()
    options.createIfMissing = createIfMissing
    options.lockTimeoutNanoseconds = try Waiting.nanoseconds(arguments)
    return try RecordStore(arguments.operands[0], options: options, writer: HistoryWriter.ofThisProgram)
  }

  private func run(_ options: TextImportOptions) throws -> Ending {
    let path = arguments.operands[0]
    var options = options
    guard try DiskFileSystem.shared.exists(path) else {
      throw StoreError(
        .notFound, "there is no store: add '--create' to make it, with a class that has the types of the columns",
        path: path)
    }
    // A reader checks this first, so that an invalid import does not touch the store.
    let catalog = try catalog()
    let rows = try Looking.rowClass(options.entity, catalog)
    if rows.isSubclass {
      throw CheckFailure(
        sentence:
          "\(rows.name) is a subclass, and its rows are rows of \(rows.entity.name): import into \(rows.entity.name) with a "
          + "column '@class' that names the class; a property of it is called '\(rows.name)/name' there, also in '--rename'"
      )
    }
    // Without unique values no record can match an existing row.
    if arguments.text("conflict") == nil, options.deciding(catalog).isEmpty { options.conflict = .insert }
    if let rejects = arguments.text("rejects") {
      try OutputPlace.check(rejects, store: path, input: arguments.operands[2])
    }
    let (input, total) = try InputFile.open(arguments.operands[2])
    let store = try open()
    let began = ContinuousClock.now
    var bar = Progress(
      "importing", of: Int(clamping: total ?? 0), on: console.quiet(arguments.has("json") || total == nil))
    // Ctrl-C ends an import after a complete chunk; the second Ctrl-C ends the program.
    let cancellation = ImportCancellation()
    let signals = Signals([SIGINT]) { number in
      if cancellation.isCancelled { exit(128 + number) }
      cancellation.cancel()
    }
    defer { signals.end() }
    let rejects = arguments.text("rejects").map { RejectFile($0, format) }
    var isResumed = false
    var header: (() -> TableHeader?)?
    let importer = Importer(
      store, options, cancellation: cancellation,
      progress: { bar.advance(to: Int(clamping: $0.bytes)) },
      reject: { fault in try rejects?.add(fault, header: header?(), isResumed: isResumed) })
    header = { [unowned importer] in importer.header }
    let report: TextImportReport
    do {
      isResumed = try importer.isResumed()
      if !isResumed, let rejects = arguments.text("rejects"), try DiskFileSystem.shared.exists(rejects) {
        throw StoreError(
          .alreadyExists, "the file may have bad records of another import: choose a new file", path: rejects)
      }
      report = try importer.run(input, format)
    } catch {
      bar.end()
      try store.close()
      throw error
    }
    bar.end()
    // The report is printed after the close, so that a crash cannot take back reported rows.
    try store.close()
    try tell(report, ReadableNumber.seconds(ContinuousClock.now - began))
    return report.progress.bad > 0 || report.unresolvedCount > 0 || report.isCancelled ? .failed : .good
  }

  private static func words(_ open: UnresolvedReference) -> String {
    switch open.reason {
    case .missing: "references \(open.key), which does not exist"
    case .refused(let why): "cannot reference \(open.key): \(why)"
    case .changed: "should reference \(open.key), but was changed by a user or a later record"
    }
  }

  private func tell(_ report: TextImportReport, _ seconds: Double) throws {
    let done = report.progress
    if arguments.has("json") {
      return try console.json(
        Report(
          entity: options.entity, records: done.records, inserted: done.inserted, updated: done.updated,
          kept: done.kept,
          bad: done.bad, resumed: done.resumed, isCancelled: report.isCancelled, unresolved: report.unresolvedCount,
          faults: report.faults.map {
            Fault(code: $0.code.rawValue, detail: $0.detail, line: $0.line, column: $0.column, field: $0.field)
          }, seconds: seconds))
    }
    for fault in report.faults.prefix(20) { console.line(console.styled("bad", .bad) + "  \(fault)") }
    if done.bad > 20 { console.line("     and \(ReadableNumber.count(done.bad - min(20, report.faults.count))) more") }
    for one in report.unresolved.prefix(20) {
      console.line(
        console.styled("open", .bad) + "  \(one.property) of row #\(one.row) " + Self.words(one))
    }
    if report.unresolvedCount > 20 {
      console.line("      and \(ReadableNumber.count(report.unresolvedCount - 20)) more")
    }
    if done.records == 0, !report.isCancelled {
      let file = arguments.operands[2]
      console.line(
        console.styled("note", .faint)
          + "  \(file == "-" ? "standard input" : file) has no records, so nothing was imported")
    }
    var parts = ["\(ReadableNumber.count(done.inserted)) inserted"]
    if done.updated > 0 { parts.append("\(ReadableNumber.count(done.updated)) updated") }
    if done.kept > 0 { parts.append("\(ReadableNumber.count(done.kept)) kept") }
    if done.bad > 0 { parts.append("\(ReadableNumber.count(done.bad)) bad") }
    if done.resumed > 0 { parts.append("\(ReadableNumber.count(done.resumed)) of an earlier run") }
    let word = report.isCancelled ? console.styled("stopped", .bad) : console.styled("imported", .good)
    let rate = ReadableNumber.rate(done.records - done.resumed, in: .seconds(seconds))
    let all = ReadableNumber.count(done.records, "record")
    let stored = done.bad > 0 ? "\(ReadableNumber.count(done.records - done.bad)) of \(all)" : all
    console.line(
      "\(word)  \(stored) into \(options.entity): \(parts.joined(separator: ", ")); "
        + "\(ReadableNumber.time(.seconds(seconds))), \(rate) a second")
  }
}

extension DateForm {
  /// The words for the predefined forms on the command line.
  fileprivate static let words = ["iso8601", "seconds-since-2001", "seconds-since-1970", "milliseconds-since-1970"]

  fileprivate init(word: String) throws {
    switch word {
    case Self.words[0]: self = .iso8601
    case Self.words[1]: self = .secondsSince2001
    case Self.words[2]: self = .secondsSince1970
    case Self.words[3]: self = .millisecondsSince1970
    default:
      self = .pattern(word)
      do throws(ValueFault) { _ = try DateReader(self) } catch {
        throw UsageError(sentence: "The value '\(word)' is invalid for '--dates <form>': \(error.detail)")
      }
    }
  }
}
