internal import RoostText

extension Schema {
  /// How a full text index reads texts, for ``FullText(_:_:)``.
  public enum FullTextOption: Hashable, Codable, Sendable {
    /// Forms of a word are one word: `running` finds `runs`.
    case stemming(Stemming)
    /// Words that are not indexed.
    case stopWords(StopWords)
    /// The index finds parts of words, of at least three characters. It also finds words of languages that write no spaces.
    case substrings
    /// `Berlin` and `berlin` are two words. Without it they are one.
    case caseSensitive
    /// `é` and `e` are two letters. Without it they are one.
    case diacriticSensitive

    /// A language whose words have stems.
    public enum Stemming: String, Hashable, Codable, Sendable {
      /// English: `running` and `runs` have the stem `run`.
      case english
    }

    /// A list of words that an index leaves out.
    public enum StopWords: Hashable, Codable, Sendable {
      /// Frequent English words, such as `the` and `of`.
      case english
      /// The program's own list.
      case words([String])
    }
  }

  /// The properties in whose texts a full text index finds words.
  public struct FullTextProperties: Hashable, Codable, Sendable {
    /// In the order in which they are declared.
    public var names: [String]
    /// How the index reads words.
    public var options: Set<FullTextOption>

    /// Names the properties of an index, for an entity that is described without its class.
    public init(_ names: [String], _ options: Set<FullTextOption> = []) {
      (self.names, self.options) = (names, options)
    }

    var isOfParts: Bool { options.contains(.substrings) }

    var analyzer: TextAnalyzer {
      var analyzer = TextAnalyzer()
      for option in options {
        switch option {
        case .stemming(.english): analyzer.stemming = .english
        case .stopWords(.english): analyzer.stopWords = .english
        case .stopWords(.words(let words)): analyzer.stopWords = .list(words)
        case .substrings: analyzer.mode = .trigrams
        case .caseSensitive: analyzer.foldsCase = false
        case .diacriticSensitive: analyzer.foldsMarks = false
        }
      }
      return analyzer
    }

    /// What contradicts itself, as a clause.
    var fault: String? {
      let stops = options.filter { if case .stopWords = $0 { true } else { false } }
      if stops.count > 1 { return "has two lists of stop words" }
      guard options.contains(.substrings) else { return nil }
      if options.contains(.stemming(.english)) || !stops.isEmpty {
        return "finds parts of words, so it has no stems and no stop words"
      }
      return nil
    }
  }
}
