package import RoostFile

/// Why a condition cannot be checked or computed. It names the part that causes the error.
package struct ConditionFault: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable, CaseIterable {
    // Found before a row is read.
    case wrongType
    case unknown
    case tooDeep
    case badPattern
    // Found at a row.
    case nilUnwrapped
    case overflow
    case dividedByZero
    case outOfBounds
    case missingRow
    case tooLong
    case tooLarge
  }

  package var code: Code
  package var detail: String
  /// The part of the condition, as Swift code.
  package var part: String

  package init(_ code: Code, _ detail: String, in part: String) {
    self.code = code
    self.detail = detail
    self.part = part
  }

  package var description: String { "\(code.rawValue): \(detail), in \(part)" }
}

extension ConditionFault: CataloguedError {
  package var entry: ErrorEntry? { ErrorCatalogue.entry(.conditions, code.rawValue) }
}
