internal import RoostFile

/// A regular expression that must match a whole text, compiled once in a process.
///
/// Unchecked, because `Regex` does not say that it is `Sendable`. A match changes nothing that others see.
package final class RulePattern: @unchecked Sendable {
  private let regex: Regex<AnyRegexOutput>

  /// Longer texts are refused: the time of some expressions grows with the square of the text or faster.
  package static var mostBytes: Int { 64 << 10 }

  private init(_ pattern: String) throws { regex = try Regex(pattern) }

  /// The pattern of a text. Throws what is wrong with it.
  package static func of(_ pattern: String) throws -> RulePattern {
    if let known = lock.withLock({ known[pattern] }) { return known }
    let made = try RulePattern(pattern)
    lock.withLock { known[pattern] = made }
    return made
  }

  func matches(_ text: String) -> Bool { (try? regex.wholeMatch(in: text)) != nil }

  private static let lock = Lock()
  // Unsafe, because it is read and written under the lock.
  private nonisolated(unsafe) static var known: [String: RulePattern] = [:]
}
