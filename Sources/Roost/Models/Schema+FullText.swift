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

    public enum Stemming: String, Hashable, Codable, Sendable { case english }

    public enum StopWords: Hashable, Codable, Sendable {
      case english
      case words([String])
    }
  }

  /// A full text index of a model.
  public struct FullTextIndex: Hashable, Codable, Sendable {
    /// The properties whose words it finds, in the order in which they are declared.
    public var properties: [String]
    public var options: Set<FullTextOption>

    public init(_ properties: [String], _ options: Set<FullTextOption> = []) {
      (self.properties, self.options) = (properties, options)
    }

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

  /// The properties whose words a model finds, as `#FullText` declares them.
  public final class FullText<T>: SchemaProperty, Hashable, Codable, CustomDebugStringConvertible, @unchecked Sendable
  where T: PersistentModel {
    public let properties: [PartialKeyPath<T>]
    public let options: Set<FullTextOption>
    public var name = "Roost.Schema.FullText"
    public var originalName = ""
    public var valueType: any Any.Type = Any.self
    public var isUnique: Bool { false }

    public init(_ properties: [PartialKeyPath<T>], _ options: FullTextOption...) {
      (self.properties, self.options) = (properties, Set(options))
    }

    public enum CodingKeys: CodingKey { case properties, options }

    var index: FullTextIndex { FullTextIndex(Schema.names(properties), options) }

    public var debugDescription: String { "Schema.FullText - properties: \(index.properties)" }

    public static func == (one: FullText, other: FullText) -> Bool { one.index == other.index }
    public func hash(into hasher: inout Hasher) { hasher.combine(index) }

    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      properties = try Schema.keyPaths(of: T.self, values.decode([String].self, forKey: .properties))
      options = try values.decode(Set<FullTextOption>.self, forKey: .options)
    }

    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(index.properties, forKey: .properties)
      try values.encode(options, forKey: .options)
    }
  }
}

extension Schema.FullText: FullTextProperty {
  var keyPaths: [AnyKeyPath] { properties }

  var faults: [String] {
    let macro = "#FullText of \(T._$type.name)"
    var faults = Schema.faults(properties, "#FullText")
    if let fault = index.fault { faults.append("\(macro) \(fault)") }
    if properties.isEmpty || properties.count > TextIndex.mostFields || Set(properties).count < properties.count {
      faults.append("\(macro) needs 1 to \(TextIndex.mostFields) different properties")
    }
    for (keyPath, name) in zip(properties, index.properties) {
      let type = Swift.type(of: keyPath as AnyKeyPath).valueType
      guard TypeFacts.whole(type) != String.self else { continue }
      faults.append("\(macro) names \\.\(name), which is \(type): name properties of the types String and String?")
    }
    return faults
  }
}
