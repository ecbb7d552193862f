/// A parsed and analyzed question to a text index, such as `"heroes" OR (berlin wall*)`.
///
/// | Form | Meaning |
/// |---|---|
/// | `berlin wall`, `berlin AND wall` | rows with both words |
/// | `berlin OR wall` | rows with one of them or both |
/// | `berlin NOT wall`, `berlin -wall` | rows with the first word and without the second |
/// | `"berlin wall"` | the words side by side, in this order |
/// | `wall*` | words with this prefix; also as the last word of a phrase |
/// | `NEAR(berlin wall, 5)` | at most 5 other words between them; 10 if no number is given |
/// | `title:berlin`, `title:(a OR b)` | in this field only |
///
/// `NOT` and `-` apply to the next word, phrase or parenthesis. `AND` binds more tightly than `OR`. The operators are
/// upper case. In an index of trigrams a word finds all texts that contain its characters.
package struct TextQuestion: Sendable, Hashable {
  package static let mostBytes = 65_536
  package static let mostParts = 1_000
  package static let mostDepth = 64

  /// The condition that rows must meet.
  let condition: TextCondition

  /// Parses a question for an index.
  package init(_ text: String, for index: TextIndex) throws(TextQuestionFault) {
    guard text.utf8.count <= Self.mostBytes else {
      throw TextQuestionFault(
        code: .tooLong, position: Self.mostBytes, problem: "the question is longer than 64 KiB",
        remedy: "Ask a shorter question.")
    }
    var parser = TextQuestionParser(Array(text.utf8), index)
    condition = try parser.parse()
  }
}

extension TextCondition {
  /// Calls `body` with each phrase that a row may match. Phrases after `NOT` are left out.
  func forEachPhrase(_ body: (TextPhrase) -> Void) {
    switch self {
    case .nothing: break
    case .phrase(let phrase): body(phrase)
    case .near(let phrases, _): phrases.forEach(body)
    case .all(let parts), .any(let parts): for part in parts { part.forEachPhrase(body) }
    case .without(let part, _): part.forEachPhrase(body)
    }
  }
}
