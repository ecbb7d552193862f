import RoostText
import Testing

@Suite struct TextAnalyzerTests {
  @Test func `settings survive their bytes`() throws {
    let analyzer = TextAnalyzer(mode: .words, foldsMarks: false, stemming: .english, stopWords: .list(["der", "die"]))
    #expect(try TextAnalyzer(decoding: analyzer.encode()) == analyzer)
  }
}
