import Foundation
import Testing

/// Checks that tests compile the examples in comments, because an example that does not compile
/// costs each reader much time.
@Suite struct ExampleTests {
  /// The declarations with which programs begin. Each has an example in its comment.
  private static let waysIn: Set<String> = [
    "ModelContainer.init", "ModelContainer.mainContext", "ModelContainer.write", "ModelContainer.backup",
    "ModelContainer.importer", "ModelContainer.export", "ModelContainer.changes", "ModelContainer.snapshot",
    "ModelContainer.historyConsumer", "ModelContainer.historyUpdates", "ModelContext.init", "ModelContext.fetch",
    "ModelContext.insert", "ModelContext.delete", "ModelContext.save", "ModelContext.transaction",
    "ModelContext.enumerate", "ModelContext.faults", "ModelContext.aggregate", "ModelContext.select",
    "ModelContext.selectDistinct", "ModelContext.fetchPage", "ModelContext.first", "ModelContext.search",
    "ModelContext.descendants", "Window", "Join", "Match", "ModelContext.restore", "ModelImporter.run",
    "ModelConfiguration.init", "FetchDescriptor.init", "ResultsObserver.init", "HistoryObserver", "DataStore",
    "SchemaMigrationPlan", "PostgresConfiguration", "KeyValueStore", "Cursor",
  ]

  private struct Example {
    var place: String
    var lines: [String]
  }

  /// Returns lines without indentation. Empty lines and imports are left out.
  private static func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
  }

  /// Returns the Swift blocks in the doc comments of a text, each with the line where it begins.
  static func blocks(_ text: [Substring]) -> [(line: Int, lines: [String])] {
    var found: [(line: Int, lines: [String])] = []
    var begin: Int?
    for (number, line) in text.enumerated() {
      let words = line.drop { $0 == " " }
      guard words.hasPrefix("///") else {
        begin = nil
        continue
      }
      let comment = words.dropFirst(3).drop { $0 == " " }
      if let first = begin, comment == "```" {
        let rows = text[(first + 1)..<number].map { $0.drop { $0 == " " }.dropFirst(3) }
        found.append((first + 1, lines(rows.joined(separator: "\n"))))
        begin = nil
      } else if begin == nil, comment == "```swift" {
        begin = number
      }
    }
    return found
  }

  /// Whether some lines contain a block, line by line.
  static func stands(_ block: [String], in lines: [String]) -> Bool {
    guard let first = block.first, block.count <= lines.count else { return false }
    return lines.indices.dropLast(block.count - 1).contains { start in
      lines[start] == first && lines[start..<start + block.count].elementsEqual(block)
    }
  }

  @Test func `the examples of comments are compiled by tests`() throws {
    let folder = HouseTests.root.appendingPathComponent("Tests")
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    let tests = try paths.filter { $0.hasSuffix("Tests.swift") || $0.hasSuffix("Models.swift") }.map { path in
      Self.lines(try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8))
    }
    var count = 0
    for source in HouseTests.sources where HouseTests.doors.contains(source.floor) {
      for (line, lines) in Self.blocks(source.lines) {
        count += 1
        #expect(
          tests.contains { Self.stands(lines, in: $0) },
          "\(source.path):\(line): no test has this example\n\(lines.joined(separator: "\n"))")
      }
    }
    #expect(count > 50, "only \(count) examples were found")
  }

  @Test func `each declaration with which programs begin has an example`() {
    var shown: Set<String> = []
    for source in HouseTests.sources where HouseTests.doors.contains(source.floor) {
      let blocks = Self.blocks(source.lines)
      if blocks.isEmpty { continue }
      let found = PublicDeclarations(source.text).found
      for (line, _) in blocks {
        // The declaration after the comment.
        if let next = found.filter({ $0.line > line }).min(by: { $0.line < $1.line }) {
          shown.insert(next.path.joined(separator: "."))
        }
      }
    }
    for way in Self.waysIn.subtracting(shown).sorted() { Issue.record("\(way) has no example in its comment") }
  }

  @Test func `examples are found in comments`() {
    let text = """
      /// One.
      /// ```swift
      /// let a = 1
      ///
      ///   let b = 2
      /// ```
      /// ```
      /// no code
      /// ```
        /// ```swift
        /// let c = 3
        func d() {}
      """
    let blocks = Self.blocks(text.split(separator: "\n", omittingEmptySubsequences: false))
    #expect(blocks.map(\.lines) == [["let a = 1", "let b = 2"]] && blocks.map(\.line) == [2])
    #expect(Self.stands(["a", "b"], in: ["x", "a", "b"]))
    #expect(!Self.stands(["a", "b"], in: ["a", "x", "b"]))
    #expect(!Self.stands([], in: ["a"]))
  }
}
