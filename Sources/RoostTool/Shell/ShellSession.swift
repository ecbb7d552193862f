import Foundation
import RoostFile
import RoostQuery
import RoostRecords
import RoostTransfer

/// The running statement, which Ctrl-C cancels.
///
/// Unchecked because the lock protects all of it.
final class RunningStatement: @unchecked Sendable {
  private let lock = Lock()
  private var interrupt: CallInterrupt?

  func set(_ interrupt: CallInterrupt?) { lock.withLock { self.interrupt = interrupt } }
  func cancel() { lock.withLock { interrupt }?.raise() }
}

/// Runs statements on a store, one after the other.
///
/// Each statement reads the newest committed state. No lock is held between statements, so other programs can write.
final class ShellSession {
  struct Settings {
    var mode = ResultMode.table
    var isTimed = false
    /// Whether changes are made without a question.
    var isAgreed = false
  }

  let output: ShellOutput
  let running = RunningStatement()
  var settings: Settings
  /// The entered statements, the newest last.
  var entered: [String] = []
  private(set) var path: String
  private(set) var isAtEnd = false
  private var witness: RecordWitness
  private var stamps: [FileStamp?]
  /// The last question, for `.explain`.
  private var lastQuestion: ShellStatement?
  /// The number of nested files that `.read` is reading.
  private var readDepth = 0

  init(_ path: String, _ output: ShellOutput, settings: Settings = Settings()) throws {
    self.path = path
    self.output = output
    self.settings = settings
    stamps = FileStamp.of(path)
    witness = try Looking.rows(path)
  }

  func open(_ path: String) throws {
    let stamps = FileStamp.of(path)
    witness = try Looking.rows(path)
    (self.path, self.stamps, lastQuestion) = (path, stamps, nil)
  }

  func end() { isAtEnd = true }

  /// Moves to the newest commit.
  private func refresh() throws {
    let now = FileStamp.of(path)
    if now == stamps, !now.contains(where: { $0?.isFresh == true }) { return }
    _ = try witness.refresh()
    stamps = now
  }

  /// The catalog of the store.
  func catalog() throws -> Catalog {
    try refresh()
    return try witness.read { $0.catalog }
  }

  // MARK: Running

  /// Runs a statement and prints its result or its error. Returns false if it failed.
  func run(_ text: String) -> Bool {
    let text = StatementScanner.withoutComments(text).trimmingCharacters(in: .whitespacesAndNewlines)
    if text.isEmpty { return true }
    let interrupt = CallInterrupt()
    running.set(interrupt)
    defer { running.set(nil) }
    let began = ContinuousClock.now
    do {
      try CallInterrupt.with(interrupt) { try carryOut(text) }
    } catch let error as StoreError where error.errorNumber == EPIPE && output.canAsk {
      // The user closed the pager.
    } catch {
      ShellFailure.report(error, output.base)
      return false
    }
    if settings.isTimed, !text.hasPrefix(".") {
      let time = ReadableNumber.time(ContinuousClock.now - began)
      output.base.line(output.base.styled(time, .faint))
    }
    return true
  }

  private func carryOut(_ text: String) throws {
    if text.contains("\0") { throw UsageError(sentence: "The statement has a NUL character: is this a file of text?") }
    if text.hasPrefix(".") { return try DotCommand.run(text, self) }
    let catalog = try catalog()
    let names = Looking.names(catalog)
    let statement = try ShellStatement(text, entities: names)
    if [.show, .count, .group].contains(statement.verb) { lastQuestion = statement }
    try output.with { console in
      do { try carryOut(statement, catalog, on: console) } catch var error as UsageError {
        // The error uses the words of the shell instead of those of the command line.
        error.command = nil
        throw error
      }
      try console.checkReader()
    }
  }

  private func carryOut(_ statement: ShellStatement, _ catalog: Catalog, on console: Console) throws {
    switch statement.verb {
    case .show, .group: try ResultPrinter(reading(statement), Asked(statement), console: console).run(settings.mode)
    case .count: try count(statement, console)
    case .explain: try explain(statement, console)
    case .get: try get(statement, console)
    case .set, .insert, .delete: try write(statement, console)
    case .history: try history(statement, console)
    }
  }

  /// The state of the store that a statement reads.
  private func reading(_ statement: ShellStatement) throws -> RecordWitness {
    guard let text = statement.clauses[.asOf] else { return witness }
    let moment = statement.unquoted(text)
    return try witness.past { reader in try AsOf.place(moment, reader) }
  }

  private func count(_ statement: ShellStatement, _ console: Console) throws {
    let asked = try Asked(statement)
    let count = try reading(statement).read { reader in
      try Planner(Ground(reader)).plan(asked.query(reader.catalog)).count()
    }
    switch settings.mode {
    case .json, .jsonl: try console.jsonLine(["count": count])
    default: console.line("\(count)")
    }
  }

  private func explain(_ statement: ShellStatement, _ console: Console) throws {
    let asked = try Asked(statement)
    let report = try reading(statement).read { reader in try ExplainReport(asked, reader, runs: true) }
    if [.json, .jsonl].contains(settings.mode) { try console.json(report) } else { report.write(to: console) }
  }

  private func get(_ statement: ShellStatement, _ console: Console) throws {
    let key = statement.unquoted(statement.subject)
    let found = try reading(statement).read { reader -> RowPortrait? in
      let rows = try Looking.rowClass(statement.entity, reader.catalog)
      guard let row = try RowKey.row(key, by: statement.clauses[.by], of: rows, reader) else { return nil }
      return try RowPortrait(row, of: rows, reader, most: 10)
    }
    guard let found else { throw CheckFailure(sentence: "there is no \(statement.entity) '\(key)'") }
    if [.json, .jsonl].contains(settings.mode) {
      try console.plain(SafeText.json(found.json) + "\n")
    } else {
      found.write(to: console)
    }
  }

  private func history(_ statement: ShellStatement, _ console: Console) throws {
    var words = [path]
    if !statement.entity.isEmpty { words += ["--entity", statement.entity] }
    if let limit = statement.clauses[.limit] { words += ["--limit", limit] }
    if let author = statement.clauses[.author] { words += ["--author", statement.unquoted(author)] }
    if [.json, .jsonl].contains(settings.mode) { words.append("--json") }
    let command = Command.history
    _ = try command.run(Arguments(words, for: command.syntax), console)
  }

  // MARK: Changes

  /// Runs a command of the tool, which asks before it commits.
  private func write(_ statement: ShellStatement, _ console: Console) throws {
    if !settings.isAgreed, !output.canAsk {
      throw UsageError(sentence: "This needs an answer: start the shell with '--yes' to change rows without a terminal")
    }
    var words = [path, statement.entity]
    if statement.verb != .delete { words.append(statement.subject) }
    if let condition = statement.clauses[.where] { words.append(condition) }
    var options: [String] = []
    if statement.clauses[.all] != nil { options.append("--all") }
    if settings.isAgreed { options.append("--yes") }
    if let author = statement.clauses[.author] { options += ["--author", statement.unquoted(author)] }
    let command: Command =
      switch statement.verb {
      case .set: .set
      case .insert: .insert
      default: .delete
      }
    // A condition may begin with a minus.
    _ = try command.perform(Arguments(options + ["--"] + words, for: command.syntax), console)
  }

  // MARK: For dot commands

  /// Shows the plan of a statement, or of the last question if the text is empty.
  func explain(_ text: String) throws {
    var statement = lastQuestion
    if !text.isEmpty {
      let names = try Looking.names(catalog())
      statement = try ShellStatement(text, entities: names)
    }
    guard let statement else { throw UsageError(sentence: "There was no question yet: write 'explain Track where …'") }
    guard [.show, .count, .group, .explain].contains(statement.verb) else {
      throw UsageError(sentence: "'\(statement.verb.rawValue)' has no plan to show")
    }
    try output.with { console in try explain(statement, console) }
  }

  func read<Result>(_ body: (RecordReader) throws -> Result) throws -> Result {
    try refresh()
    return try witness.read(body)
  }

  /// Runs the statements of a file.
  func read(file path: String) throws {
    guard readDepth < 8 else { throw UsageError(sentence: "'.read' is more than 8 files deep, with '\(path)'") }
    let text = try ShellScript.text(of: path)
    readDepth += 1
    defer { readDepth -= 1 }
    for statement in ShellScript.statements(text) {
      if isAtEnd { return }
      if !run(statement.text) {
        throw CheckFailure(sentence: "\(path), line \(statement.line), failed; the lines before it were run")
      }
    }
  }
}

/// The time of the last write to a file, and its size.
private struct FileStamp: Equatable {
  var modified: Date
  var size: UInt64

  /// Two writes may have the same time, so a recently written file is read once more.
  var isFresh: Bool { -modified.timeIntervalSinceNow < 1 }

  /// The stamps of a store and of its log.
  static func of(_ path: String) -> [FileStamp?] {
    [path, path + "-log"].map { path in
      guard let facts = try? FileManager.default.attributesOfItem(atPath: path),
        let modified = facts[.modificationDate] as? Date, let size = facts[.size] as? UInt64
      else { return nil }
      return FileStamp(modified: modified, size: size)
    }
  }
}

extension ShellStatement {
  /// A text without surrounding quotes.
  func unquoted(_ text: String) -> String {
    guard let first = text.first, text.count > 1, first == text.last, first == "\"" || first == "'" else { return text }
    var (plain, isEscaped) = ("", false)
    for character in text.dropFirst().dropLast() {
      if character == "\\", !isEscaped {
        isEscaped = true
        continue
      }
      plain.append(character)
      isEscaped = false
    }
    return plain
  }
}

extension Asked {
  /// Makes the question of a statement.
  init(_ statement: ShellStatement) throws {
    var words: [String] = []
    for (clause, option) in Self.clauses {
      if let text = statement.clauses[clause] { words += ["--" + option] + (clause.isFlag ? [] : [text]) }
    }
    words += ["--", "", statement.entity]
    if let condition = statement.clauses[.where] { words.append(condition) }
    do throws(UsageError) { self = try Asked(Arguments(words, for: Command.query.syntax)) } catch {
      // The error uses the words of the shell.
      var error = error
      for (clause, option) in Self.clauses {
        error.sentence = error.sentence.replacing("'--\(option)'", with: "'\(clause.rawValue)'")
          .replacing("'--\(option) ", with: "'\(clause.rawValue) ")
      }
      throw error
    }
  }

  /// Clauses of a question, and the corresponding options of the command line.
  private static let clauses: [(ShellStatement.Clause, String)] = [
    (.sort, "sort"), (.limit, "limit"), (.offset, "offset"), (.columns, "columns"), (.by, "group-by"),
    (.count, "count"), (.sum, "sum"), (.average, "average"), (.min, "min"), (.max, "max"), (.having, "having"),
  ]
}
