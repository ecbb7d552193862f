/// A part of a statement: a word, a quoted text or a sign.
struct ShellWord: Equatable {
  enum Kind { case word, quoted, sign }

  var kind: Kind
  var text: String
  /// Its characters in the statement.
  var range: Range<Int>
  /// The number of open brackets around it.
  var depth: Int
  /// Whether an operator could follow the word before it. Only there can a word begin a clause.
  var followsOperand = false
}

/// Splits a statement into words, as far as the shell needs it. The parser of conditions does the
/// rest.
struct StatementScanner {
  private(set) var words: [ShellWord] = []
  /// Whether a quote or a bracket is still open.
  private(set) var isOpen = false
  /// The open quote; nil if none is.
  private(set) var openQuote: Character?
  private let characters: [Character]
  private var at = 0
  private var depth = 0

  /// Signs that can be between two operands.
  private static let infix: Set<String> = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", ",", "=", "??", "?.", ".", "...", "..<", "?",
    ":",
  ]

  init(_ text: String) {
    characters = Array(text)
    while at < characters.count { next() }
    isOpen = depth > 0 || openQuote != nil
  }

  var isInQuote: Bool { openQuote != nil }

  /// A text without its comments, which begin with `//` outside quotes and extend to the end of the
  /// line.
  static func withoutComments(_ text: String) -> String {
    guard text.contains("//"), !text.drop(while: \.isWhitespace).hasPrefix(".") else { return text }
    var (plain, quote, isEscaped, isComment) = ("", Character?.none, false, false)
    for character in text {
      if character.isNewline { isComment = false }
      if isComment { continue }
      if let open = quote {
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == open {
          quote = nil
        }
      } else if "\"'`".contains(character) {
        quote = character
      } else if character == "/", plain.last == "/" {
        plain.removeLast()
        isComment = true
        continue
      }
      plain.append(character)
    }
    return plain
  }

  /// Whether Enter ends this text. It does not while something is open or an operator needs its
  /// operand.
  static func isFinished(_ text: String) -> Bool {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // An empty line ends every statement.
    if lines.count > 1, lines.last?.allSatisfy(\.isWhitespace) == true { return true }
    let plain = withoutComments(text)
    let start = plain.drop(while: \.isWhitespace)
    if start.isEmpty || start.hasPrefix(".") { return true }
    let found = StatementScanner(plain)
    if found.isOpen { return false }
    guard let last = found.words.last else { return true }
    return !(last.kind == .sign && infix.contains(last.text))
  }

  private mutating func next() {
    let start = at
    let character = characters[at]
    at += 1
    if character.isWhitespace { return }
    if character == "\"" || character == "'" || character == "`" {
      quote(character)
      add(.quoted, from: start)
    } else if character.isLetter || character.isNumber || "_@$".contains(character) {
      while at < characters.count, characters[at].isLetter || characters[at].isNumber || characters[at] == "_" {
        at += 1
      }
      add(.word, from: start)
    } else {
      sign(character, from: start)
    }
  }

  private mutating func quote(_ quote: Character) {
    while at < characters.count {
      let character = characters[at]
      at += 1
      if character == "\\" {
        at = min(at + 1, characters.count)
      } else if character == quote {
        return
      }
    }
    openQuote = quote
  }

  private mutating func sign(_ character: Character, from start: Int) {
    if "([{".contains(character) {
      add(.sign, from: start)
      depth += 1
      return
    }
    if ")]}".contains(character) { depth = max(0, depth - 1) }
    for length in [3, 2] where start + length <= characters.count {
      let text = String(characters[start..<(start + length)])
      if Self.infix.contains(text) {
        at = start + length
        break
      }
    }
    add(.sign, from: start)
  }

  private mutating func add(_ kind: ShellWord.Kind, from start: Int) {
    let text = String(characters[start..<at])
    var isBehind = false
    if let last = words.last {
      isBehind = last.kind != .sign || [")", "]", "}", "!", "#"].contains(last.text)
    }
    words.append(ShellWord(kind: kind, text: text, range: start..<at, depth: depth, followsOperand: isBehind))
  }

  /// The text of a range, without surrounding blanks.
  func text(_ range: Range<Int>) -> String {
    var range = range.clamped(to: 0..<characters.count)
    while let first = range.first, characters[first].isWhitespace { range = (first + 1)..<range.upperBound }
    while let last = range.last, characters[last].isWhitespace { range = range.lowerBound..<last }
    return String(characters[range])
  }
}
