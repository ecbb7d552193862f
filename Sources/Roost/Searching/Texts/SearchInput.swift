/// Makes questions for ``PersistentModel/matches(_:)`` from the text of a search field.
///
/// ```swift
/// let found = try context.search(Note.self, for: SearchInput.prefixes(of: text), limit: 20)
/// ```
///
/// Quotation marks, operators and other signs of the text have no special meaning in these
/// questions. A text without words makes an empty question, which is an error in a fetch: test
/// ``isEmpty(_:)`` first. Of a long text only the first 400 words, or 20,000 bytes, are used.
public enum SearchInput {
  /// Makes a question for models with all words of a text.
  public static func all(of text: String) -> String { words(text).map(quoted).joined(separator: " ") }

  /// Makes a question for models with at least one word of a text.
  public static func any(of text: String) -> String { words(text).map(quoted).joined(separator: " OR ") }

  /// Makes a question for models with words that begin with the words of a text, for a search while
  /// the user types.
  ///
  /// An index with stems stores stems instead of words: both `hero` and `heroes` find `heroes`, but
  /// `heroe` does not.
  public static func prefixes(of text: String) -> String {
    words(text).map { "(\(quoted($0))* OR \(quoted($0)))" }.joined(separator: " ")
  }

  /// Makes a question for models with the words of a text side by side.
  public static func phrase(_ text: String) -> String {
    let words = words(text)
    return words.isEmpty ? "" : quoted(words.joined(separator: " "))
  }

  /// Whether a text has no words to search for.
  public static func isEmpty(_ text: String) -> Bool { words(text).isEmpty }

  private static func quoted(_ text: String) -> String { "\"\(text)\"" }

  /// Returns the parts between spaces that have a letter or a digit, without quotation marks, up to
  /// the limit of a question.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var byteCount = 0
    for part in text.split(whereSeparator: \.isWhitespace) {
      // By scalars, because a combining mark may follow and form one character with it. A star
      // separates words.
      let scalars = part.unicodeScalars.filter { $0 != "\"" }.map { $0 == "*" ? " " : $0 }
      let word = String(String.UnicodeScalarView(scalars))
      guard word.contains(where: { $0.isLetter || $0.isNumber }) else { continue }
      byteCount += word.utf8.count
      if words.count == mostWords || byteCount > mostBytes { break }
      words.append(word)
    }
    return words
  }

  private static let mostWords = 400
  private static let mostBytes = 20_000
}
