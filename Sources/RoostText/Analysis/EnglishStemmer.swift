/// Porter2, the English stemmer: `relational` and `related` become `relat`.
///
/// It follows the published description of the algorithm. Words that are not ASCII are not stemmed. While it works, `Y`
/// is a y that is a consonant.
struct EnglishStemmer {
  let word: UnsafeMutablePointer<UInt8>
  var count: Int
  /// The starts of the regions in which suffixes may be removed.
  var first = 0
  var second = 0

  /// Stems a folded word in place. Returns its new length, which is at most the old one.
  static func stem(_ word: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
    if count <= 2 { return count }
    var stemmer = EnglishStemmer(word: word, count: count)
    stemmer.run()
    return stemmer.count
  }

  private init(word: UnsafeMutablePointer<UInt8>, count: Int) {
    self.word = word
    self.count = count
  }

  private mutating func run() {
    if word[0] == 39 {
      for place in 1..<count { word[place - 1] = word[place] }
      count -= 1
      if count <= 2 { return }
    }
    if count <= 7, replaceException() { return }
    markConsonants()
    findRegions()
    removePossessive()
    removePlural()
    if isInvariant { return restore() }
    removeParticiple()
    replaceY()
    shortenDerivation()
    shortenAdjective()
    removeSuffix()
    removeEnd()
    restore()
  }

  private mutating func restore() {
    for place in 0..<count where word[place] == 89 { word[place] = 121 }
  }

  // MARK: Letters and regions

  @inline(__always)
  func isVowel(_ place: Int) -> Bool {
    switch word[place] {
    case 97, 101, 105, 111, 117, 121: true
    default: false
    }
  }

  private func markConsonants() {
    if word[0] == 121 { word[0] = 89 }
    for place in 1..<count where word[place] == 121 && isVowel(place - 1) { word[place] = 89 }
  }

  /// A region begins after the first consonant that follows a vowel.
  private mutating func findRegions() {
    first = regionStart(0)
    for prefix in ["gener", "commun", "arsen"] as [StaticString] where begins(prefix) {
      first = prefix.utf8CodeUnitCount
    }
    second = regionStart(first)
  }

  private func regionStart(_ start: Int) -> Int {
    var place = start
    while place < count, !isVowel(place) { place += 1 }
    while place < count, isVowel(place) { place += 1 }
    return min(place + 1, count)
  }

  private func begins(_ prefix: StaticString) -> Bool {
    let length = prefix.utf8CodeUnitCount
    guard length <= count else { return false }
    for place in 0..<length where word[place] != prefix.utf8Start[place] { return false }
    return true
  }

  /// Whether the word ends with the suffix.
  @inline(__always)
  func ends(_ suffix: StaticString) -> Bool {
    let length = suffix.utf8CodeUnitCount
    guard length <= count else { return false }
    let start = count - length
    var place = length - 1
    while place >= 0 {
      if word[start + place] != suffix.utf8Start[place] { return false }
      place -= 1
    }
    return true
  }

  func isInFirst(_ length: Int) -> Bool { count - length >= first }
  func isInSecond(_ length: Int) -> Bool { count - length >= second }

  func hasVowel(before end: Int) -> Bool {
    for place in 0..<max(end, 0) where isVowel(place) { return true }
    return false
  }

  /// Whether the letters before `end` form a short syllable at their end, as `rap` and `at` do.
  private func isShortSyllable(before end: Int) -> Bool {
    if end < 2 || isVowel(end - 1) || !isVowel(end - 2) { return false }
    if end == 2 { return true }
    if isVowel(end - 3) { return false }
    switch word[end - 1] {
    case 119, 120, 89: return false
    default: return true
    }
  }

  /// Replaces the last letters.
  mutating func replace(_ length: Int, by ending: StaticString) {
    count -= length
    for place in 0..<ending.utf8CodeUnitCount { word[count + place] = ending.utf8Start[place] }
    count += ending.utf8CodeUnitCount
  }

  // MARK: Steps

  private mutating func removePossessive() {
    if ends("'s'") { count -= 3 } else if ends("'s") { count -= 2 } else if ends("'") { count -= 1 }
  }

  private mutating func removePlural() {
    if ends("sses") {
      count -= 2
    } else if ends("ied") || ends("ies") {
      count -= count > 4 ? 2 : 1
    } else if ends("us") || ends("ss") {
      return
    } else if ends("s"), hasVowel(before: count - 2) {
      count -= 1
    }
  }

  private mutating func removeParticiple() {
    for suffix in ["eedly", "eed"] as [StaticString] where ends(suffix) {
      if isInFirst(suffix.utf8CodeUnitCount) { replace(suffix.utf8CodeUnitCount, by: "ee") }
      return
    }
    let length = ends("ingly") ? 5 : ends("edly") ? 4 : ends("ing") ? 3 : ends("ed") ? 2 : 0
    guard length > 0, hasVowel(before: count - length) else { return }
    count -= length
    if ends("at") || ends("bl") || ends("iz") {
      replace(0, by: "e")
    } else if endsInDouble {
      count -= 1
    } else if first >= count, isShortSyllable(before: count) {
      replace(0, by: "e")
    }
  }

  private var endsInDouble: Bool {
    guard count >= 2, word[count - 1] == word[count - 2] else { return false }
    switch word[count - 1] {
    case 98, 100, 102, 103, 109, 110, 112, 114, 116: return true
    default: return false
    }
  }

  private mutating func replaceY() {
    guard count > 2, word[count - 1] | 32 == 121, !isVowel(count - 2) else { return }
    word[count - 1] = 105
  }

  private mutating func removeEnd() {
    guard count > 0 else { return }
    if word[count - 1] == 101 {
      if isInSecond(1) || (isInFirst(1) && !isShortSyllable(before: count - 1)) { count -= 1 }
    } else if word[count - 1] == 108, isInSecond(1), count > 1, word[count - 2] == 108 {
      count -= 1
    }
  }
}
