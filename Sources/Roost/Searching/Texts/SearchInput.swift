/// Makes questions for ``PersistentModel/matches(_:)`` from what a person types into a search field.
///
/// ```swift
/// let found = try context.search(Note.self, for: SearchInput.prefixes(of: text), limit: 20)
/// ```
///
/// Quotation marks, operators and other signs of the text have no meaning of their own in these questions. A text without words makes an empty
/// question, which is an error in a fetch: test ``isEmpty(_:)`` first. Of a long text the first 400 words count, or 20,000 bytes.
public enum SearchInput {
  /// Models with all words of a text.
  public static func all(of text: String) -> String { words(text).map(quoted).joined(separator: " ") }

  /// Models with at least one word of a text.
  public static func any(of text: String) -> String { words(text).map(quoted).joined(separator: " OR ") }

  /// Models with words that begin as the words of a text do. It finds while a person is typing.
  ///
  /// An index with stems has stems instead of words: `heroes` is found by `hero` and by `heroes`, and not by `heroe`.
  public static func prefixes(of text: String) -> String {
    words(text).map { "(\(quoted($0))* OR \(quoted($0)))" }.joined(separator: " ")
  }

  /// Models with the words of a text side by side.
  public static func phrase(_ text: String) -> String {
    let words = words(text)
    return words.isEmpty ? "" : quoted(words.joined(separator: " "))
  }

  /// Whether a text has nothing to search for.
  public static func isEmpty(_ text: String) -> Bool { words(text).isEmpty }

  private static func quoted(_ text: String) -> String { "\"\(text)\"" }

  /// The parts between spaces that have a letter or a digit, without quotation marks. A question may have so many of them.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var byteCount = 0
    for part in text.split(whereSeparator: \.isWhitespace) {
      // By scalars, because a mark may follow and be one character with it. A star separates words, and asks for no beginnings.
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
