/// A word of a condition that a user typed.
struct Word: Hashable {
  enum Kind: Hashable {
    case name(String)
    /// `$0`
    case element
    case integer(String)
    case number(String)
    case text(String)
    /// `#12`: a row.
    case row(UInt64)
    case sign(String)
    case end
  }

  var kind: Kind
  var place: Int
}

/// Splits a condition into words, in Swift's syntax.
struct QuestionLexer {
  private static let signs = [
    "&&", "||", "==", "!=", "<=", ">=", "??", "?.", "...", "..<", "<", ">", "!", "+", "-", "*", "/", "%", "(", ")", "[",
    "]",
    "{", "}", ",", ".", ":", "?", "=",
  ]

  private let text: String
  private let characters: [Character]
  private var at = 0

  private init(_ text: String) {
    self.text = text
    characters = Array(text)
  }

  static func words(_ text: String) throws(QuestionFault) -> [Word] {
    var lexer = QuestionLexer(text)
    var words: [Word] = []
    repeat { words.append(try lexer.next()) } while words.last?.kind != .end
    return words
  }

  private func fault(_ detail: String, _ place: Int) -> QuestionFault {
    QuestionFault(detail: detail, place: place, text: text)
  }

  private mutating func next() throws(QuestionFault) -> Word {
    while at < characters.count, characters[at].isWhitespace { at += 1 }
    let start = at
    guard at < characters.count else { return Word(kind: .end, place: start) }
    let character = characters[at]
    if character == "\"" || character == "'" { return Word(kind: .text(try quoted(character)), place: start) }
    if character == "`" { return Word(kind: .name(try quoted(character)), place: start) }
    if character.isASCII, character.isNumber { return number() }
    if character == "#" || character == "$" {
      at += 1
      let digits = take { $0.isASCII && $0.isNumber }
      if character == "$", digits == "0" { return Word(kind: .element, place: start) }
      if character == "#", let row = UInt64(digits) { return Word(kind: .row(row), place: start) }
      throw fault(character == "$" ? "only $0 is possible here" : "a row is written as #12", start)
    }
    if character.isLetter || character == "_" || character == "@" {
      at += 1
      let rest = take { $0.isLetter || $0.isNumber || $0 == "_" }
      return Word(kind: .name(String(character) + rest), place: start)
    }
    if characters[at...].starts(with: "<>") { throw fault("write != to compare", start) }
    if characters[at...].starts(with: ".."), !["...", "..<"].contains(where: { characters[at...].starts(with: $0) }) {
      throw fault("'..' is unknown here: write (1...3).contains(number)", start)
    }
    for sign in Self.signs where characters[at...].starts(with: sign) {
      at += sign.count
      return Word(kind: .sign(sign), place: start)
    }
    if character == "&" || character == "|" { throw fault("write \(character)\(character)", start) }
    if "\u{201C}\u{201D}\u{201E}\u{2018}\u{2019}\u{AB}\u{BB}".contains(character) {
      throw fault("'\(character)' is no quote here: write \"text\" or 'text'", start)
    }
    throw fault("'\(character)' has no meaning here", start)
  }

  private mutating func take(_ test: (Character) -> Bool) -> String {
    let start = at
    while at < characters.count, test(characters[at]) { at += 1 }
    return String(characters[start..<at])
  }

  private mutating func number() -> Word {
    let start = at
    func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber || character == "_" }
    var digits = take(isDigit)
    var isWhole = true
    if at + 1 < characters.count, characters[at] == ".", isDigit(characters[at + 1]) {
      at += 1
      digits += "." + take(isDigit)
      isWhole = false
    }
    if at < characters.count, characters[at] == "e" || characters[at] == "E" {
      let before = at
      at += 1
      var exponent = "e"
      if at < characters.count, characters[at] == "-" || characters[at] == "+" {
        exponent.append(characters[at])
        at += 1
      }
      let power = take(isDigit)
      if power.isEmpty { at = before } else { (digits, isWhole) = (digits + exponent + power, false) }
    }
    digits.removeAll { $0 == "_" }
    return Word(kind: isWhole ? .integer(digits) : .number(digits), place: start)
  }

  private mutating func quoted(_ quote: Character) throws(QuestionFault) -> String {
    let start = at
    at += 1
    var found = ""
    while at < characters.count, characters[at] != quote {
      guard characters[at] == "\\" else {
        found.append(characters[at])
        at += 1
        continue
      }
      at += 1
      guard at < characters.count else { break }
      switch characters[at] {
      case "n": found.append("\n")
      case "t": found.append("\t")
      case "r": found.append("\r")
      case "0": found.append("\0")
      case "\\", "\"", "'", "`": found.append(characters[at])
      case "u": found.append(try scalar())
      default:
        throw fault("this escape sequence is unknown; there are \\n, \\t, \\r, \\0, \\\\, \\\" and \\u{e9}", at - 1)
      }
      at += 1
    }
    guard at < characters.count else { throw fault("this quote is never closed", start) }
    at += 1
    return found
  }

  /// Reads `\u{e9}`, and stops at the closing brace.
  private mutating func scalar() throws(QuestionFault) -> Character {
    let start = at
    guard at + 1 < characters.count, characters[at + 1] == "{" else { throw fault("write \\u{e9}", start) }
    at += 2
    let digits = take { $0.isHexDigit }
    guard at < characters.count, characters[at] == "}", let code = UInt32(digits, radix: 16),
      let scalar = Unicode.Scalar(code)
    else { throw fault("there is no such character", start) }
    return Character(scalar)
  }
}
