package import RoostFile

/// Why a condition that somebody typed means nothing, and where in it.
package struct QuestionFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// A clause without a full stop.
  package let detail: String
  /// Where, in characters from 0 on.
  package let place: Int
  package let text: String

  package var description: String { "\(detail), at character \(place + 1) of '\(text)'" }

  /// The text with a mark below the place, for a terminal.
  package var lines: [String] { [text, String(repeating: " ", count: place) + "^ " + detail] }
}

extension QuestionFault: CataloguedError {
  package var entry: ErrorEntry? { ErrorCatalogue.entry(.tool, "question") }
}
