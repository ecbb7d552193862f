package import RoostText

/// A full text index: it finds an entity's rows by the words of some of their texts.
///
/// Its tree has the name `t` and the index's number. It takes its number from the same sequence as other indexes.
package struct FullTextIndex: Hashable, Sendable {
  /// An index covers at most this many fields.
  package static let mostFields = TextIndex.mostFields

  package var id: IndexID
  package var entity: EntityID
  package var name: String
  /// The fields that it covers, in the order in which questions weigh them. All hold strings.
  package var fields: [FieldID]
  /// The rules by which a text becomes words.
  package var analyzer: TextAnalyzer
  /// The index covers the rows below this one; nil if it covers all. Plans do not use an index that is still built.
  package var builtBelow: RowID?

  /// Whether it finds any three characters of a text, and not only words.
  package var findsSubstrings: Bool { analyzer.mode == .trigrams }
  /// Whether case and marks make no difference.
  package var foldsAll: Bool { analyzer.foldsCase && analyzer.foldsMarks }

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
