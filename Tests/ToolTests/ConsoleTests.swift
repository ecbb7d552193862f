import Testing

@testable import RoostTool

@Suite struct ConsoleTests {
  private final class Paper {
    var text = ""
  }

  private func print(terminal: Bool, colours: Bool, _ body: (Console) -> Void) -> String {
    let paper = Paper()
    body(Console(isTerminal: terminal, hasColours: colours) { _, text in paper.text += text })
    return paper.text
  }

  private func everything(_ console: Console) {
    console.line(console.styled("good", .good))
    console.facts([("a", "1"), ("long", "2")])
    var progress = Progress("filling", of: 4, on: console)
    progress.advance(to: 2)
    progress.end()
  }

  @Test func `in a pipe there is neither colour nor progress`() {
    let text = print(terminal: false, colours: false) { everything($0) }
    #expect(text == "good\na     1\nlong  2\n")
  }

  @Test func `a terminal without colours still has progress`() {
    let text = print(terminal: true, colours: false) { everything($0) }
    #expect(text.contains("filling ████████████████░░░░░░░░░░░░░░░░ 50 %"))
    #expect(text.hasSuffix("\r\u{1B}[K"))
    #expect(!text.contains("[32m"))
  }

  @Test func `a terminal with colours gets them, and their end`() {
    let text = print(terminal: true, colours: true) { everything($0) }
    #expect(text.hasPrefix("\u{1B}[32mgood\u{1B}[0m\n"))
  }

  @Test func `progress draws at once, and then not too often`() {
    let text = print(terminal: true, colours: false) { console in
      var progress = Progress("filling", of: 1000, on: console)
      for done in 0...1000 { progress.advance(to: done) }
    }
    #expect(text.hasPrefix("\r\u{1B}[K   filling"))
    #expect(text.split(separator: "\r").count < 100)
  }
}
