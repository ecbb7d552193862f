/// Parses the words of a condition, with Swift's precedences.
struct QuestionParser {
  private let text: String
  private let words: [Word]
  private var at = 0
  private var depth = 0

  /// The deepest nesting, so that the stack does not overflow.
  private static let deepest = 60

  private init(_ text: String) throws(QuestionFault) {
    self.text = text
    words = try QuestionLexer.words(text)
  }

  static func parse(_ text: String) throws(QuestionFault) -> Placed {
    var parser = try QuestionParser(text)
    let whole = try parser.expression()
    guard parser.word.kind == .end else { throw parser.fault(parser.surplus) }
    return whole
  }

  /// Parses changes of fields, separated by commas: `plays = plays + 1, rating = nil`.
  static func changes(_ text: String) throws(QuestionFault) -> [(name: String, place: Int, value: Placed)] {
    var parser = try QuestionParser(text)
    var changes: [(name: String, place: Int, value: Placed)] = []
    if parser.word.kind == .end { return [] }
    repeat {
      let place = parser.word.place
      var names: [String] = []
      repeat {
        guard case .name(let name) = parser.word.kind else { throw parser.fault("the name of a field is expected") }
        parser.at += 1
        names.append(name)
      } while parser.take(".")
      guard parser.take("=") else { throw parser.fault("'=' is expected: write plays = 3") }
      changes.append((names.joined(separator: "."), place, try parser.expression()))
    } while parser.take(",")
    guard parser.word.kind == .end else { throw parser.fault(parser.surplus) }
    return changes
  }

  /// The error for a word that cannot come next. Usually it belongs to another language.
  private var surplus: String {
    if word.kind == .sign("=") { return "write == to compare" }
    guard case .name(let name) = word.kind else { return "an operator such as && or == is expected before this" }
    return switch name.lowercased() {
    case "and": "'\(name)' is unknown here: write &&"
    case "or": "'\(name)' is unknown here: write ||"
    case "is": "'\(name)' is unknown here: write == or !="
    case "in": "'\(name)' is unknown here: write [1, 2].contains(number) or (1...3).contains(number)"
    case "like", "ilike", "contains":
      "'\(name)' is unknown here: write name.contains(\"text\") or name.hasPrefix(\"text\")"
    case "matches": "'matches' is unknown here: write matches(\"words\") for a full text search"
    case "between": "'\(name)' is unknown here: write (1...9).contains(number)"
    case "desc" where isKey, "descending" where isKey:
      "'\(name)' is unknown here: write -\(before) to sort in descending order"
    case "asc" where isKey, "ascending" where isKey:
      "'\(name)' is unknown here: leave it out; \(before) sorts in ascending order"
    default: "an operator such as && or == is expected before '\(name)'"
    }
  }

  /// Whether the text before the current word is one name, which can be a sort key.
  private var isKey: Bool { before.allSatisfy { $0.isLetter || $0.isNumber || "._".contains($0) } }

  /// The text before the current word.
  private var before: String {
    String(text.prefix(word.place).reversed().drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace })
  }

  private var word: Word { words[at] }

  private func fault(_ detail: String, _ place: Int? = nil) -> QuestionFault {
    QuestionFault(detail: detail, place: place ?? word.place, text: text)
  }

  /// The last word of the text.
  private var last: String {
    let end = text.reversed().drop { $0.isWhitespace }
    return String(end.prefix { !$0.isWhitespace }.reversed().suffix(20))
  }

  private mutating func take(_ sign: String) -> Bool {
    guard word.kind == .sign(sign) else { return false }
    at += 1
    return true
  }

  private mutating func demand(_ sign: String) throws(QuestionFault) {
    if !take(sign) { throw fault(word.kind == .sign("=") ? surplus : "'\(sign)' is expected") }
  }

  // MARK: From the lowest to the highest precedence

  private mutating func expression() throws(QuestionFault) -> Placed {
    try deeper { (parser) throws(QuestionFault) in try parser.ternary() }
  }

  private mutating func ternary() throws(QuestionFault) -> Placed {
    let test = try binary(0)
    let place = word.place
    guard take("?") else { return test }
    let one = try expression()
    try demand(":")
    return Placed(written: .conditional(test, one, try expression()), place: place)
  }

  private static let levels = [
    ["||"], ["&&"], ["==", "!=", "<", "<=", ">", ">="], ["??"], ["...", "..<"], ["+", "-"], ["*", "/", "%"],
  ]

  private mutating func binary(_ level: Int) throws(QuestionFault) -> Placed {
    guard level < Self.levels.count else { return try unary() }
    if level < 2 { return try chain(level) }
    var one = try binary(level + 1)
    var count = 0
    while case .sign(let sign) = word.kind, Self.levels[level].contains(sign) {
      let place = word.place
      at += 1
      count += 1
      guard count < Self.deepest else { throw tooDeep }
      // `??` is right-associative.
      let other =
        try sign == "??" ? deeper { (parser) throws(QuestionFault) in try parser.binary(level) } : binary(level + 1)
      one = Placed(written: .binary(sign, one, other), place: place)
      if level == 2, case .sign(let next) = word.kind, Self.levels[level].contains(next) {
        throw fault("comparisons do not follow each other: write && between them")
      }
    }
    return one
  }

  /// Parses operands joined by `||` or `&&`.
  private mutating func chain(_ level: Int) throws(QuestionFault) -> Placed {
    let place = word.place
    var all = [try binary(level + 1)]
    while take(Self.levels[level][0]) { all.append(try binary(level + 1)) }
    return all.count == 1 ? all[0] : Placed(written: .joined(isAnd: level == 1, all), place: place)
  }

  private var tooDeep: QuestionFault { fault("it is more than \(Self.deepest) levels deep") }

  private mutating func deeper(
    _ body: (inout QuestionParser) throws(QuestionFault) -> Placed
  ) throws(QuestionFault) -> Placed {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.deepest else { throw tooDeep }
    return try body(&self)
  }

  private mutating func unary() throws(QuestionFault) -> Placed {
    let place = word.place
    if take("!") {
      let inner = try deeper { (parser) throws(QuestionFault) in try parser.unary() }
      return Placed(written: .not(inner), place: place)
    }
    if take("-") {
      let inner = try deeper { (parser) throws(QuestionFault) in try parser.unary() }
      return Placed(written: .negate(inner), place: place)
    }
    return try postfix(primary())
  }

  private mutating func postfix(_ base: Placed) throws(QuestionFault) -> Placed {
    var found = base
    var count = 0
    while true {
      let place = word.place
      count += 1
      guard count < Self.deepest else { throw tooDeep }
      let isChained = word.kind == .sign("?.")
      if isChained || word.kind == .sign(".") {
        at += 1
        guard case .name(let name) = word.kind else {
          throw fault("the name of a property is expected after the point")
        }
        at += 1
        if word.kind == .sign("(") || word.kind == .sign("{") {
          found = Placed(written: .call(found, name, try arguments(), isChained: isChained), place: place)
        } else {
          found = Placed(written: .property(found, name, isChained: isChained), place: place)
        }
      } else if take("[") {
        let index = try expression()
        try demand("]")
        found = Placed(written: .subscripted(found, index), place: place)
      } else if word.kind == .sign("!"), words[at + 1].kind != .sign("="), isBehindValue(place) {
        at += 1
        found = Placed(written: .unwrap(found), place: place)
      } else {
        return found
      }
    }
  }

  /// Whether `!` directly follows a value, and so belongs to it.
  private func isBehindValue(_ place: Int) -> Bool {
    place > 0 && !Array(text)[place - 1].isWhitespace
  }

  private mutating func arguments() throws(QuestionFault) -> [Written.Argument] {
    var all: [Written.Argument] = []
    if take("(") {
      if !take(")") {
        repeat { all.append(try argument()) } while take(",")
        try demand(")")
      }
    }
    if word.kind == .sign("{") { all.append(try closure(nil)) }
    return all
  }

  private mutating func argument() throws(QuestionFault) -> Written.Argument {
    var label: String?
    if case .name(let name) = word.kind, words[at + 1].kind == .sign(":") {
      label = name
      at += 2
    }
    if word.kind == .sign("{") { return try closure(label) }
    return Written.Argument(label: label, value: try expression())
  }

  private mutating func closure(_ label: String?) throws(QuestionFault) -> Written.Argument {
    try demand("{")
    let value = try expression()
    try demand("}")
    return Written.Argument(label: label, value: value, isClosure: true)
  }

  private mutating func primary() throws(QuestionFault) -> Placed {
    let (kind, place) = (word.kind, word.place)
    func found(_ written: Written) -> Placed { Placed(written: written, place: place) }
    switch kind {
    case .integer(let digits):
      at += 1
      return found(.integer(digits))
    case .number(let digits):
      at += 1
      return found(.number(digits))
    case .text(let text):
      at += 1
      return found(.text(text))
    case .row(let row):
      at += 1
      return found(.row(row))
    case .element:
      at += 1
      return found(.element)
    case .name(let name):
      at += 1
      switch name {
      case "true", "false": return found(.flag(name == "true"))
      case "nil", "null": return found(.null)
      case "and", "AND": throw fault("'\(name)' is unknown here: write &&", place)
      case "or", "OR": throw fault("'\(name)' is unknown here: write ||", place)
      case "not", "NOT": throw fault("'\(name)' is unknown here: write !", place)
      default: break
      }
      if word.kind == .sign("(") { return found(.function(name, try arguments())) }
      return found(.name(name))
    case .sign("("):
      at += 1
      let inner = try expression()
      try demand(")")
      return inner
    case .sign("["):
      at += 1
      var all: [Placed] = []
      if !take("]") {
        repeat { all.append(try expression()) } while take(",")
        try demand("]")
      }
      return found(.list(all))
    case .end:
      throw fault(at == 0 ? "this is empty: write a condition or a value" : "something is missing after '\(last)'")
    case .sign("="): throw fault(surplus)
    case .sign(let sign): throw fault("a value is expected, and not '\(sign)'")
    }
  }
}
