import Foundation
import Testing

@testable import RoostTool

/// Checks the README and the pages beside it.
@Suite struct ReadmeTests {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test func `the README is short`() throws {
    let lines = try Self.text("README.md").split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 180)
  }

  @Test func `every file that the pages mention exists`() throws {
    let guide = "Sources/Roost/Roost.docc/KeyValueStore.md"
    for page in ["README.md", "Docs/ARCHITECTURE.md", "Docs/FILE-FORMAT.md", guide] {
      for word in try Self.text(page).split(whereSeparator: { "` ()[],\n|".contains($0) }) {
        let isPath = word.hasPrefix("Sources/") || word.hasPrefix("Docs/") || word.hasPrefix("Tests/")
        guard isPath, !word.contains("*") else { continue }
        let path = Self.root.appendingPathComponent(String(word)).path
        #expect(FileManager.default.fileExists(atPath: path), "\(page) names \(word)")
      }
    }
  }
}
