import Foundation
import Roost
import RoostFile
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

@Model private final class Sighting {
  var bird: String
  var count: Int
  var weight: Double?
  var isRare: Bool
  var seenAt: Date
  var ring: UUID?
  var postalCode: String
  init() { (bird, count, isRare, seenAt, postalCode) = ("", 0, false, .now, "") }
}

/// `import --create`.
@Suite struct ImportCreationTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("birds.roost")
  }

  private func file(_ name: String, _ text: String) throws -> String {
    let path = folder.file(name)
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  @Test func `an import without a store names the option that makes one`() throws {
    let found = Transcript.of("import", path, "Sighting", try file("a.csv", "bird\nwren\n"))
    #expect(found.ending == .failed && found.errors.contains("add '--create' to make it"), "\(found)")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  private let table = """
    Bird,COUNT,weight,is rare,Seen At,ring,postal-code
    wren,3,8.5,true,2026-05-01T10:00:00Z,,01234
    "great, tit",1,,false,2026-05-02,A0A0A0A0-0000-4000-8000-000000000001,99999

    """

  private let text = """
    @Model final class Sighting {
      var bird: String
      var count: Int
      var weight: Double?
      var isRare: Bool
      var seenAt: Date
      var ring: UUID?
      var postalCode: String
    """

  @Test func `types are inferred, shown, and read by the program`() throws {
    let birds = try file("birds.csv", table)
    let dry = Transcript.of("import", path, "Sighting", birds, "--create", "--dry-run")
    #expect(dry.ending == .good && dry.output.hasPrefix(text), "\(dry)")
    #expect(dry.output.hasSuffix("Not done: Make Sighting in the new store \(path), and import 2 records\n"))
    #expect(!FileManager.default.fileExists(atPath: path))
    let refused = Transcript.of("import", path, "Sighting", birds, "--create")
    #expect(refused.ending == .usage && refused.errors.contains("add '--yes'"))
    #expect(refused.errors.split(separator: "\n").count == 1, "\(refused)")
    let made = Transcript.of("import", path, "Sighting", birds, "--create", "--yes")
    #expect(made.ending == .good && made.output.contains("2 records into Sighting"), "\(made)")
    let container = try ModelContainer(
      for: Sighting.self, configurations: ModelConfiguration(url: URL(filePath: path)))
    let found = try ModelContext(container).fetch(FetchDescriptor<Sighting>(sortBy: [SortDescriptor(\.bird)]))
    #expect(found.map(\.bird) == ["great, tit", "wren"] && found.map(\.weight) == [nil, 8.5])
    #expect(found[0].ring != nil && found[1].postalCode == "01234" && found[1].isRare)
    try container.close()
    let again = Transcript.of("import", path, "Sighting", birds, "--create", "--yes")
    #expect(again.ending == .failed && again.errors.contains("has 'Sighting' already"), "\(again)")
    let second = Transcript.of("import", path, "Other", birds, "--create", "--yes", "--rename", "ring=", "--json")
    #expect(second.ending == .good && second.output.contains("\"inserted\" : 2"), "\(second)")
    #expect(Transcript.of("query", path, "Other", "--count").output == "2\n")
  }

  @Test func `values of two types in one column are refused before anything is made`() throws {
    let lines = try file("mixed.jsonl", #"{"code": 5}"# + "\n" + #"{"code": "a5"}"# + "\n")
    let found = Transcript.of("import", path, "Sighting", lines, "--create", "--yes")
    #expect(found.ending == .failed, "\(found)")
    #expect(found.errors.contains("'code' holds a text here and a number in an earlier record"), "\(found)")
    #expect(!FileManager.default.fileExists(atPath: path))
    let without = Transcript.of("import", path, "Sighting", lines, "--create", "--dry-run", "--rename", "code=")
    #expect(!without.errors.contains("holds a text"), "\(without)")
  }

  @Test func `an import that fails leaves the store as it was`() throws {
    let birds = try file("birds.csv", table)
    #expect(Transcript.of("import", path, "Sighting", birds, "--create", "--yes").ending == .good)
    let broken = try file("broken.csv", "name\n" + String(repeating: "wren\n", count: 3_000) + "\"never closed\n")
    let before = Transcript.of("schema", path).output
    let found = Transcript.of("import", path, "Nest", broken, "--create", "--yes")
    #expect(found.ending == .failed, "\(found)")
    #expect(Transcript.of("schema", path).output == before)
    #expect(Transcript.of("query", path, "Sighting", "--count").output == "2\n")
    #expect(Transcript.of("verify", path).ending == .good)
    // A class that was there is not removed.
    let again = Transcript.of("import", path, "Sighting", broken, "--create", "--yes")
    #expect(again.ending == .failed && Transcript.of("query", path, "Sighting", "--count").output == "2\n", "\(again)")
  }

  @Test func `objects on lines`() throws {
    let lines = try file(
      "birds.jsonl",
      """
      {"bird": "wren", "count": 3, "zip": "01234", "number": "12", "ok": true, "seen": "2026-05-01"}
      {"bird": null, "count": 2.5, "zip": "x", "number": "13", "seen": "2026-05-02T00:00:00Z", "class": 9223372036854775808}

      """)
    let made = Transcript.of("import", path, "Sighting", lines, "--create", "--yes")
    #expect(made.ending == .good, "\(made)")
    for line in [
      "var bird: String?", "var count: Double", "var number: String", "var ok: Bool?", "var seen: Date",
      "var `class`: Decimal?",
    ] {
      #expect(made.output.contains("  \(line)\n"), "\(line) \(made)")
    }
  }

  @Test func `the tool asks for confirmation`() throws {
    let birds = try file("birds.csv", table)
    for (answer, ending) in [("no", Ending.failed), ("yes", .good)] {
      var shown = ""
      let console = Console(
        isTerminal: true, hasColours: false, answer: { answer }, sink: { _, text in shown += text })
      #expect(Command.run(["import", path, "Sighting", birds, "--create"], on: console) == ending, "\(shown)")
      #expect(shown.contains("import 2 records? [y/N]"))
      #expect(FileManager.default.fileExists(atPath: path) == (ending == .good))
    }
  }

  @Test(arguments: [
    (["--create", "--dry-run"], "a\n\"b\n", "no columns", false), (["--yes"], "a\n1\n", "belongs to '--create'", true),
    (["--create", "--yes"], "a,a\n1,2\n", "two columns have this name", false),
    (["--create", "--yes", "--rename", "a=persistentModelID"], "a\n1\n", "cannot be the name of a property", true),
    (["--create", "--yes", "--resume", "x"], "a\n1\n", "leave one out", true),
  ])
  func `a store that cannot be made is an error`(options: [String], text: String, words: String, isUsage: Bool) throws {
    let birds = try file("bad.csv", text)
    let found = Transcript.run(["import", path, "Sighting", birds] + options)
    if options.contains("--dry-run") {
      // A table with only one record, a bad one, still has its columns.
      #expect(found.ending == .good && found.output.contains("var a: String\n"), "\(found)")
    } else {
      #expect(found.ending == (isUsage ? .usage : .failed) && found.errors.contains(words), "\(found)")
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a failed import leaves no new store`() throws {
    let birds = try file("bad.csv", "a,b\n1,2\n3\n")
    let found = Transcript.of("import", path, "Sighting", birds, "--create", "--yes")
    #expect(found.ending == .failed && found.errors.contains("line 3"), "\(found)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["bad.csv"])
    let nested = try file("nested.jsonl", "{\"a\": [1]}\n")
    let list = Transcript.of("import", path, "Sighting", nested, "--create", "--yes")
    #expect(list.ending == .failed && list.errors.contains("--rename 'a='"), "\(list)")
    #expect(Transcript.of("import", path, "9 lives", birds, "--create", "--yes").ending == .usage)
    #expect(Transcript.of("import", path, "Sighting", "-", "--format", "csv", "--create").errors.contains("twice"))
  }

  @Test(arguments: [
    ("Release Date", "releaseDate"), ("ID", "id"), ("URL of page", "urlOfPage"), ("2nd", "column2nd"), ("§", "column"),
    ("isDeleted", "isDeletedValue"), ("größe", "größe"), ("a.b", "aB"),
  ])
  func `names of columns become names of properties`(column: String, name: String) {
    #expect(ImportCreation.property(column) == name)
  }
}
