/// The definition of a text index: how texts become terms, and the names of its fields.
///
/// Reader, writer and question of an index use the same definition. It is small and immutable.
package struct TextIndex: Sendable, Hashable {
  /// The most fields of an index.
  package static let mostFields = 32

  package let analyzer: TextAnalyzer
  /// The names that a question may use, as in `title:berlin`. Texts of a row are given in this order.
  package let fields: [String]

  /// - Precondition: 1 to 32 fields.
  package init(analyzer: TextAnalyzer, fields: [String]) {
    precondition(!fields.isEmpty && fields.count <= Self.mostFields, "a text index has 1 to 32 fields")
    self.analyzer = analyzer
    self.fields = fields
  }

  /// One bit for each field.
  var allFields: UInt32 { fields.count == 32 ? .max : 1 << UInt32(fields.count) - 1 }
}
