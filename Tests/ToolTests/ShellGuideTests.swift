import Foundation
import RoostTestSupport
import Testing

@testable import RoostTool

/// The shell prints what its guide shows.
@Suite struct ShellGuideTests {
  private static func guide() throws -> String { try ReadmeTests.text("Sources/Roost/Roost.docc/Shell.md") }

  /// The statements of the guide's console blocks, each with the output below it.
  private static func statements() throws -> [(statement: String, output: String)] {
    try guide().components(separatedBy: "```console\n").dropFirst().flatMap { rest in
      rest.components(separatedBy: "```")[0].components(separatedBy: "music> ").dropFirst().map { part in
        let line = part.prefix { $0 != "\n" }
        return (String(line), String(part.dropFirst(line.count + 1)))
      }
    }
  }

  @Test func `the shell prints what the guide shows`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("music.roost")
    _ = try RowsFixture.make(path, tracks: 30)
    var printed = ""
    let console = Console(isTerminal: false, hasColours: false) { _, text in printed += text }
    let session = try ShellSession(path, ShellOutput(console))
    let statements = try Self.statements()
    #expect(statements.count >= 10)
    for (statement, output) in statements {
      printed = ""
      _ = session.run(statement)
      #expect(printed == output, "\(statement)")
    }
  }

  @Test func `the guide and the help mention every statement and every command`() throws {
    let guide = try Self.guide()
    for verb in ShellStatement.Verb.allCases { #expect(guide.contains("`" + verb.example.prefix(3)), "\(verb)") }
    for command in DotCommand.all { #expect(guide.contains("`." + command.name), "\(command.name)") }
    for clause in ShellStatement.Clause.allCases where clause != .by && clause != .author {
      #expect(guide.contains("`\(clause.rawValue)") || guide.contains(" \(clause.rawValue) "), "\(clause)")
    }
    let help = try ShellHelp.lines(nil).joined(separator: "\n")
    for command in DotCommand.all { #expect(help.contains("." + command.name)) }
    for verb in ShellStatement.Verb.allCases { #expect(help.contains(verb.example)) }
  }
}
