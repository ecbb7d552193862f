import Foundation
import RoostTestSupport
import Testing

@testable import RoostTool

/// Keeps the README and its neighbours true: what they show is compiled and run here.
@Suite struct ReadmeTests {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test func `the example of keys and values is the one compiled here`() throws {
    let example = try Self.text("Tests/ToolTests/ReadmeExample.swift")
    let page = try Self.text("Docs/KEY-VALUE.md")
    #expect(page.contains("```swift\n" + example + "```\n"), "Docs/KEY-VALUE.md and ReadmeExample.swift differ")
  }

  @Test func `the example does what it says`() throws {
    let folder = try ScratchFolder()
    let found = try keepAlbums(in: folder.file("music.roost"))
    #expect(found == ["2 by Bowie; Low has 11 tracks", "eno/1978/ambient 1"])
  }

  @Test func `the README is short`() throws {
    let lines = try Self.text("README.md").split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 180)
  }

  @Test func `every file that the pages name exists`() throws {
    for page in ["README.md", "Docs/ARCHITECTURE.md", "Docs/FILE-FORMAT.md", "Docs/KEY-VALUE.md"] {
      for word in try Self.text(page).split(whereSeparator: { "` ()[],\n|".contains($0) }) {
        let isPath = word.hasPrefix("Sources/") || word.hasPrefix("Docs/") || word.hasPrefix("Tests/")
        guard isPath, !word.contains("*") else { continue }
        let path = Self.root.appendingPathComponent(String(word)).path
        #expect(FileManager.default.fileExists(atPath: path), "\(page) names \(word)")
      }
    }
  }
}
