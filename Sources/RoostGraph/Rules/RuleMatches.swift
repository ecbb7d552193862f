import RoostRecords

/// The results of matching texts with patterns, found before a save takes the writer's lock.
///
/// Some patterns, such as `(a+)+b`, need seconds or more for one text. Other writers would wait all
/// that time.
package final class RuleMatches {
  private var known: [ObjectIdentifier: [String: Bool]] = [:]

  package init() {}

  /// Matches a text once and keeps the result.
  func note(_ text: String, _ pattern: RulePattern) {
    let id = ObjectIdentifier(pattern)
    if known[id]?[text] == nil { known[id, default: [:]][text] = pattern.matches(text) }
  }

  /// Whether a text matches. A text without a result is matched now.
  func matches(_ text: String, _ pattern: RulePattern) -> Bool {
    if known.isEmpty { return pattern.matches(text) }
    return known[ObjectIdentifier(pattern)]?[text] ?? pattern.matches(text)
  }

  func clear() { if !known.isEmpty { known = [:] } }
}
