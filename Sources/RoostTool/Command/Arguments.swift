/// What a command takes from the command line, and how those words are read.
///
/// The spelling is that of swift-argument-parser: `--flag`, `--option value`, `--option=value`, `--help`, and `--` before
/// words that only look like options.
struct Syntax: Sendable {
  /// A word that stands by its position.
  struct Operand: Sendable {
    var name: String
    var help: String
  }

  /// A word that begins with two dashes; with `value` another word follows it.
  struct Option: Sendable {
    var name: String
    var value: String?
    var help: String

    var spelling: String { value.map { "--\(name) <\($0)>" } ?? "--\(name)" }
  }

  var operands: [Operand] = []
  var options: [Option] = []

  /// The words of a usage line behind the command's name.
  var usage: String {
    let optional = options.map { "[\($0.spelling)]" }
    let required = operands.map { "<\($0.name)>" }
    return (optional + required).joined(separator: " ")
  }

  /// What `help` shows below the usage line.
  var details: [String] {
    var rows = operands.map { ("<\($0.name)>", $0.help) } + options.map { ($0.spelling, $0.help) }
    rows.append(("--help", "Show this text."))
    return Syntax.columns(rows)
  }

  /// Two columns, the first as wide as its widest word.
  static func columns(_ rows: [(String, String)]) -> [String] {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { left, right in
      "  " + left + String(repeating: " ", count: width - left.count + 2) + right
    }
  }
}

/// Words that make no sense. The tool says so and ends with 2.
struct UsageError: Error {
  var sentence: String
}

/// The words of one command, read.
struct Arguments {
  private(set) var operands: [String] = []
  private var values: [String: String] = [:]
  private var flags: Set<String> = []
  /// Whether `--help` stands among them; then nothing else is checked.
  private(set) var wantsHelp = false

  init(_ words: some Sequence<String>, for syntax: Syntax) throws(UsageError) {
    let words = Array(words)
    let ours = words.prefix { $0 != "--" }
    if ours.contains("--help") || ours.contains("-h") {
      wantsHelp = true
      return
    }
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      if word.hasPrefix("-"), word.count > 1 {
        try readOption(word, &rest, syntax)
      } else {
        operands.append(word)
      }
    }
    if operands.count < syntax.operands.count {
      throw UsageError(sentence: "Missing expected argument '<\(syntax.operands[operands.count].name)>'")
    }
    if operands.count > syntax.operands.count {
      throw UsageError(sentence: "Unexpected argument '\(operands[syntax.operands.count])'")
    }
  }

  private mutating func readOption(
    _ word: String, _ rest: inout ArraySlice<String>, _ syntax: Syntax
  ) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0].drop { $0 == "-" })
    guard word.hasPrefix("--"), let option = syntax.options.first(where: { $0.name == name }) else {
      throw UsageError(sentence: "Unknown option '\(parts[0])'")
    }
    guard !flags.contains(name), values[name] == nil else {
      throw UsageError(sentence: "'--\(name)' is given twice")
    }
    guard option.value != nil else {
      if parts.count > 1 { throw UsageError(sentence: "The flag '--\(name)' takes no value") }
      flags.insert(name)
      return
    }
    let value = parts.count > 1 ? String(parts[1]) : rest.popFirst()
    guard let value, !value.isEmpty else {
      throw UsageError(sentence: "Missing value for '\(option.spelling)'")
    }
    values[name] = value
  }

  func has(_ flag: String) -> Bool { flags.contains(flag) }
  func text(_ option: String) -> String? { values[option] }

  /// A number within a range; nil where the option was not given.
  func number(_ option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = values[option] else { return nil }
    let digits = text.filter { $0 != "_" && $0 != "," }
    guard let number = Int(digits), range.contains(number) else {
      throw UsageError(
        sentence: "The value '\(text)' is invalid for '--\(option)': a number from \(range.lowerBound) to "
          + "\(range.upperBound) is needed")
    }
    return number
  }
}
