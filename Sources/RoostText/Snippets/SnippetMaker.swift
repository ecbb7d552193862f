/// Cuts the part of a text that shows a match best, and marks the words that the question asks for.
package struct SnippetMaker: Sendable {
  package struct Snippet: Sendable, Hashable {
    /// The part of the text.
    package var text: String
    /// The ranges to highlight, as UTF-8 offsets within `text`, ascending and disjoint.
    package var highlights: [Range<Int>]
    /// Whether words of the text are left out before and after the part.
    package var isCutBefore: Bool
    package var isCutAfter: Bool
  }

  package init(_ question: TextQuestion, for index: TextIndex) {
  }

  /// The best part of at most `words` words; the beginning of the text if nothing matches.
  ///
  /// - Parameter field: the number of the text's field; only words of the question that may match there count.
  package func snippet(of text: String, field: Int = 0, words: Int = 16) -> Snippet {
    Snippet(text: text, highlights: [], isCutBefore: false, isCutAfter: false)
  }

  /// The ranges of a whole text to highlight, as UTF-8 offsets.
  package func highlights(in text: String, field: Int = 0) -> [Range<Int>] {
    []
  }
}

extension SnippetMaker.Snippet {
  /// The text with marks around each highlight. `escape` is called with each part of the text, as HTML needs it.
  package func marked(before: String, after: String, escape: (Substring) -> String = { String($0) }) -> String {
    escape(text[...])
  }
}
