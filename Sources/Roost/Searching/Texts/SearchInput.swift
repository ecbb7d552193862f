/// Makes questions for ``PersistentModel/matches(_:)`` from what a person types into a search field.
///
/// ```swift
/// let found = try context.search(Note.self, for: SearchInput.prefixes(of: field.text), limit: 20)
/// ```
///
/// Quotation marks, operators and other signs of the text have no meaning of their own in these questions. A text without words makes an empty
/// question, which is an error in a fetch: test ``isEmpty(_:)`` first.
public enum SearchInput {
  /// Models with all words of a text.
  public static func all(of text: String) -> String { words(text).map(quoted).joined(separator: " ") }

  /// Models with at least one word of a text.
  public static func any(of text: String) -> String { words(text).map(quoted).joined(separator: " OR ") }

  /// Models with words that begin as the words of a text do. It finds while a person is typing.
  public static func prefixes(of text: String) -> String {
    words(text).map { quoted($0) + "*" }.joined(separator: " ")
  }

  /// Models with the words of a text side by side.
  public static func phrase(_ text: String) -> String {
    let words = words(text)
    return words.isEmpty ? "" : quoted(words.joined(separator: " "))
  }

  /// Whether a text has nothing to search for.
  public static func isEmpty(_ text: String) -> Bool { words(text).isEmpty }

  private static func quoted(_ text: String) -> String { "\"\(text)\"" }

  /// The parts between spaces that have a letter or a digit, without quotation marks.
  private static func words(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).compactMap { part in
      let word = part.filter { $0 != "\"" }
      return word.contains { $0.isLetter || $0.isNumber } ? word : nil
    }
  }
}
