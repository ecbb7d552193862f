import Foundation
import RoostFile
import RoostKV
import RoostRecords
import RoostTransfer

/// The exit codes of the tool.
enum Ending: Int32 {
  case good = 0
  /// A check failed, damage was found, something named does not exist, or the store could not be
  /// read.
  case failed = 1
  /// The arguments, or the condition among them, are invalid. A failed comparison ends so too,
  /// because 1 means that the stores differ.
  case usage = 2
  /// Another process has the store open, or writes faster than this one can read: try again.
  case inUse = 3

  static let explained = [
    ("0", "All is well."),
    ("1", "A check failed, damage was found, stores differ, something is missing, or a store cannot be used."),
    ("2", "The arguments, or the condition among them, are invalid; or 'diff' could not compare."),
    ("3", "Another process has the store open, or writes it faster than it can be read: try again later."),
  ]
}

/// One of the tool's commands.
struct Command {
  var name: String
  var summary: String
  /// Lines that `help` prints after the summary.
  var discussion: [String] = []
  var syntax = Syntax()
  /// Whether the command is internal, so that help does not show it.
  var isHidden = false
  /// The path of the store that the command changes in place; nil if it changes none.
  var changedStore: (Arguments) -> String? = { _ in nil }
  var run: (Arguments, Console) throws -> Ending

  static var all: [Command] {
    [
      .tour, .shell, .serve, .info, .schema, .migrate, .query, .get, .explain, .set, .insert, .delete, .import, .export,
      .dump, .load, .diff, .history, .stats, .verify, .salvage, .compact, .backup, .restore, .bench, .completion,
      .witness,
    ]
  }
  static var shown: [Command] { all.filter { !$0.isHidden } }
  /// The version of Roost. `VersionTests` compares the documentation with it.
  static var version: String { "0.2.0" }

  /// Runs a whole command line, without the program's name.
  static func run(_ words: [String], on console: Console) -> Ending {
    do {
      let ending = try dispatch(words, console)
      try console.checkReader()
      return ending
    } catch let error as StoreError where error.errorNumber == EPIPE {
      // The reader of the output has ended, as `| head` does.
      return .good
    } catch {
      let ending = ending(error, words)
      // A caller that reads JSON gets errors as JSON too.
      if words.contains("--json"), let text = try? Console.jsonText(Failure(error, ending)) {
        console.error(text)
      } else {
        report(error, console)
      }
      return ending
    }
  }

  /// An error for programs, on one line of standard error.
  private struct Failure: Encodable {
    var error: String
    /// The number of its kind, such as `E0507`.
    var reference: String?
    var exitCode: Int32

    init(_ error: any Error, _ ending: Ending) {
      self.error =
        switch error {
        case let error as UsageError: error.sentence
        case let error as CheckFailure: error.sentence
        default: "\(error)"
        }
      reference = (error as? any CataloguedError)?.entry?.number
      exitCode = ending.rawValue
    }
  }

  /// As in other programs that compare: 1 is a difference, greater codes are errors.
  private static func ending(_ error: any Error, _ words: [String]) -> Ending {
    let compares =
      words.first == "diff" || words.first == "schema" && words.contains { $0 == "--diff" || $0.hasPrefix("--diff=") }
    let ending = ending(error)
    return compares && ending == .failed ? .usage : ending
  }

  private static func ending(_ error: any Error) -> Ending {
    switch error {
    case is UsageError, is QuestionFault: .usage
    case let error as StoreError: error.code == .locked || error.code == .busy ? .inUse : .failed
    default: .failed
    }
  }

  /// Prints an error, and where to read more.
  private static func report(_ error: any Error, _ console: Console) {
    switch error {
    case let error as UsageError:
      console.error("Error: \(error.sentence)")
      if !error.showsUsage { return }
      if let command = all.first(where: { $0.name == error.command && !$0.isHidden }) {
        for line in command.usageLines("Usage:") { console.error(line) }
        console.error("  See 'roost help \(command.name)' for more information.")
      } else {
        console.error("See 'roost help' for more information.")
      }
    case let error as QuestionFault:
      console.error("Error: \(error.detail)")
      for line in error.lines.prefix(1) { console.error("  " + line) }
      console.error("  " + String(repeating: " ", count: error.place) + "^")
    case let error as CheckFailure: console.error("Error: \(error.sentence).")
    default: console.error("Error: \(error)")
    }
    if let entry = (error as? any CataloguedError)?.entry {
      console.error("See 'roost help \(entry.number)' for more information.")
    }
  }

  private static func dispatch(_ words: [String], _ console: Console) throws -> Ending {
    guard let first = words.first else {
      for line in overview { console.line(text: line) }
      return .good
    }
    switch first {
    case "--version":
      console.line(text: version)
      return .good
    case "help", "--help", "-h":
      return try help(Array(words.dropFirst()), console)
    default:
      let command = try find(first)
      do {
        let arguments = try Arguments(words.dropFirst(), for: command.syntax)
        if arguments.wantsHelp { return try help([first], console) }
        if arguments.wantsVersion { return try dispatch(["--version"], console) }
        return try command.perform(arguments, console)
      } catch var error as UsageError {
        error.command = command.name
        throw error
      }
    }
  }

  /// Runs the command. Says if it raised the format of its store.
  func perform(_ arguments: Arguments, _ console: Console) throws -> Ending {
    guard let path = changedStore(arguments), !arguments.has("json") else { return try run(arguments, console) }
    let before = SuperblockSlot.version(of: path)
    defer { FormatChange(before: before, now: SuperblockSlot.version(of: path)).write(to: console, path) }
    return try run(arguments, console)
  }

  private static func find(_ name: String, topics: [String] = []) throws(UsageError) -> Command {
    if let command = all.first(where: { $0.name == name }) { return command }
    if name.hasPrefix("-") {
      throw UsageError(sentence: "Unknown option '\(name)'" + Spelling.hint(name, among: ["--version", "--help"]))
    }
    throw UsageError(
      sentence: "There is no command '\(name)'" + Spelling.hint(name, among: shown.map(\.name) + ["help"] + topics)
        + (Spelling.nearest(name, among: shown.map(\.name) + ["help"] + topics) == nil
          ? "; 'roost help' lists all" : ""))
  }

  // MARK: Help

  private static func help(_ words: [String], _ console: Console) throws -> Ending {
    if words.contains("--json") {
      try console.json(HelpFacts(words.filter { $0 != "--json" }))
      return .good
    }
    let lines: [String]
    switch words.first {
    case nil: lines = overview
    case "errors": lines = ErrorHelp.list
    case let name? where HelpTopic.all.contains { $0.name == name }:
      lines = HelpTopic.all.first { $0.name == name }?.lines ?? []
    case "help", "--help", "-h": lines = overview
    case let name?:
      if let entry = ErrorCatalogue.entry(written: name) {
        lines = ErrorHelp.text(entry)
      } else if name.first == "E" || name.first == "e", name.dropFirst().allSatisfy(\.isNumber), name.count > 1 {
        throw UsageError(sentence: "There is no error '\(name)'; 'roost help errors' lists them")
      } else {
        lines = try find(name, topics: HelpTopic.all.map(\.name) + ["errors"]).help
      }
    }
    for line in lines { console.line(text: line) }
    return .good
  }

  private var help: [String] {
    var lines = Syntax.wrapped("OVERVIEW: \(summary)", indent: 0) + [""]
    if !discussion.isEmpty { lines += Syntax.wrapped(discussion.joined(separator: " "), indent: 0) + [""] }
    return lines + usageLines("USAGE:") + [""] + syntax.details
  }

  private func usageLines(_ title: String) -> [String] {
    Syntax.wrapped("\(title) roost \(name) \(syntax.usage)", indent: title.count + 1)
  }

  private static var overview: [String] {
    var lines = [
      "OVERVIEW: Reads and maintains Roost stores, and demonstrates Roost.", "",
      "USAGE: roost <subcommand>", "", "OPTIONS:",
    ]
    lines += Syntax.columns([("--version", "Show the version."), ("-h, --help", "Show help information.")])
    lines += ["", "SUBCOMMANDS:"]
    lines += Syntax.columns(
      shown.map { ($0.name, $0.summary) } + [
        ("help", "Show subcommand help information, or explain an error: help E0103.")
      ])
    lines += ["", "TOPICS:"]
    lines += Syntax.columns(HelpTopic.all.map { ($0.name, $0.summary) } + [("errors", "The numbers of all errors.")])
    lines += ["", "EXIT CODES:"]
    lines += Syntax.columns(Ending.explained)
    return lines + ["", "  See 'roost help <subcommand>' or 'roost help <topic>' for detailed help."]
  }
}

/// An unexpected state, as a clause without a full stop.
struct CheckFailure: Error {
  var sentence: String
}

/// Throws unless `condition` is true. All checks of the tour use it.
func check(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(CheckFailure) {
  if !condition { throw CheckFailure(sentence: sentence()) }
}

/// Explains errors by their numbers.
enum ErrorHelp {
  static func text(_ entry: ErrorEntry) -> [String] {
    ["\(entry.number) \(entry.name) (\(entry.family.name))", "", entry.meaning, entry.advice]
  }

  static var list: [String] {
    ErrorCatalogue.all.map { "\($0.number)  \($0.name) (\($0.family.name))" }
  }
}
