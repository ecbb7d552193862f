import RoostFile
import RoostTestSupport
import RoostText
import Testing

@Suite struct TextAnalyzerTests {
  private func terms(_ text: String, _ analyzer: TextAnalyzer = TextAnalyzer()) -> [String] {
    analyzer.tokens(of: text).map { String(decoding: $0.term, as: UTF8.self) }
  }

  @Test(arguments: [
    ("Hello, World!", "hello world"), ("don't DON’T 'quoted' rock'n'roll", "don't don't quoted rock'n'roll"),
    ("naïve Élan Straße", "naive elan strasse"), ("e\u{301}lan", "elan"), ("ΣΊΣΥΦΟΣ σίσυφος", "σισυφοσ σισυφοσ"),
    ("3.14 x_1 wi-fi a.b", "3 14 x_1 wi fi a b"), ("東京に行く", "東 京 に 行 く"), ("한국어 텍스트", "한국어 텍스트"),
    ("がぎ", "が ぎ"), ("", ""), ("—…!?", ""), ("a\u{FFFD}b", "a b"), ("Привет, мир", "привет мир"),
    ("مرحبا بكم", "مرحبا بكم"), ("שָׁלוֹם", "שלום"), ("हिन्दी", "हिन्दी"), ("İstanbul ısı", "istanbul ısı"),
    ("good 😀 day", "good 😀 day"),
  ])
  func `words are split and folded`(text: String, expected: String) {
    #expect(terms(text).joined(separator: " ") == expected)
  }

  @Test func `settings keep case and marks`() {
    #expect(terms("Été Berlin", TextAnalyzer(foldsCase: false)) == ["Ete", "Berlin"])
    #expect(terms("Été E\u{301}te", TextAnalyzer(foldsMarks: false)) == ["été", "éte"])
    #expect(terms("Été", TextAnalyzer(foldsCase: false, foldsMarks: false)) == ["Été"])
  }

  @Test func `stop words leave their positions`() {
    let tokens = TextAnalyzer(stopWords: .english).tokens(of: "The wall of Berlin")
    #expect(tokens.map(\.position) == [1, 3])
    #expect(tokens.map(\.range) == [4..<8, 12..<18])
    #expect(terms("Der WALL", TextAnalyzer(stopWords: .list(["DER"]))) == ["wall"])
  }

  @Test func `trigrams overlap`() {
    let analyzer = TextAnalyzer(mode: .trigrams)
    #expect(terms("Ab Cé", analyzer) == ["ab ", "b c", " ce"])
    #expect(terms("東京都", analyzer) == ["東京都"])
    #expect(terms("ab", analyzer).isEmpty)
    #expect(analyzer.tokens(of: "éabc").map(\.range) == [0..<4, 2..<5])
  }

  @Test func `ranges are those of the text`() {
    let text = "Größe, naïve—don’t 東京"
    let found = TextAnalyzer().tokens(of: text).map {
      String(decoding: Array(text.utf8)[$0.range], as: UTF8.self)
    }
    #expect(found == ["Größe", "naïve", "don’t", "東", "京"])
  }

  @Test func `long words are truncated at a character`() {
    let word = String(repeating: "é", count: 500)
    let token = TextAnalyzer(foldsMarks: false).tokens(of: word)
    #expect(token.count == 1 && token[0].term.count == 128 && token[0].range == 0..<1000)
    #expect(terms(String(repeating: "a", count: 300)) == [String(repeating: "a", count: 128)])
    #expect(terms("a" + String(repeating: "東", count: 3)) == ["a", "東", "東", "東"])
  }

  @Test(arguments: 0..<50)
  func `any bytes are a text`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for mode in TextAnalyzer.Mode.allCases {
      let scanner = TextScanner(TextAnalyzer(mode: mode, stemming: .english, stopWords: .english))
      for _ in 0..<40 {
        var bytes = [UInt8](repeating: 0, count: random.below(200))
        bytes.withUnsafeMutableBytes { random.fill($0) }
        if random.chance(1, in: 2) { bytes = bytes.map { $0 & 0xCF | 0x41 } }
        bytes.withUnsafeBytes { scanner.scan($0) }
      }
    }
  }

  @Test(arguments: [
    TextAnalyzer(), TextAnalyzer(mode: .trigrams, foldsCase: false),
    TextAnalyzer(foldsMarks: false, stemming: .english, stopWords: .list(["der", "die", "daß"])),
    TextAnalyzer(stopWords: .english),
  ])
  func `settings are read back from their bytes`(analyzer: TextAnalyzer) throws {
    let bytes = analyzer.encode()
    #expect(try TextAnalyzer(decoding: bytes) == analyzer)
    for count in 0..<bytes.count {
      #expect(throws: StoreError.self) { try TextAnalyzer(decoding: Array(bytes.prefix(count))) }
    }
    #expect(throws: StoreError.self) { try TextAnalyzer(decoding: [2] + bytes.dropFirst()) }
    #expect(throws: StoreError.self) { try TextAnalyzer(decoding: bytes + [0]) }
  }

  @Test(arguments: [
    "caresses caress", "ponies poni", "ties tie", "cats cat", "feed feed", "agreed agre", "plastered plaster",
    "motoring motor", "conflated conflat", "hopping hop", "hoping hope", "falling fall", "filing file", "happy happi",
    "say say", "relational relat", "conditional condit", "rationally ration", "vietnamization vietnam",
    "operator oper", "feudalism feudal", "decisiveness decis", "hopefulness hope", "callousness callous",
    "formality formal", "sensitivity sensit", "triplicate triplic", "electrical electr", "goodness good",
    "revival reviv", "allowance allow", "adjustable adjust", "replacement replac", "adoption adopt",
    "bowdlerize bowdler",
    "probate probat", "controlling control", "skies sky", "dying die", "news news", "generously generous",
    "communication communic", "consistency consist", "knightly knight", "running run", "succeeding succeed",
    "proceeds proceed", "inning inning", "university univers", "analogies analog", "beautifully beauti", "sing sing",
    "kings king", "by by", "as as", "it's it", "youth youth", "yellow yellow", "employed employ",
  ])
  func `English words have the stems of Porter2`(pair: String) {
    let words = pair.split(separator: " ").map(String.init)
    #expect(terms(words[0], TextAnalyzer(stemming: .english)) == [words[1]])
  }
}
