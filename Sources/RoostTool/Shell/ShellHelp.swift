import RoostFile
import RoostTransfer

/// The text of `.help`.
enum ShellHelp {
  static func lines(_ word: String?) throws(UsageError) -> [String] {
    guard let word else { return overview }
    let name = word.hasPrefix(".") ? String(word.dropFirst()) : word
    if !word.hasPrefix("."), let verb = ShellStatement.Verb(rawValue: name) {
      return [verb.summary, "", "  " + verb.example, ""] + clauses(verb)
    }
    if let command = DotCommand.all.first(where: { $0.name == name }) {
      return ["." + command.name + (command.usage.isEmpty ? "" : " " + command.usage), "", command.summary]
    }
    if let clause = ShellStatement.Clause(rawValue: name) { return [explained(clause)] }
    if let entry = ErrorCatalogue.entry(written: word) { return ErrorHelp.text(entry) }
    let known = DotCommand.all.map { "." + $0.name } + ShellStatement.Verb.allCases.map(\.rawValue)
    throw UsageError(sentence: "There is no help on '\(word)'" + Spelling.hint(word, among: known))
  }

  private static func clauses(_ verb: ShellStatement.Verb) -> [String] {
    Syntax.columns(verb.clauses.map { ($0.rawValue, explained($0)) })
  }

  private static var overview: [String] {
    var lines = ["STATEMENTS"]
    lines += Syntax.columns(ShellStatement.Verb.allCases.map { ($0 == .show ? "Track …" : $0.rawValue, $0.summary) })
    lines += ["", "EXAMPLES"] + ShellStatement.Verb.allCases.map { "  " + $0.example }
    lines += ["", "COMMANDS"]
    lines += Syntax.columns(DotCommand.all.map { (".\($0.name) \($0.usage)", $0.summary) })
    lines += ["", "KEYS"]
    lines += Syntax.columns([
      ("Tab", "Complete a word."),
      ("F2, Alt-E", "Show the plan of the statement on the line, or of the last question."),
      ("Up, Ctrl-R", "Go through earlier statements, or search them."),
      ("Ctrl-C", "Clear the line, or cancel a statement that runs."), ("Ctrl-D", "End the shell."),
      ("Alt-Enter", "Begin a new line. Open brackets and quotes do so too."),
    ])
    return lines + ["", "  See '.help set' for one statement, '.help where' for a clause."]
  }

  static func explained(_ clause: ShellStatement.Clause) -> String {
    switch clause {
    case .where: "A condition for the rows, as in Swift: genre == \"jazz\" && plays > 9"
    case .by:
      "In 'get', the unique field that has the key. In 'group', the values that a group's rows share: genre, album.year"
    case .count: "The number of rows of each group."
    case .sum: "Sums of each group: plays, total = plays * seconds"
    case .average: "Averages of each group. Nil is left out."
    case .min: "The least values of each group."
    case .max: "The greatest values of each group."
    case .having: "A condition for groups: count > 3 && sum(plays) > 100"
    case .sort: "The sort keys of rows or groups: year,-title. '-' reverses a key's order."
    case .limit: "The largest number of rows or groups."
    case .offset: "The number of rows or groups to leave out at the beginning."
    case .columns: "The columns, in order: #,title,album. '#' is the row's number."
    case .asOf: "A former state: after a transaction, as in 120, or before a time, as in \"2026-01-31\"."
    case .author: "The author for the history."
    case .all: "All rows, in place of a condition."
    }
  }
}
