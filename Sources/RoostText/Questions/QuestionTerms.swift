/// Analyzes the words of a question as the index analyzes texts.
struct QuestionTerms {
  private let mode: TextAnalyzer.Mode
  private let scanner: TextScanner
  /// Without stems and stop words, for the beginnings of words.
  private let plain: TextAnalyzer

  init(_ analyzer: TextAnalyzer) {
    mode = analyzer.mode
    scanner = TextScanner(analyzer)
    var bare = analyzer
    bare.stemming = .none
    bare.stopWords = .none
    plain = bare
  }

  /// The terms of one word or phrase; `nil` if they are all stop words.
  func phrase(
    _ text: ArraySlice<UInt8>, isPrefix: Bool, fields: UInt32, position: Int
  ) throws(TextQuestionFault) -> TextPhrase? {
    text.withUnsafeBytes { scanner.scan($0) }
    if mode == .trigrams { return try trigrams(text, fields: fields, position: position) }
    var found: [(term: [UInt8], position: Int)] = (0..<scanner.count).map {
      (Array(scanner.term($0)), Int(scanner.marks[$0].position))
    }
    var prefixPlace: Int?
    if isPrefix {
      let plain = TextScanner(plain)
      text.withUnsafeBytes { plain.scan($0) }
      if plain.count > 0 {
        let last = Int(plain.marks[plain.count - 1].position)
        found.removeAll { $0.position >= last }
        found.append((Array(plain.term(plain.count - 1)), last))
        prefixPlace = last
      }
    }
    guard let first = found.first?.position else { return nil }
    let parts = found.map {
      TextPhrase.Part(term: $0.term, offset: $0.position - first, isPrefix: $0.position == prefixPlace)
    }
    return TextPhrase(parts: parts, fields: fields)
  }

  /// Enough trigrams that each character is in one of them.
  private func trigrams(
    _ text: ArraySlice<UInt8>, fields: UInt32, position: Int
  ) throws(TextQuestionFault) -> TextPhrase? {
    guard scanner.count > 0 else {
      throw TextQuestionFault(
        code: .tooShort, position: position, problem: "the index finds parts of at least three characters",
        remedy: "Write more characters.")
    }
    var parts: [TextPhrase.Part] = []
    let last = scanner.count - 1
    for place in 0...last where place % 3 == 0 || place == last {
      parts.append(TextPhrase.Part(term: Array(scanner.term(place)), offset: place))
    }
    return TextPhrase(parts: parts, fields: fields)
  }
}
