/// Why a question cannot be asked, where the problem is, and what to change.
package struct TextQuestionFault: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Code: String, Sendable, CaseIterable {
    /// Longer than 64 KiB, more than 1,000 parts or more than 64 levels.
    case tooLong, tooManyParts, tooDeep
    /// A quotation mark or a parenthesis has no partner.
    case unclosed, unopened
    /// An operator without a word beside it, or nothing to search for.
    case missingWord
    /// `NOT` without words that a row must have.
    case onlyNegative
    case unknownField
    /// In an index of trigrams: fewer than three characters.
    case tooShort
    case badNear
    /// A star after a word within quotation marks.
    case starInPhrase
  }

  package var code: Code
  /// The byte of the question's UTF-8 where the problem begins.
  package var position: Int
  /// The problem, as a clause.
  package var problem: String
  /// What to change, as a sentence.
  package var remedy: String

  package var description: String {
    let remedy = remedy.prefix(1).lowercased() + remedy.dropFirst().prefix { $0 != "." }
    return "byte \(position) of the question: \(problem): \(remedy)"
  }
}
