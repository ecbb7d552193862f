import RoostFile
import RoostRecords
import RoostTransfer

/// A command for the shell itself, which begins with a dot.
struct DotCommand: Sendable {
  let name: String
  /// The arguments after the name, for help.
  let usage: String
  let summary: String
  let run: @Sendable (_ words: [String], _ session: ShellSession) throws -> Void

  static let all: [DotCommand] = [
    .entities, .schema, .mode, .timing, .pager, .explain, .output, .read, .open, .history, .help, .quit,
  ]

  static func run(_ text: String, _ session: ShellSession) throws {
    let words = try words(text)
    guard let first = words.first else { return }
    let name = String(first.dropFirst())
    guard let command = all.first(where: { $0.name == name || $0.name == "quit" && name == "exit" }) else {
      throw UsageError(
        sentence: "There is no command '\(first)'" + Spelling.hint(first, among: all.map { "." + $0.name })
          + (Spelling.nearest(first, among: all.map { "." + $0.name }) == nil ? ": '.help' lists the commands" : ""))
    }
    try command.run(Array(words.dropFirst()), session)
  }

  /// The words of a line. Quotes keep a word with spaces together.
  private static func words(_ text: String) throws(UsageError) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in text {
      if let open = quote {
        if character == open { quote = nil } else { word?.append(character) }
      } else if character == "\"" || character == "'" {
        (quote, word) = (character, word ?? "")
      } else if character.isWhitespace {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if quote != nil { throw UsageError(sentence: "This quote is never closed: \(text)") }
    return words + (word.map { [$0] } ?? [])
  }

  private static func one(_ words: [String], _ command: String) throws(UsageError) -> String {
    guard words.count == 1 else { throw UsageError(sentence: "Write '\(command)'") }
    return words[0]
  }

  private static func isOn(_ words: [String], _ command: String) throws(UsageError) -> Bool {
    switch words {
    case ["on"]: true
    case ["off"]: false
    default: throw UsageError(sentence: "Write '\(command) on' or '\(command) off'")
    }
  }

  // MARK: The store

  private static let entities = DotCommand(
    name: "entities", usage: "", summary: "List the entities with their numbers of rows."
  ) { _, session in
    let rows = try session.read { reader in
      try Looking.names(reader.catalog).map { name in
        (name, try Looking.rowClass(name, reader.catalog).count(reader))
      }
    }
    try session.output.with { console in
      var table = TextTable(
        [TextTable.Column(name: "entity"), TextTable.Column(name: "rows", isNumber: true)], console
      ) { text in try console.raw(text) }
      for (name, count) in rows { try table.add([name, ReadableNumber.count(count)]) }
      try table.end()
    }
  }

  private static let schema = DotCommand(
    name: "schema", usage: "[Entity]", summary: "Print the models as Swift declares them."
  ) { words, session in
    let catalog = try session.catalog()
    let text = SchemaText(catalog)
    let lines = words.isEmpty ? text.lines : try words.flatMap { text.lines(try Looking.entity($0, catalog)) }
    session.output.with { console in
      for line in lines { console.line(text: line) }
    }
  }

  private static let open = DotCommand(
    name: "open", usage: "STORE", summary: "Continue with another store."
  ) { words, session in
    try session.open(one(words, ".open STORE"))
  }

  // MARK: Output

  private static let mode = DotCommand(
    name: "mode", usage: "[table|json|jsonl|csv|markdown|vertical]", summary: "How rows are printed."
  ) { words, session in
    if words.isEmpty {
      session.output.base.line(text: session.settings.mode.rawValue)
    } else {
      session.settings.mode = try ResultMode.find(one(words, ".mode table"))
    }
  }

  private static let timing = DotCommand(
    name: "timing", usage: "on|off", summary: "Print how long each statement takes."
  ) { words, session in
    session.settings.isTimed = try isOn(words, ".timing")
  }

  private static let pager = DotCommand(
    name: "pager", usage: "on|off", summary: "Show long results page by page, in the program of PAGER if it is set."
  ) { words, session in
    let isOn = try isOn(words, ".pager")
    guard session.output.canAsk else { throw UsageError(sentence: "There is no terminal, so there are no pages") }
    session.output.pages = isOn
  }

  private static let explain = DotCommand(
    name: "explain", usage: "", summary: "Print the plan of the last question, as the key F2 does."
  ) { words, session in
    try session.explain(words.joined(separator: " "))
  }

  private static let output = DotCommand(
    name: "output", usage: "[--replace] [FILE]", summary: "Write results to a new file. Without a file: to the screen."
  ) { words, session in
    let replaces = words.first == "--replace"
    let rest = Array(words.dropFirst(replaces ? 1 : 0))
    if rest.isEmpty, !replaces { return session.output.writeToTerminal() }
    let path = try one(rest, ".output FILE")
    try OutputPlace.check(path, store: session.path)
    try session.output.write(to: path, replaces: replaces)
  }

  // MARK: Statements

  private static let read = DotCommand(
    name: "read", usage: "FILE", summary: "Run the statements of a file."
  ) { words, session in
    try session.read(file: one(words, ".read FILE"))
  }

  private static let history = DotCommand(
    name: "history", usage: "[n]", summary: "List the last statements that were entered (20)."
  ) { words, session in
    var most = 20
    if let word = words.first {
      guard words.count == 1, let number = Int(word), number > 0 else {
        throw UsageError(sentence: "Write '.history 20'")
      }
      most = number
    }
    session.output.with { console in
      for text in session.entered.suffix(most) { console.line(text: text) }
    }
  }

  private static let help = DotCommand(
    name: "help", usage: "[word]", summary: "Explain all commands, one of them, or an error such as E0801."
  ) { words, session in
    let lines = try ShellHelp.lines(words.first)
    session.output.with { console in
      for line in lines { console.line(text: line) }
    }
  }

  private static let quit = DotCommand(
    name: "quit", usage: "", summary: "End the shell, as Ctrl-D does."
  ) { _, session in session.end() }
}
