import Foundation
import Testing

/// Keeps Docs/ARCHITECTURE.md true: its table of modules is the one that ``HouseTests`` enforces, and its files exist.
@Suite struct ArchitectureTests {
  static let page = try? String(
    contentsOf: HouseTests.root.appendingPathComponent("Docs/ARCHITECTURE.md"), encoding: .utf8)

  /// The modules that each module may import according to the page.
  static func table() throws -> [String: Set<String>] {
    var table: [String: Set<String>] = [:]
    for line in try #require(page).split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 3 else { continue }
      let names = cells[2] == "nothing" ? [] : cells[2].split(separator: " ").map(unquoted)
      table[unquoted(cells[0])] = Set(names)
    }
    return table
  }

  private static func unquoted(_ text: some StringProtocol) -> String {
    text.trimmingCharacters(in: CharacterSet(charactersIn: "`"))
  }

  /// Returns the lines between a heading and the next heading of its level or a higher one.
  static func section(_ heading: String) throws -> [String] {
    let level = heading.prefix { $0 == "#" }.count
    let lines = try #require(page).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: heading), "Docs/ARCHITECTURE.md has no heading \(heading)")
    let rest = lines[(start + 1)...]
    let end = rest.firstIndex { line in
      let marks = line.prefix { $0 == "#" }.count
      return marks > 0 && marks <= level && line.dropFirst(marks).hasPrefix(" ")
    }
    return Array(rest[..<(end ?? rest.endIndex)])
  }

  @Test func `the page's table is the enforced one`() throws {
    let table = try Self.table()
    #expect(Set(table.keys) == Set(HouseTests.allowed.keys))
    for (module, allowed) in HouseTests.allowed {
      #expect(table[module] == allowed, "Docs/ARCHITECTURE.md and HouseTests differ about \(module)")
    }
  }

  @Test(arguments: [
    "checksum", "autosave", "cascade", "migration", "notification", "lock", "cache", "crash", "checkpoint", "snapshot",
    "fault", "backup", "encryption", "full text",
  ])
  func `a search for a word of the field finds a file, or that there is none yet`(_ word: String) throws {
    let found = try Self.section("## Where is it?").first { $0.lowercased().hasPrefix("| \(word) |") }
    let line = try #require(found, "no line of the table begins with \(word)")
    #expect(line.contains(".swift`") || line.contains("Not yet"), "the line says neither a file nor \"Not yet\"")
  }

  /// A name without a folder must be unique, so that a reader finds the file.
  @Test func `every file that the page names exists once`() throws {
    let paths = HouseTests.sources.map { "/" + $0.path } + ["/Package.swift"]
    let letters = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "+-_./"))
    var count = 0
    for word in try #require(Self.page).components(separatedBy: letters.inverted) where word.hasSuffix(".swift") {
      let name = word.hasPrefix("Sources/") ? String(word.dropFirst("Sources/".count)) : word
      let found = Set(paths.filter { $0.hasSuffix("/" + name) })
      #expect(found.count == 1, "Docs/ARCHITECTURE.md names \(word), and \(found.count) files have that name")
      count += 1
    }
    #expect(count > 200)
  }

  @Test func `every decision and page that the page links exists`() throws {
    let docs = HouseTests.root.appendingPathComponent("Docs")
    for part in try #require(Self.page).components(separatedBy: "](").dropFirst() {
      let target = part.prefix { $0 != ")" }
      if target.hasPrefix("#") { continue }
      #expect(
        FileManager.default.fileExists(atPath: docs.appendingPathComponent(String(target)).path),
        "Docs/ARCHITECTURE.md links \(target)")
    }
  }

  @Test(arguments: ["RoostRecords", "RoostQuery", "RoostTransfer", "RoostGraph", "Roost", "RoostTool"])
  func `every folder of a module has its line`(_ module: String) throws {
    let section = try Self.section("### \(module)").joined(separator: "\n")
    let named = section.components(separatedBy: "**`").dropFirst().map { String($0.prefix { $0 != "`" }) }
    let parts = HouseTests.sources.filter { $0.floor == module }.map { $0.path.split(separator: "/") }
    let folders = Set(parts.filter { $0.count > 2 }.map { String($0[1]) })
    #expect(Set(named) == folders)
    #expect(named.count == Set(named).count, "a folder has two lines")
  }

  @Test func `the glossary is short`() throws {
    let rows = try Self.section("## Glossary").filter { $0.hasPrefix("| ") }.dropFirst()
    #expect(rows.count > 10 && rows.count <= 30)
    for row in rows {
      let cells = row.split(separator: "|")
      let hasFile = cells.last?.contains(".swift`") == true
      #expect(cells.count == 3 && hasFile, "a word needs a meaning and one file: \(row)")
    }
  }
}
