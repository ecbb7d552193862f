import RoostTransfer

/// The parsed words of one command.
struct Arguments {
  private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]
  private var flags: Set<String> = []
  /// Whether `--help` is among the words; then nothing else is checked.
  private(set) var wantsHelp = false
  private(set) var wantsVersion = false

  init(_ words: some Sequence<String>, for syntax: Syntax) throws(UsageError) {
    let words = Array(words)
    let ours = words.prefix { $0 != "--" }
    if ours.contains("--help") || ours.contains("-h") {
      wantsHelp = true
      return
    }
    if ours.contains("--version") {
      wantsVersion = true
      return
    }
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      if word.hasPrefix("-"), word.count > 1 {
        try readOption(word, &rest, syntax: syntax)
      } else {
        operands.append(word)
      }
    }
    let needed = syntax.operands.filter { !$0.isOptional }.count
    if operands.count < needed {
      throw UsageError(sentence: "Missing expected argument '<\(syntax.operands[operands.count].name)>'")
    }
    if operands.count > syntax.operands.count {
      throw UsageError(sentence: "Unexpected argument '\(operands[syntax.operands.count])'")
    }
  }

  private mutating func readOption(
    _ word: String, _ rest: inout ArraySlice<String>, syntax: Syntax
  ) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let option = Self.option(String(parts[0]), syntax) else {
      if parts[0] == "--json" {
        throw UsageError(sentence: "This command has no '--json': it prints text for people, or for a shell")
      }
      if parts[0] == "--where", syntax.operands.contains(where: { $0.name == "condition" }) {
        throw UsageError(sentence: "The condition needs no '--where': write it after the entity, in quotes")
      }
      let known = syntax.options.map { "--" + $0.name } + ["--help", "--version"]
      throw UsageError(sentence: "Unknown option '\(parts[0])'" + Spelling.hint(String(parts[0]), among: known))
    }
    let name = option.name
    guard option.isRepeating || (!flags.contains(name) && values[name] == nil) else {
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
    if !option.choices.isEmpty, !option.choices.contains(value) {
      throw UsageError(
        sentence: "The value '\(value)' is invalid for '\(option.spelling)'"
          + (Spelling.nearest(value, among: option.choices).map { ". Did you mean '\($0)'?" }
            ?? ". Please provide one of \(option.choices.map { "'\($0)'" }.joined(separator: ", "))"))
    }
    values[name, default: []].append(value)
  }

  private static func option(_ word: String, _ syntax: Syntax) -> Syntax.Option? {
    if word.hasPrefix("--") { return syntax.options.first { $0.name == word.dropFirst(2) } }
    guard word.count == 2, let letter = word.last else { return nil }
    return syntax.options.first { $0.letter == letter }
  }

  func has(_ flag: String) -> Bool { flags.contains(flag) }
  func text(_ option: String) -> String? { values[option]?.last }
  func texts(_ option: String) -> [String] { values[option] ?? [] }

  /// An optional operand.
  func operand(_ place: Int) -> String? { place < operands.count ? operands[place] : nil }

  /// A number within a range; nil if the option is absent.
  func number(_ option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = text(option) else { return nil }
    let digits = text.filter { $0 != "_" && $0 != "," }
    guard let number = Int(digits), range.contains(number) else {
      throw UsageError(
        sentence: "The value '\(text)' is invalid for '--\(option)': a number from \(range.lowerBound) to "
          + "\(range.upperBound) is needed")
    }
    return number
  }

  /// A list of words, separated by commas.
  func list(_ option: String) -> [String]? {
    guard let text = text(option) else { return nil }
    return text.split(separator: ",").map { part in
      String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }
}
