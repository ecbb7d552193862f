internal import RoostText

/// A model that a search found: see
/// ``ModelContext/search(_:for:where:weights:offset:limit:fileID:line:)``.
public struct FullTextMatch<Model: PersistentModel> {
  /// The model, in the context that searched.
  public let model: Model
  /// The quality of the match. Compare scores only within one search.
  public let score: Double
  private let question: String
  private let rules: FullTextRules

  init(_ model: Model, score: Double, question: String, rules: FullTextRules) {
    (self.model, self.score, self.question, self.rules) = (model, score, question, rules)
  }

  /// Returns the part of a text that shows the match best.
  ///
  /// - Parameters:
  ///   - property: a property that `#FullText` names. For another property the result is the
  ///     beginning of its text.
  ///   - words: the largest number of words in the part.
  public func snippet(of property: KeyPath<Model, String>, words: Int = 16) -> FullTextSnippet {
    snippet(model[keyPath: property], property, words: words)
  }

  /// Returns the part of a text that shows the match best; an empty part if the text is nil.
  public func snippet(of property: KeyPath<Model, String?>, words: Int = 16) -> FullTextSnippet {
    snippet(model[keyPath: property] ?? "", property, words: words)
  }

  private func snippet(_ text: String, _ property: PartialKeyPath<Model>, words: Int) -> FullTextSnippet {
    // A property without an index has no words to highlight.
    let asked = rules.place(of: property) == nil ? nil : try? TextQuestion(question, for: rules.definition)
    guard let asked, let field = rules.place(of: property) else {
      let part = text.split(separator: " ").prefix(max(1, words))
      let end = part.last?.endIndex ?? text.endIndex
      return FullTextSnippet(
        text: String(text[..<end]), highlights: [], isCutBefore: false, isCutAfter: end < text.endIndex)
    }
    let found = SnippetMaker(asked, for: rules.definition).snippet(of: text, field: field, words: max(1, words))
    let utf8 = found.text.utf8
    return FullTextSnippet(
      text: found.text,
      highlights: found.highlights.map { range in
        utf8.index(
          utf8.startIndex, offsetBy: range.lowerBound)..<utf8.index(utf8.startIndex, offsetBy: range.upperBound)
      }, isCutBefore: found.isCutBefore, isCutAfter: found.isCutAfter)
  }
}

/// A part of a text with the words that a search found in it.
public struct FullTextSnippet: Hashable, Sendable {
  /// The part of the text, without marks.
  public let text: String
  /// The ranges of `text` that match, in order.
  public let highlights: [Range<String.Index>]
  /// Whether the text continues before the part.
  public let isCutBefore: Bool
  /// Whether the text continues after the part.
  public let isCutAfter: Bool

  /// Returns the part with marks around each match, and with `…` at both ends where the text
  /// continues.
  public func marked(_ before: String, _ after: String) -> String {
    written(before, after) { String($0) }
  }

  /// The part as HTML, with each match in a `mark` element. The characters of the text are escaped.
  public var html: String {
    written("<mark>", "</mark>") { part in
      var escaped = ""
      for character in part.unicodeScalars {
        switch character {
        case "&": escaped += "&amp;"
        case "<": escaped += "&lt;"
        case ">": escaped += "&gt;"
        case "\"": escaped += "&quot;"
        case "'": escaped += "&#39;"
        default: escaped.unicodeScalars.append(character)
        }
      }
      return escaped
    }
  }

  private func written(_ before: String, _ after: String, escape: (Substring) -> String) -> String {
    var written = isCutBefore ? "…" : ""
    var place = text.startIndex
    for range in highlights {
      written += escape(text[place..<range.lowerBound]) + before + escape(text[range]) + after
      place = range.upperBound
    }
    return written + escape(text[place...]) + (isCutAfter ? "…" : "")
  }
}
