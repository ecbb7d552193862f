import Foundation
import RoostTestSupport
import Testing

@testable import RoostTool

/// The tool prints what its guide shows.
@Suite struct ToolGuideTests {
  private static func guide() throws -> String { try ReadmeTests.text("Sources/Roost/Roost.docc/Tool.md") }

  /// The command lines of the guide's console blocks, each with the output below it.
  private static func blocks() throws -> [(command: String, output: String)] {
    try guide().components(separatedBy: "```console\n$ ").dropFirst().map { rest in
      let block = rest.components(separatedBy: "```")[0]
      let line = block.prefix { $0 != "\n" }
      return (String(line), String(block.dropFirst(line.count + 1)))
    }
  }

  /// Splits a command line like a shell, with the features that the guide needs.
  private static func words(_ line: String) -> [String] {
    var words = [""]
    var isQuoted = false
    for character in line {
      if character == "'" {
        isQuoted.toggle()
      } else if character == " ", !isQuoted {
        words.append("")
      } else {
        words[words.count - 1].append(character)
      }
    }
    return words
  }

  @Test func `the tool prints what the guide shows`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("music.roost")
    _ = try RowsFixture.make(path, tracks: 30)
    let blocks = try Self.blocks()
    #expect(blocks.count >= 4)
    for block in blocks {
      let words = Self.words(block.command).map { $0 == "music.roost" ? path : $0 }
      #expect(words.first == "roost")
      let found = Transcript.run(Array(words.dropFirst()))
      #expect(found.output == block.output, "\(block.command)\n\(found)")
    }
  }

  @Test func `the guide mentions every command and every exit code`() throws {
    let guide = try Self.guide()
    for command in Command.shown where command.name != "tour" && command.name != "bench" {
      #expect(guide.contains("`\(command.name)`") || guide.contains("roost \(command.name)"), "\(command.name)")
    }
    for (code, _) in Ending.explained { #expect(guide.contains("| \(code) |")) }
  }
}
