package import RoostFile

/// The error in a condition that a user typed, and its position.
package struct QuestionFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// A clause without a full stop.
  package let detail: String
  /// The position, in characters from 0 on.
  package let place: Int
  package let text: String

  package var description: String { "\(detail), at character \(place + 1) of '\(text)'" }

  /// The text, and a line with a mark below the position, for a terminal.
  package var lines: [String] { [text, String(repeating: " ", count: place) + "^ " + detail] }
}

extension QuestionFault: CataloguedError {
  package var entry: ErrorEntry? { ErrorCatalogue.entry(.tool, "question") }
}
