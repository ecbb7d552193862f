/// How a text becomes terms: its words or trigrams, folded and stemmed.
///
/// An index keeps its analyzer as bytes (``encode()``), because texts and questions must be analyzed alike.
package struct TextAnalyzer: Sendable, Hashable {
  package enum Mode: UInt8, Sendable, CaseIterable {
    /// Terms are words, by the essential rules of Unicode's word breaking.
    case words = 0
    /// Terms are all sequences of three characters, which finds parts of words.
    case trigrams = 1
  }

  package enum Stemming: UInt8, Sendable, CaseIterable {
    case none = 0
    /// Porter2, the English stemmer of the Snowball project.
    case english = 1
  }

  package enum StopWords: Sendable, Hashable {
    case none, english
    /// Words that are not indexed, in any case.
    case list([String])
  }

  package var mode = Mode.words
  /// Whether `Berlin` and `berlin` are one term.
  package var foldsCase = true
  /// Whether `é` and `e` are one letter.
  package var foldsMarks = true
  package var stemming = Stemming.none
  package var stopWords = StopWords.none

  package init(
    mode: Mode = .words, foldsCase: Bool = true, foldsMarks: Bool = true, stemming: Stemming = .none,
    stopWords: StopWords = .none
  ) {
    self.mode = mode
    self.foldsCase = foldsCase
    self.foldsMarks = foldsMarks
    self.stemming = stemming
    self.stopWords = stopWords
  }
}
