import Foundation
import Testing

/// Keeps the version of Roost in one place: pages that name a release name the one of the tool.
@Suite struct VersionTests {
  private static func text(_ path: String) throws -> String {
    try String(contentsOf: HouseTests.root.appendingPathComponent(path), encoding: .utf8)
  }

  private static func version() throws -> Substring {
    let source = try text("Sources/RoostTool/Command/Command.swift")
    let found = source.firstMatch(of: /static var version: String \{ "(\d+\.\d+\.\d+)" \}/)
    return try #require(found, "Command.swift has no version").1
  }

  @Test func `the newest version of the changelog is the version of the tool`() throws {
    let heading = try Self.text("Docs/CHANGELOG.md").firstMatch(of: /\n## (\d+\.\d+\.\d+)\n/)
    #expect(try #require(heading, "the changelog has no version").1 == Self.version())
  }

  @Test(arguments: ["README.md", "Sources/Roost/Roost.docc/GettingStarted.md"])
  func `a page names the version of the tool as the one to depend on`(_ page: String) throws {
    let named = try Self.text(page).matches(of: /from: "(\d+\.\d+\.\d+)"/).map(\.1)
    #expect(!named.isEmpty)
    for one in named { #expect(try one == Self.version()) }
  }
}
