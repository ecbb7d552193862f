/// Parses a question. It calls itself once for each level of parentheses, and refuses more than 64 levels.
struct TextQuestionParser {
  private let text: [UInt8]
  private let index: TextIndex
  private let terms: QuestionTerms
  private var at = 0
  private var depth = 0
  private var partCount = 0
  /// The fields that count at this position.
  private var fields: UInt32

  init(_ text: [UInt8], _ index: TextIndex) {
    self.text = text
    self.index = index
    terms = QuestionTerms(index.analyzer)
    fields = index.allFields
  }

  mutating func parse() throws(TextQuestionFault) -> TextCondition {
    let condition = try alternatives()
    if at < text.count {
      throw fault(
        .unopened, at, problem: "a closing parenthesis has no opening one",
        remedy: "Remove it, or put quotation marks around it.")
    }
    return condition ?? .nothing
  }

  private func fault(
    _ code: TextQuestionFault.Code, _ position: Int, problem: String, remedy: String
  ) -> TextQuestionFault {
    TextQuestionFault(code: code, position: position, problem: problem, remedy: remedy)
  }

  // MARK: Operators

  /// Parts joined by `OR`. `nil` if they are all stop words.
  private mutating func alternatives() throws(TextQuestionFault) -> TextCondition? {
    var parts: [TextCondition] = []
    var isFirst = true
    repeat {
      if let part = try sequence(isFirst: isFirst) { parts.append(part) }
      isFirst = false
    } while takeWord("OR")
    return parts.count > 1 ? .any(parts) : parts.first
  }

  /// Parts joined by `AND` or by nothing, with exclusions.
  private mutating func sequence(isFirst: Bool) throws(TextQuestionFault) -> TextCondition? {
    var wanted: [TextCondition] = []
    var excluded: [TextCondition] = []
    var (wantedCount, excludedCount) = (0, 0)
    var operatorPlace: Int?
    skipSpace()
    let start = at
    while true {
      skipSpace()
      if at == text.count || text[at] == UInt8(ascii: ")") || startsWord("OR") { break }
      if wantedCount + excludedCount > 0 || operatorPlace != nil, startsWord("AND") {
        if operatorPlace != nil { break }
        operatorPlace = at
        at += 3
        continue
      }
      if startsWord("AND") { break }
      let place = at
      let isExcluded = takeWord("NOT") || takeMinus()
      operatorPlace = isExcluded ? place : operatorPlace
      skipSpace()
      if isExcluded, at == text.count || text[at] == UInt8(ascii: ")") { break }
      let part = try unit()
      operatorPlace = nil
      if isExcluded { excludedCount += 1 } else { wantedCount += 1 }
      guard let part else { continue }
      if isExcluded { excluded.append(part) } else { wanted.append(part) }
    }
    if let operatorPlace {
      throw fault(
        .missingWord, operatorPlace, problem: "an operator has no word after it",
        remedy: "Add a word, or write it in lower case.")
    }
    if wantedCount + excludedCount == 0 {
      throw fault(
        .missingWord, start,
        problem: start == text.count && isFirst ? "the question is empty" : "a word is missing here",
        remedy: "Write the words to search for.")
    }
    if wantedCount == 0 {
      throw fault(
        .onlyNegative, start, problem: "all words are excluded", remedy: "Add a word that the rows must have.")
    }
    guard let first = wanted.first else { return nil }
    let all = wanted.count > 1 ? .all(wanted) : first
    if excluded.isEmpty { return all }
    return .without(all, excluded.count > 1 ? .any(excluded) : excluded[0])
  }

  // MARK: Units

  /// A word, a phrase, a parenthesis, `NEAR`, or one of them in a field.
  private mutating func unit() throws(TextQuestionFault) -> TextCondition? {
    let outer = fields
    defer { fields = outer }
    try takeField()
    let start = at
    guard at < text.count, text[at] != UInt8(ascii: ")") else {
      throw fault(
        .missingWord, at, problem: "a word is missing after the field", remedy: "Write the word to search for.")
    }
    switch text[at] {
    case UInt8(ascii: "("): return try parenthesis()
    case UInt8(ascii: "\""):
      let phrase = try quoted()
      return try part(phrase, start)
    default:
      if starts("NEAR(") { return try near() }
      return try part(try word(), start)
    }
  }

  private mutating func parenthesis() throws(TextQuestionFault) -> TextCondition? {
    let start = at
    depth += 1
    if depth > TextQuestion.mostDepth {
      throw fault(
        .tooDeep, at, problem: "the question has more than 64 levels of parentheses", remedy: "Remove some parentheses."
      )
    }
    at += 1
    let condition = try alternatives()
    guard at < text.count, text[at] == UInt8(ascii: ")") else {
      throw fault(.unclosed, start, problem: "the parenthesis is not closed", remedy: "Add a closing parenthesis.")
    }
    at += 1
    depth -= 1
    return condition
  }

  /// One phrase as a condition; `nil` if it has stop words only.
  private mutating func part(_ phrase: TextPhrase?, _ start: Int) throws(TextQuestionFault) -> TextCondition? {
    guard let phrase else { return nil }
    partCount += phrase.parts.count
    if partCount > TextQuestion.mostParts {
      throw fault(
        .tooManyParts, start, problem: "the question has more than 1,000 words", remedy: "Ask for fewer words.")
    }
    return .phrase(phrase)
  }

  /// `title:` before a word.
  private mutating func takeField() throws(TextQuestionFault) {
    var end = at
    while end < text.count, isNameByte(text[end]) { end += 1 }
    guard end > at, end < text.count, text[end] == UInt8(ascii: ":"), !(48...57).contains(text[at]) else { return }
    let name = String(decoding: text[at..<end], as: UTF8.self)
    guard let field = index.fields.firstIndex(of: name) else {
      throw fault(
        .unknownField, at, problem: "the index has no field \(name)",
        remedy: "Use one of \(index.fields.joined(separator: ", ")), or put the text into quotation marks.")
    }
    // A field inside another field's parenthesis matches nothing.
    fields &= 1 << UInt32(field)
    at = end + 1
    skipSpace()
  }

  private func isNameByte(_ byte: UInt8) -> Bool {
    byte >= 128 || (byte | 32 >= 97 && byte | 32 <= 122) || (48...57).contains(byte) || byte == 95 || byte == 46
  }

  /// A phrase in quotation marks. A doubled mark within it separates words.
  private mutating func quoted() throws(TextQuestionFault) -> TextPhrase? {
    let start = at
    guard let end = text[(at + 1)...].firstIndex(of: UInt8(ascii: "\"")) else {
      throw fault(.unclosed, start, problem: "the phrase is not closed", remedy: "Add a quotation mark at its end.")
    }
    if index.analyzer.mode != .trigrams, let star = wordStar(in: (start + 1)..<end) {
      throw fault(
        .starInPhrase, star, problem: "a star within quotation marks has no meaning",
        remedy: "Write it after them, as in \"berlin wal\"*, or as a word of its own, as in wal*.")
    }
    at = end + 1
    let isPrefix = takeStar()
    return try terms.phrase(text[(start + 1)..<end], isPrefix: isPrefix, fields: fields, position: start)
  }

  /// A star at the end of a word, which looks as if it asked for the beginnings of words.
  private func wordStar(in range: Range<Int>) -> Int? {
    range.dropFirst().first { place in
      let isAtEnd = place + 1 == range.upperBound || text[place + 1] <= 32
      return text[place] == UInt8(ascii: "*") && isAtEnd && isNameByte(text[place - 1])
    }
  }

  private mutating func word() throws(TextQuestionFault) -> TextPhrase? {
    let start = at
    while at < text.count, !isDelimiter(text[at]) { at += 1 }
    let end = at
    let isPrefix = takeStar()
    if end == start {
      // A star or a comma without a word.
      if !isPrefix { at += 1 }
      return nil
    }
    return try terms.phrase(text[start..<end], isPrefix: isPrefix, fields: fields, position: start)
  }

  private mutating func near() throws(TextQuestionFault) -> TextCondition? {
    let start = at
    if index.analyzer.mode == .trigrams {
      throw fault(
        .badNear, start, problem: "an index of trigrams has no words",
        remedy: "Use the index for AND, OR and parts of words.")
    }
    at += 5
    var phrases: [TextPhrase] = []
    var gap = 10
    while true {
      skipSpace()
      guard at < text.count else {
        throw fault(.unclosed, start, problem: "NEAR is not closed", remedy: "Add a closing parenthesis.")
      }
      if text[at] == UInt8(ascii: ")") { break }
      if text[at] == UInt8(ascii: ",") {
        gap = try distance()
        break
      }
      if text[at] == UInt8(ascii: "(") {
        throw fault(.badNear, at, problem: "NEAR holds words and phrases only", remedy: "Remove the parenthesis.")
      }
      let place = at
      let phrase = text[at] == UInt8(ascii: "\"") ? try quoted() : try word()
      guard let phrase else { continue }
      _ = try part(phrase, place)
      phrases.append(phrase)
    }
    at += 1
    if phrases.count < 2 { return phrases.first.map { .phrase($0) } }
    return .near(phrases, gap: gap)
  }

  /// `, 5)` at the end of `NEAR`. The parenthesis is not taken.
  private mutating func distance() throws(TextQuestionFault) -> Int {
    at += 1
    skipSpace()
    let start = at
    var number = 0
    while at < text.count, (48...57).contains(text[at]), number < 1_000_000 {
      number = number * 10 + Int(text[at] - 48)
      at += 1
    }
    let isNumber = at > start
    skipSpace()
    guard isNumber, at < text.count, text[at] == UInt8(ascii: ")") else {
      throw fault(
        .badNear, start, problem: "the distance of NEAR is not a number", remedy: "Write it as in NEAR(berlin wall, 5)."
      )
    }
    return number
  }

  // MARK: Bytes

  private mutating func skipSpace() {
    while at < text.count, text[at] <= 32 { at += 1 }
  }

  private func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...32, UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "\""), UInt8(ascii: "*"), UInt8(ascii: ","): true
    default: false
    }
  }

  private func starts(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard text.count - at >= length else { return false }
    for place in 0..<length where text[at + place] != word.utf8Start[place] { return false }
    return true
  }

  /// Whether an operator is here, as a whole word.
  private func startsWord(_ word: StaticString) -> Bool {
    guard starts(word) else { return false }
    let end = at + word.utf8CodeUnitCount
    return end == text.count || isDelimiter(text[end])
  }

  private mutating func takeWord(_ word: StaticString) -> Bool {
    guard startsWord(word) else { return false }
    at += word.utf8CodeUnitCount
    return true
  }

  /// A minus directly before a word.
  private mutating func takeMinus() -> Bool {
    guard at + 1 < text.count, text[at] == UInt8(ascii: "-"), text[at + 1] > 32 else { return false }
    at += 1
    return true
  }

  private mutating func takeStar() -> Bool {
    guard at < text.count, text[at] == UInt8(ascii: "*") else { return false }
    at += 1
    return true
  }
}
