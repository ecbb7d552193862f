/// The suffix tables of the stemmer: each step applies the rule with the longest matching suffix.
extension EnglishStemmer {
  typealias Rule = (suffix: StaticString, ending: StaticString)

  /// The rule whose suffix the word has. Longer suffixes are earlier in a list.
  @inline(__always)
  private func rule(_ rules: [Rule]) -> Rule? {
    for rule in rules where ends(rule.suffix) { return rule }
    return nil
  }

  mutating func shortenDerivation() {
    guard count > 2 else { return }
    // All suffixes of this step end in one of these letters.
    switch word[count - 1] {
    case 105, 108, 110, 114, 109, 115: break
    default: return
    }
    if let rule = rule(Self.derivations) {
      let length = rule.suffix.utf8CodeUnitCount
      if isInFirst(length) { replace(length, by: rule.ending) }
    } else if ends("ogi") {
      if isInFirst(3), count > 3, word[count - 4] == 108 { count -= 1 }
    } else if ends("li"), isInFirst(2), count > 2 {
      switch word[count - 3] {
      case 99, 100, 101, 103, 104, 107, 109, 110, 114, 116: count -= 2
      default: break
      }
    }
  }

  mutating func shortenAdjective() {
    guard count > 2 else { return }
    switch word[count - 1] {
    case 108, 101, 105, 115: break
    default: return
    }
    if let rule = rule(Self.adjectives) {
      let length = rule.suffix.utf8CodeUnitCount
      if isInFirst(length) { replace(length, by: rule.ending) }
    } else if ends("ative"), isInFirst(5), isInSecond(5) {
      count -= 5
    }
  }

  mutating func removeSuffix() {
    guard count > 2 else { return }
    for suffix in Self.endings where ends(suffix) {
      if isInSecond(suffix.utf8CodeUnitCount) { count -= suffix.utf8CodeUnitCount }
      return
    }
    if ends("ion"), isInSecond(3), count > 3, word[count - 4] == 115 || word[count - 4] == 116 { count -= 3 }
  }

  private static let derivations: [Rule] = [
    ("ational", "ate"), ("fulness", "ful"), ("iveness", "ive"), ("ization", "ize"), ("ousness", "ous"),
    ("biliti", "ble"), ("lessli", "less"), ("tional", "tion"), ("alism", "al"), ("aliti", "al"), ("ation", "ate"),
    ("entli", "ent"), ("fulli", "ful"), ("iviti", "ive"), ("ousli", "ous"), ("abli", "able"), ("alli", "al"),
    ("anci", "ance"), ("ator", "ate"), ("enci", "ence"), ("izer", "ize"), ("bli", "ble"),
  ]

  private static let adjectives: [Rule] = [
    ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("icate", "ic"), ("iciti", "ic"), ("ical", "ic"),
    ("ness", ""), ("ful", ""),
  ]

  private static let endings: [StaticString] = [
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "al", "er",
    "ic",
  ]

  /// Replaces words that the rules would stem wrongly. Returns whether the word is one of them.
  mutating func replaceException() -> Bool {
    switch word[0] {
    case 97, 98, 99, 100, 101, 103, 104, 105, 108, 110, 111, 115, 116, 117: break
    default: return false
    }
    for (whole, stem) in Self.exceptions where whole.utf8CodeUnitCount == count && ends(whole) {
      replace(count, by: stem)
      return true
    }
    return false
  }

  private static let exceptions: [(StaticString, StaticString)] = [
    ("skis", "ski"), ("skies", "sky"), ("dying", "die"), ("lying", "lie"), ("tying", "tie"), ("idly", "idl"),
    ("gently", "gentl"), ("ugly", "ugli"), ("early", "earli"), ("only", "onli"), ("singly", "singl"), ("sky", "sky"),
    ("news", "news"), ("howe", "howe"), ("atlas", "atlas"), ("cosmos", "cosmos"), ("bias", "bias"),
    ("andes", "andes"),
  ]

  /// Whether the word without its plural keeps its other suffixes.
  var isInvariant: Bool {
    guard count >= 6, count <= 7 else { return false }
    for whole in Self.invariants where whole.utf8CodeUnitCount == count && ends(whole) { return true }
    return false
  }

  private static let invariants: [StaticString] = [
    "inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed",
  ]
}
