/// The words that an analyzer leaves out, found by their folded bytes.
struct StopWordSet: Sendable {
  private var slots: [[UInt8]?] = []
  private var mask = 0
  private var longest = 0

  var isEmpty: Bool { slots.isEmpty }

  init(_ analyzer: TextAnalyzer) {
    var words: [String] = []
    switch analyzer.stopWords {
    case .none: return
    case .english: words = Self.english
    case .list(let list): words = list
    }
    if words.isEmpty { return }
    var room = 64
    while room < words.count * 4 { room *= 2 }
    slots = Array(repeating: nil, count: room)
    mask = room - 1
    for word in words {
      var folded = FoldedWord(analyzer)
      for scalar in word.unicodeScalars { folded.append(scalar.value) }
      folded.finish()
      insert(folded.bytes)
    }
  }

  private mutating func insert(_ word: [UInt8]) {
    if word.isEmpty { return }
    longest = max(longest, word.count)
    var slot = word.withUnsafeBufferPointer { TermHash.of($0.baseAddress!, $0.count) } & mask
    while let other = slots[slot] {
      if other == word { return }
      slot = (slot + 1) & mask
    }
    slots[slot] = word
  }

  func contains(_ word: UnsafePointer<UInt8>, _ length: Int) -> Bool {
    if length > longest || length == 0 { return false }
    var slot = TermHash.of(word, length) & mask
    while let other = slots[slot] {
      if other.count == length, other.elementsEqual(UnsafeBufferPointer(start: word, count: length)) { return true }
      slot = (slot + 1) & mask
    }
    return false
  }

  /// The English words with the least meaning.
  static let english = """
    a an and are as at be but by for from had has have he her his i if in into is it its no not of on or she so such
    that the their then there these they this to was we were which will with you
    """.split { $0 == " " || $0 == "\n" }.map(String.init)
}
