import RoostKV

/// How a run of the tool ends.
enum Ending: Int32 {
  case good = 0
  /// A check failed, damage was found, or the store could not be read.
  case failed = 1
  /// The words on the command line make no sense.
  case usage = 2
}

/// One of the tool's commands.
struct Command {
  var name: String
  var summary: String
  /// What `help` tells beyond the summary, as lines.
  var discussion: [String] = []
  var syntax = Syntax()
  /// Commands that the tool gives to itself are not shown.
  var isHidden = false
  var run: (Arguments, Console) throws -> Ending

  static var all: [Command] { [.tour, .info, .verify, .backup, .compact, .salvage, .witness] }
  static var shown: [Command] { all.filter { !$0.isHidden } }
  static var version: String { "0.1.0" }

  /// Carries out a whole command line, the program's name left out.
  static func run(_ words: [String], on console: Console) -> Ending {
    do {
      return try dispatch(words, console)
    } catch let error as UsageError {
      console.error("Error: \(error.sentence)")
      console.error("See 'roost help' for more information.")
      return .usage
    } catch let error as StoreError {
      console.error("Error: \(error)")
      return .failed
    } catch let error as CheckFailure {
      console.error("Error: \(error.sentence).")
      return .failed
    } catch {
      console.error("Error: \(error)")
      return .failed
    }
  }

  private static func dispatch(_ words: [String], _ console: Console) throws -> Ending {
    guard let first = words.first else {
      for line in overview { console.line(line) }
      return .good
    }
    switch first {
    case "--version":
      console.line(version)
      return .good
    case "help", "--help", "-h":
      return try help(Array(words.dropFirst()), console)
    default:
      let command = try find(first)
      let arguments = try Arguments(words.dropFirst(), for: command.syntax)
      if arguments.wantsHelp { return try help([first], console) }
      return try command.run(arguments, console)
    }
  }

  private static func find(_ name: String) throws(UsageError) -> Command {
    if let command = all.first(where: { $0.name == name }) { return command }
    throw UsageError(sentence: "There is no command '\(name)'")
  }

  // MARK: Help

  private static func help(_ words: [String], _ console: Console) throws(UsageError) -> Ending {
    let lines = if let name = words.first { try find(name).help } else { overview }
    for line in lines { console.line(line) }
    return .good
  }

  private var help: [String] {
    var lines = ["OVERVIEW: \(summary)", ""] + discussion
    if !discussion.isEmpty { lines.append("") }
    lines += ["USAGE: roost \(name) \(syntax.usage)", ""]
    return lines + syntax.details
  }

  private static var overview: [String] {
    var lines = [
      "OVERVIEW: Looks into Roost stores, looks after them, and shows what Roost does.", "",
      "USAGE: roost <subcommand>", "", "SUBCOMMANDS:",
    ]
    lines += Syntax.columns(shown.map { ($0.name, $0.summary) } + [("help", "Show this text, or a subcommand's.")])
    lines += ["", "OPTIONS:"]
    lines += Syntax.columns([("--version", "Show the version."), ("--help", "Show this text.")])
    lines += ["", "EXIT CODES:"]
    lines += Syntax.columns([
      ("0", "All is well."),
      ("1", "A check failed, damage was found, or a store could not be read or written."),
      ("2", "The arguments make no sense."),
    ])
    return lines + ["", "See 'roost help <subcommand>' for detailed help."]
  }
}

/// Something is not as it should be, as a clause without a full stop.
struct CheckFailure: Error {
  var sentence: String
}

/// Throws unless `condition` holds. This is the one way in which the tour finds fault.
func check(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(CheckFailure) {
  if !condition { throw CheckFailure(sentence: sentence()) }
}
