internal import RoostText

extension Schema {
  /// How a full text index reads texts, for ``FullText(_:_:)``.
  public enum FullTextOption: Hashable, Codable, Sendable {
    /// Forms of one word are equal: `running` finds `runs`.
    case stemming(Stemming)
    /// Words that are not indexed.
    case stopWords(StopWords)
    /// The index finds parts of words, of at least three characters. It also works for languages
    /// without spaces between words.
    case substrings
    /// `Berlin` and `berlin` are different words. Without this option they are equal.
    case caseSensitive
    /// `é` and `e` are different letters. Without this option they are equal.
    case diacriticSensitive

    /// A language whose words are reduced to stems.
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

  /// The properties of a full text index.
  public struct FullTextProperties: Hashable, Codable, Sendable {
    /// The names, in the order of their declaration.
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

    /// The contradiction in the options, as a clause; nil if there is none.
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
