import RoostText
import Testing

@Suite struct SnippetMakerTests {
  private let index = TextIndex(analyzer: TextAnalyzer(stemming: .english), fields: ["title", "body"])

  private func marked(_ question: String, _ text: String, field: Int = 1, words: Int) throws -> String {
    let maker = SnippetMaker(try TextQuestion(question, for: index), for: index)
    let snippet = maker.snippet(of: text, field: field, words: words)
    let body = snippet.marked(before: "[", after: "]") { String($0.map { $0 == "<" ? "&" : $0 }) }
    return (snippet.isCutBefore ? "…" : "") + body + (snippet.isCutAfter ? "…" : "")
  }

  private let text = "I, I can remember standing by the wall. And the guns shot above our heads, and we kissed."

  @Test(arguments: [
    ("wall", 5, "…by the [wall]. And the…"), ("guns wall", 6, "…the [wall]. And the [guns] shot…"),
    ("remembering", 30, "I, I can [remember] standing by the wall. And the guns shot above our heads, and we kissed."),
    ("\"the gun\"", 4, "…And [the] [guns] shot…"), ("i", 3, "[I], [I] can…"), ("kiss*", 3, "…and we [kissed]."),
    ("nothing", 3, "I, I can…"), ("title:wall", 3, "I, I can…"), ("NOT guns wall", 1, "…[wall]…"),
  ])
  func `the best part is cut and marked`(question: String, words: Int, expected: String) throws {
    #expect(try marked(question, text, words: words) == expected)
  }

  @Test func `parts are escaped, but not the marks`() throws {
    #expect(try marked("b", "<a> <b> <c>", words: 9) == "&a> &[b]> &c>")
    #expect(try marked("naïve", "Naïve 東京 naive", words: 9) == "[Naïve] 東京 [naive]")
    #expect(try marked("東京", "Naïve 東京 naive", words: 2) == "…[東][京]…")
    #expect(try marked("a", "", words: 2) == "")
  }

  @Test func `overlapping trigrams are one highlight`() throws {
    let index = TextIndex(analyzer: TextAnalyzer(mode: .trigrams), fields: ["body"])
    let maker = SnippetMaker(try TextQuestion("neberg", for: index), for: index)
    #expect(maker.highlights(in: "Schöneberger") == [5..<11])
  }
}
