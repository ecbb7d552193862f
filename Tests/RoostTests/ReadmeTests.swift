import SwiftData
import Testing

/// The example about objects in the README is compiled and run here.
@Suite struct ReadmeTests {
  @Test func `the example in the README is the one compiled here`() throws {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let example = try String(contentsOf: here.appendingPathComponent("ReadmeExample.swift"), encoding: .utf8)
    let page = here.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("README.md")
    let readme = try String(contentsOf: page, encoding: .utf8)
    #expect(readme.contains("```swift\n" + example + "```\n"), "README.md and ReadmeExample.swift differ")
  }

  @Test func `the example prints what the README says`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roost-readme-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let lines = try listSongs(in: folder.appendingPathComponent("music.roost"))
    #expect(lines == ["Warszawa", "Heroes", "DJ", "Warszawa is in Berlin", "Heroes is in Berlin"])
  }
}
