import RoostTestSupport
import Testing

@testable import RoostText

@Suite struct TextQuestionTests {
  static let index = TextIndex(analyzer: TextAnalyzer(), fields: ["title", "body"])

  @Test(arguments: [
    ("berlin", true), ("BERLIN wall", true), ("berlin rome", false), ("berlin OR rome", true), ("rome OR paris", false),
    ("berlin AND wall", true), ("berlin NOT rome", true), ("berlin -wall", false), ("-rome berlin", true),
    ("NOT rome berlin", true), ("berlin AND NOT rome", true), ("\"berlin wall\"", true), ("\"wall berlin\"", false),
    ("wal*", true), ("wal", false), ("\"the berlin wa\"*", true), ("\"berlin wa\"", false),
    ("title:heroes", true), ("body:heroes", false), ("title:(heroes OR rome)", true), ("title:\"the wall\"", false),
    ("title:(body:wall)", false), ("NEAR(we wall, 2)", false), ("NEAR(fell wall)", true), ("NEAR(the wall, 1)", true),
    ("NEAR(the wall, 0)", false), ("NEAR(\"the berlin\" fell, 1)", true), ("(((berlin)))", true),
    ("\"heroes\" OR (berlin wall*)", true), ("rome OR berlin wall", true), ("(rome OR berlin) paris", false),
    ("berlin-wall", true), ("wall-berlin", false), ("or and not", false), ("berlin , wall", true), ("*", false),
    ("berlin *", true), ("\"berlin * wall\"", true), ("it's", true), ("1:2", true), ("berlin - wall", true),
    ("heroes the", true),
  ])
  func `a query finds texts`(question: String, expected: Bool) throws {
    let texts = ["Heroes", "The Berlin wall fell; it's 1 2 or so"]
    #expect(Self.index.isMatch(texts: texts, try TextQuestion(question, for: Self.index)) == expected)
  }

  @Test(
    arguments: [
      ("", .missingWord, 0), ("   ", .missingWord, 3), ("(berlin", .unclosed, 0), ("berlin)", .unopened, 6),
      ("a \"b c", .unclosed, 2), ("a OR", .missingWord, 4), ("OR a", .missingWord, 0), ("a AND", .missingWord, 2),
      ("a NOT", .missingWord, 2), ("-a", .onlyNegative, 0), ("b OR NOT a", .onlyNegative, 5), ("()", .missingWord, 1),
      ("author:bowie", .unknownField, 0), ("title:", .missingWord, 6), ("a (title:)", .missingWord, 9),
      ("NEAR(a b, x)", .badNear, 10), ("NEAR(a (b))", .badNear, 7), ("NEAR(a b", .unclosed, 0),
      ("a AND AND b", .missingWord, 2), ("a AND OR b", .missingWord, 2), ("\"wor* two\"", .starInPhrase, 4),
      ("x \"berlin wal*\"", .starInPhrase, 13),
    ] as [(String, TextQuestionFault.Code, Int)])
  func `an error has a code and a position`(question: String, code: TextQuestionFault.Code, position: Int) throws {
    do throws(TextQuestionFault) {
      _ = try TextQuestion(question, for: Self.index)
      Issue.record("no fault")
    } catch {
      #expect(error.code == code && error.position == position, "\(error)")
      #expect(error.remedy.hasSuffix("."))
    }
  }

  @Test func `queries have limits`() throws {
    func code(_ text: String) -> TextQuestionFault.Code? {
      do throws(TextQuestionFault) { _ = try TextQuestion(text, for: Self.index) } catch { return error.code }
      return nil
    }
    #expect(code(String(repeating: "a", count: 65_537)) == .tooLong)
    #expect(code(String(repeating: "a ", count: 1000)) == nil)
    #expect(code(String(repeating: "a ", count: 1001)) == .tooManyParts)
    #expect(code(String(repeating: "(", count: 64) + "a" + String(repeating: ")", count: 64)) == nil)
    #expect(code(String(repeating: "(", count: 65) + "a" + String(repeating: ")", count: 65)) == .tooDeep)
    #expect(code(String(repeating: "(", count: 60_000)) == .tooDeep)
  }

  @Test func `stop words are ignored, and a phrase keeps their places`() throws {
    let index = TextIndex(analyzer: TextAnalyzer(stemming: .english, stopWords: .english), fields: ["body"])
    func isMatch(_ question: String) throws -> Bool {
      index.isMatch(texts: ["The walls of Berlin were falling"], try TextQuestion(question, for: index))
    }
    #expect(try isMatch("the wall"))
    #expect(try isMatch("\"walls of berlin\""))
    #expect(try isMatch("\"walls in berlin\""))
    #expect(try !isMatch("\"walls berlin\""))
    #expect(try !isMatch("the"))
    #expect(try isMatch("falls NOT the"))
    #expect(try isMatch("fal*"))
  }

  @Test func `trigrams find parts of words`() throws {
    let index = TextIndex(analyzer: TextAnalyzer(mode: .trigrams), fields: ["body"])
    func isMatch(_ question: String) throws -> Bool {
      index.isMatch(texts: ["Schöneberger Sängerknaben"], try TextQuestion(question, for: index))
    }
    #expect(try isMatch("berg"))
    #expect(try isMatch("ONEBERGER"))
    #expect(try isMatch("\"ger sang\""))
    #expect(try !isMatch("bergen"))
    #expect(throws: TextQuestionFault.self) { try TextQuestion("be", for: index) }
    #expect(throws: TextQuestionFault.self) { try TextQuestion("NEAR(abc def)", for: index) }
  }

  @Test(arguments: 0..<100)
  func `any text is a query or an error`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let parts = [
      "(", ")", "\"", "*", "-", "NOT ", "AND ", "OR ", "NEAR(", ",", ", 3)", "title:", "x:", "a", "é", " ", "東", "\0",
      ":",
    ]
    for _ in 0..<200 {
      let text = (0..<random.below(30)).map { _ in random.pick(parts) }.joined()
      do throws(TextQuestionFault) {
        let question = try TextQuestion(text, for: Self.index)
        _ = Self.index.isMatch(texts: ["a é", text], question)
      } catch {
        #expect(error.position <= text.utf8.count, "seed \(seed): \(text)")
      }
    }
  }
}
