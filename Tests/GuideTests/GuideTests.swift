import Foundation
import Testing

/// Checks that the tests in this folder compile and run the code of the guides.
@Suite struct GuideTests {
  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private static let guides =
    tests.deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Roost/Roost.docc")

  /// The names of all guides.
  static let names: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(atPath: guides.path)
    return (files ?? []).filter { $0.hasSuffix(".md") }.map { String($0.dropLast(3)) }.sorted()
  }()

  /// Returns lines without indentation. Empty lines and imports are left out, because imports are
  /// sorted separately.
  private static func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
  }

  /// Returns the Swift blocks of a page.
  static func blocks(_ page: String) -> [[String]] {
    page.components(separatedBy: "```swift\n").dropFirst().map { rest in
      lines(rest.components(separatedBy: "```")[0])
    }
  }

  /// Whether some lines contain a block, line by line.
  static func stands(_ block: [String], in lines: [String]) -> Bool {
    guard !block.isEmpty, block.count <= lines.count else { return false }
    return (0...lines.count - block.count).contains { start in lines[start..<start + block.count].elementsEqual(block) }
  }

  @Test func `the front page links every guide`() throws {
    #expect(Self.names.contains("Roost"))
    let front = try String(contentsOf: Self.guides.appending(path: "Roost.md"), encoding: .utf8)
    for name in Self.names where name != "Roost" { #expect(front.contains("<doc:\(name)>"), "\(name) is not named") }
  }

  @Test(arguments: names) func `the code of a guide is compiled and run`(_ name: String) throws {
    let page = try String(contentsOf: Self.guides.appending(path: "\(name).md"), encoding: .utf8)
    let source = try String(contentsOf: Self.tests.appending(path: "\(name)GuideTests.swift"), encoding: .utf8)
    let (blocks, compiled) = (Self.blocks(page), Self.lines(source))
    #expect(!blocks.isEmpty, "\(name) shows no code")
    #expect(source.contains("#expect("))
    for block in blocks {
      #expect(
        Self.stands(block, in: compiled), "\(name): not in \(name)GuideTests.swift\n\(block.joined(separator: "\n"))")
    }
  }

  @Test func `missing lines are noticed`() {
    let blocks = Self.blocks("a\n```swift\nlet a = 1\n\n  let b = 2\n```\n```sh\nls\n```\n```swift\nlet c = 3\n```")
    #expect(blocks == [["let a = 1", "let b = 2"], ["let c = 3"]])
    #expect(Self.stands(blocks[0], in: ["x", "let a = 1", "let b = 2"]))
    #expect(!Self.stands(blocks[0], in: ["let a = 1", "x", "let b = 2"]))
    #expect(!Self.stands([], in: ["x"]))
  }
}
