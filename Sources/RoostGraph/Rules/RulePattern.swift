internal import RoostFile

/// A regular expression that must match a whole text, compiled once in a process.
///
/// Unchecked, because `Regex` is not declared as `Sendable`. A match changes no shared state.
package final class RulePattern: @unchecked Sendable {
  private let regex: Regex<AnyRegexOutput>

  /// Longer texts are rejected: the time of some expressions grows with the square of the text or
  /// faster.
  package static var mostBytes: Int { 64 << 10 }

  private init(_ pattern: String) throws { regex = try Regex(pattern) }

  /// The compiled pattern of a text. Throws the error of the regular expression.
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
