import Foundation
import Testing

/// The table of floors in Docs/ARCHITECTURE.md is the one that ``HouseTests`` enforces.
@Suite struct ArchitectureTests {
  /// Module → what the page allows it to import.
  static func table() throws -> [String: Set<String>] {
    let page = HouseTests.root.appendingPathComponent("Docs/ARCHITECTURE.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    var table: [String: Set<String>] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix("| `") {
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

  @Test func `the page's table is the enforced one`() throws {
    let table = try Self.table()
    #expect(Set(table.keys) == Set(HouseTests.allowed.keys))
    for (module, allowed) in HouseTests.allowed {
      #expect(table[module] == allowed, "Docs/ARCHITECTURE.md and HouseTests differ about \(module)")
    }
  }
}
