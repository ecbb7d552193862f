/// The operands and options of a command.
///
/// The syntax is that of swift-argument-parser, which cannot be fetched without a network:
/// `--flag`, `--option value`, `--option=value`, `-h`, `--help`, and `--` before words that only
/// look like options.
struct Syntax: Sendable {
  /// An argument that is identified by its position.
  struct Operand: Sendable {
    var name: String
    var help: String
    /// Optional operands come after all others.
    var isOptional = false

    var spelling: String { isOptional ? "[<\(name)>]" : "<\(name)>" }
  }

  /// An argument that begins with two dashes; with `value` another word follows it.
  struct Option: Sendable {
    var name: String
    var value: String?
    var help: String
    /// A letter that can replace the name after one dash.
    var letter: Character?
    /// The allowed values, if they are restricted.
    var choices: [String] = []
    var isRepeating = false

    var spelling: String { value.map { "--\(name) <\($0)>" } ?? "--\(name)" }
    /// The option in help texts.
    var label: String { (letter.map { "-\($0), " } ?? "") + spelling }
  }

  var operands: [Operand] = []
  var options: [Option] = []

  /// The rest of a usage line after the command's name.
  var usage: String {
    let optional = options.map { "[\($0.spelling)]\($0.isRepeating ? " ..." : "")" }
    return (optional + operands.map(\.spelling)).joined(separator: " ")
  }

  /// The help text below the usage line.
  var details: [String] {
    var lines: [String] = []
    if !operands.isEmpty {
      lines += ["ARGUMENTS:"] + Self.columns(operands.map { ("<\($0.name)>", $0.help) }) + [""]
    }
    var rows = options.map { option in
      (
        option.label,
        option.help + (option.choices.isEmpty ? "" : " (values: \(option.choices.joined(separator: ", ")))")
      )
    }
    rows += [("--version", "Show the version."), ("-h, --help", "Show help information.")]
    return lines + ["OPTIONS:"] + Self.columns(rows)
  }

  private static let indent = 26
  private static let width = 80

  /// Two columns. A first column that is too wide gets a line of its own, and long texts are
  /// wrapped.
  static func columns(_ rows: [(String, String)]) -> [String] {
    var lines: [String] = []
    for (label, text) in rows {
      var line = "  " + label
      if line.count >= indent {
        lines.append(line)
        line = ""
      }
      for word in text.split(separator: " ") {
        if line.count < indent {
          line += String(repeating: " ", count: indent - line.count) + word
        } else if line.count + 1 + word.count > width {
          lines.append(line)
          line = String(repeating: " ", count: indent) + word
        } else {
          line += " " + word
        }
      }
      lines.append(line)
    }
    return lines
  }

  /// A usage line, wrapped for help.
  static func wrapped(_ text: String, indent: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    // A part in brackets is not broken.
    var parts: [String] = []
    for word in text.split(separator: " ") {
      if let last = parts.last, last.hasPrefix("["), !last.contains("]") {
        parts[parts.count - 1] = last + " " + word
      } else {
        parts.append(String(word))
      }
    }
    for part in parts {
      if line.isEmpty {
        line = (lines.isEmpty ? "" : String(repeating: " ", count: indent)) + part
      } else if line.count + 1 + part.count > width {
        lines.append(line)
        line = String(repeating: " ", count: indent) + part
      } else {
        line += " " + part
      }
    }
    return lines + [line]
  }
}

/// Invalid arguments. The tool prints the sentence and ends with 2.
struct UsageError: Error {
  var sentence: String
  /// The command of the arguments, if it is known.
  var command: String?
  /// Whether the command's usage is printed too. Not if the sentence says which option is missing.
  var showsUsage = true
}
