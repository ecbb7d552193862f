/// A parsed and analyzed question to a text index, such as `"heroes" OR (berlin wall*)`.
///
/// | Form | Meaning |
/// |---|---|
/// | `berlin wall`, `berlin AND wall` | rows with both words |
/// | `berlin OR wall` | rows with one of them or both |
/// | `berlin NOT wall`, `berlin -wall` | rows with the first word and without the second |
/// | `"berlin wall"` | the words side by side, in this order |
/// | `wall*` | words that begin so; also as the last word of a phrase |
/// | `NEAR(berlin wall, 5)` | at most 5 other words between them; 10 if no number is given |
/// | `title:berlin`, `title:(a OR b)` | in this field only |
///
/// `NOT` binds more tightly than `AND`, and `AND` more tightly than `OR`. The operators are upper case.
package struct TextQuestion: Sendable, Hashable {
  package static let mostBytes = 65_536
  package static let mostParts = 1_000
  package static let mostDepth = 64

  /// The condition that rows must meet.
  let condition: TextCondition

  /// Parses a question for an index.
  package init(_ text: String, for index: TextIndex) throws(TextQuestionFault) {
    condition = .nothing
  }
}
