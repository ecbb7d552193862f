import Foundation
import RoostQuery
import Testing

/// Comparisons that ignore case and diacritics, compared with Foundation's functions of the same
/// names.
@Suite("Texts compared as in Foundation") struct FoundationTextTests {
  static let texts = [
    "", "a", "A", "ab", "abc", "aB", "b", "\u{e9}", "e\u{301}", "\u{c9}", "e", "e\u{301}\u{323}", "\u{df}", "ss", "SS",
    "\u{1e9e}", "\u{3c2}", "\u{3c3}", "\u{3a3}", "\u{130}", "i\u{307}", "\u{131}", "i", "I", "\r\n", "\n", "a\n",
    "\u{212b}",
    "\u{e5}", "a\u{30a}", "\u{ac00}", "\u{1100}\u{1161}", "fi", "10", "9", "z", "\u{f8}", "\u{142}", "o", "l", "resume",
    "R\u{e9}sum\u{e9}", "stra\u{df}e", "STRASSE", "Stra\u{1e9e}e", "M\u{fc}ller", "MULLER",
    "\u{3a3}\u{3af}\u{3c3}\u{3c5}\u{3c6}\u{3bf}\u{3c2}",
  ]

  @Test(arguments: texts) func `containsLoosely finds what localizedStandardContains finds`(part: String) {
    for text in Self.texts {
      #expect(
        TextComparing.test(.containsLoosely, text, other: part) == text.localizedStandardContains(part),
        "\(text.debugDescription) in \(part.debugDescription)")
    }
  }

  @Test(arguments: texts) func `the caseless order equals caseInsensitiveCompare`(other: String) {
    for text in Self.texts {
      #expect(
        TextComparing.order(.caseless, text, other: other) == text.caseInsensitiveCompare(other).rawValue,
        "\(text.debugDescription) and \(other.debugDescription)")
    }
  }

  /// Letters come first, then diacritics, then case, as in Foundation's order of any western
  /// language. The order of letters of different scripts depends on the language, which Roost does
  /// not know.
  @Test func `the localized order is that of a dictionary`() {
    let words = [
      "a", "A", "\u{e1}", "\u{c1}", "ab", "Ab", "\u{e1}b", "b", "B", "co", "Co", "cote", "coter", "e", "\u{e9}", "ea",
      "\u{e9}a",
    ]
    for (place, one) in words.enumerated() {
      for (other, two) in words.enumerated() {
        #expect(
          TextComparing.order(.localized, one, other: two) == (place < other ? -1 : place > other ? 1 : 0),
          "\(one) \(two)")
        #expect(one.localizedCompare(two).rawValue == (place < other ? -1 : place > other ? 1 : 0), "\(one) \(two)")
      }
    }
    #expect(TextComparing.order(.localized, "\u{e9}", other: "e\u{301}") == 0)
  }
}
