internal import RoostText

/// The error in a full text query that cannot be parsed: the position and the remedy.
package struct FullTextFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The byte of the question where the problem begins.
  package var position: Int
  package var detail: String
  package var description: String { detail }
}

/// A parsed full text query.
package struct FullTextQuestion: Hashable, Sendable {
  let question: TextQuestion
  private let definition: TextIndex

  init(_ text: String, _ definition: TextIndex) throws(FullTextFault) {
    self.definition = definition
    do throws(TextQuestionFault) { question = try TextQuestion(text, for: definition) } catch {
      throw FullTextFault(position: error.position, detail: "\(error)")
    }
  }

  /// Whether texts that are not stored match.
  package func matches(_ texts: [String?]) -> Bool { definition.isMatch(texts: texts, question) }
}

extension FullTextIndex {
  /// Parses a query. Fields have the names that the catalog gives them.
  package func question(_ text: String, of catalog: Catalog) throws(FullTextFault) -> FullTextQuestion {
    guard let entity = catalog.entity(entity) else {
      throw FullTextFault(position: 0, detail: "the entity of the full text index is gone")
    }
    return try FullTextQuestion(text, definition(entity))
  }

  /// Throws if a query cannot be parsed. The error names the position and the remedy.
  package func check(question text: String, of catalog: Catalog) throws(FullTextFault) {
    _ = try question(text, of: catalog)
  }
}
