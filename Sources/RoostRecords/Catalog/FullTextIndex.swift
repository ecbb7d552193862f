package import RoostText

/// A full text index: it finds an entity's rows by the words of some of their texts.
///
/// Its tree is named `t` and the index's number. Full text indexes share their number sequence with
/// other indexes.
package struct FullTextIndex: Hashable, Sendable {
  /// An index covers at most this many fields.
  package static let mostFields = TextIndex.mostFields

  package var id: IndexID
  package var entity: EntityID
  package var name: String
  /// The covered fields, in the order in which the weights of a query name them. All hold strings.
  package var fields: [FieldID]
  /// The rules by which a text becomes words.
  package var analyzer: TextAnalyzer
  /// The index covers the rows below this one; nil if it covers all. Plans do not use an index that is still built.
  package var builtBelow: RowID?

  /// Whether it finds any three characters of a text, and not only words.
  package var findsSubstrings: Bool { analyzer.mode == .trigrams }
  /// Whether search ignores case and diacritics.
  package var foldsAll: Bool { analyzer.foldsCase && analyzer.foldsMarks }

  /// The options of the model's declaration, as Swift source text.
  package var options: [String] {
    var options: [String] = []
    if analyzer.stemming == .english { options.append(".stemming(.english)") }
    switch analyzer.stopWords {
    case .none: break
    case .english: options.append(".stopWords(.english)")
    case .list(let words):
      options.append(".stopWords(.words([\(words.map(\.debugDescription).joined(separator: ", "))]))")
    }
    if findsSubstrings { options.append(".substrings") }
    if !analyzer.foldsCase { options.append(".caseSensitive") }
    if !analyzer.foldsMarks { options.append(".diacriticSensitive") }
    return options
  }

  package init(
    _ id: IndexID, of entity: EntityID, _ name: String, fields: [FieldID], analyzer: TextAnalyzer,
    builtBelow: RowID? = nil
  ) {
    self.id = id
    self.entity = entity
    self.name = name
    self.fields = fields
    self.analyzer = analyzer
    self.builtBelow = builtBelow
  }
}
