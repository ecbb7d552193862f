import RoostTransfer

/// The commands as `help --json` prints them.
struct HelpFacts: Encodable {
  struct Operand: Encodable {
    var name: String
    var help: String
    var isOptional: Bool
  }

  struct Option: Encodable {
    var name: String
    /// The word after the option; nil for a flag.
    var value: String?
    var help: String
    var choices: [String]
    var isRepeating: Bool
  }

  struct Subcommand: Encodable {
    var name: String
    var summary: String
    var discussion: String
    var operands: [Operand]
    var options: [Option]

    init(_ command: Command) {
      (name, summary) = (command.name, command.summary)
      discussion = command.discussion.joined(separator: " ")
      operands = command.syntax.operands.map { Operand(name: $0.name, help: $0.help, isOptional: $0.isOptional) }
      options = command.syntax.options.map { option in
        Option(
          name: option.name, value: option.value, help: option.help, choices: option.choices,
          isRepeating: option.isRepeating)
      }
    }
  }

  struct ExitCode: Encodable {
    var code: String
    var meaning: String
  }

  var version = Command.version
  var commands: [Subcommand]
  var exitCodes: [ExitCode]

  /// All commands, or those with these names.
  init(_ names: [String]) throws {
    for name in names where !Command.shown.contains(where: { $0.name == name }) {
      throw UsageError(
        sentence: "There is no command '\(name)'" + Spelling.hint(name, among: Command.shown.map(\.name))
          + (Spelling.nearest(name, among: Command.shown.map(\.name)) == nil
            ? "; '--json' lists commands, and no errors" : ""))
    }
    commands = Command.shown.filter { names.isEmpty || names.contains($0.name) }.map(Subcommand.init)
    exitCodes = Ending.explained.map { ExitCode(code: $0.0, meaning: $0.1) }
  }
}
