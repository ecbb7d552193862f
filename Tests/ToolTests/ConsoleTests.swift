import Foundation
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

  /// Before the fix, each step left a line on terminals under 45 columns.
  @Test(arguments: [20, 30, 42, 80]) func `a bar fits into its terminal`(_ width: Int) {
    let paper = Paper()
    let console = Console(isTerminal: true, hasColours: false, width: width) { _, text in paper.text += text }
    for title in ["exporting", "importing"] {
      var progress = Progress(title, of: 4, on: console)
      progress.advance(to: 4)
    }
    let lines = paper.text.components(separatedBy: "\r\u{1B}[K").dropFirst()
    #expect(lines.count == 2 && lines.allSatisfy { $0.count < width && $0.hasSuffix(" 100 %") }, "\(lines)")
  }

  @Test func `progress is drawn at once, and then not too often`() {
    let text = print(terminal: true, colours: false) { console in
      var progress = Progress("filling", of: 1000, on: console)
      for done in 0...1000 { progress.advance(to: done) }
    }
    #expect(text.hasPrefix("\r\u{1B}[K   filling"))
    #expect(text.split(separator: "\r").count < 100)
  }

  /// Before the fix, text in a store could look like one of our styles, and change the text after
  /// it.
  @Test func `the content of a store changes no colours`() {
    let evil = "\u{1B}[31mRED\u{1B}[1m"
    let text = print(terminal: true, colours: true) { console in
      console.line(console.styled("good", .good) + "  \(evil)")
      console.line("\(console.styled(evil, .strong)) \(evil)")
      console.facts([("label", evil)])
      console.line(text: evil)
    }
    let shown = #"\u{1b}[31mRED\u{1b}[1m"#
    #expect(
      text == """
        \u{1B}[32mgood\u{1B}[0m  \(shown)
        \u{1B}[1m\(shown)\u{1B}[0m \(shown)
        \u{1B}[2mlabel  \u{1B}[0m\(shown)
        \(shown)

        """)
  }

  private func table(_ rows: [[String?]], terminal: Bool = false) throws -> String {
    var text = ""
    let console = Console(isTerminal: terminal, hasColours: false, width: 40) { _, _ in }
    var table = TextTable([.init(name: "body"), .init(name: "number", isNumber: true), .init(name: "note")], console) {
      text += $0
    }
    for row in rows { try table.add(row) }
    try table.end()
    return text
  }

  /// Before the fix, one long text made every line as long.
  @Test func `in a pipe the length of a line does not depend on other lines`() throws {
    let long = String(repeating: "x", count: 100_000)
    let text = try table([[long, "1", "a"], ["short", "2", long]] + (0..<600).map { ["b\($0)", "\($0)", ""] })
    let lines = text.split(separator: "\n")
    #expect(lines.count == 603 && lines[1].count == 100_000 + 2 + 6 + 2 + 1)
    #expect(lines[2] == "short" + String(repeating: " ", count: 59 + 2 + 5) + "2  " + long)
    #expect(lines[3...].allSatisfy { $0.count <= 64 + 2 + 6 && !$0.hasSuffix(" ") })
    #expect(
      try table([["a", "1", nil], ["bb", "22", "c"]]) == "body  number  note\na          1  nil\nbb        22  c\n")
    #expect(try table([[long, "1", long]], terminal: true).split(separator: "\n").allSatisfy { $0.count <= 40 })
  }
}
