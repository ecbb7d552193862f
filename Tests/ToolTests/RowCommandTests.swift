import Foundation
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

/// `query`, `get`, `explain`, `schema`, `stats`.
@Suite struct RowCommandTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("music.roost")
    _ = try RowsFixture.make(path, tracks: 20)
  }

  private func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
  }

  // MARK: Query

  @Test func `a table has a line for each row`() throws {
    let found = Transcript.of(
      "query", path, "Track", "id <= 3 || title == \"Track 12\"", "--sort", "-id", "--columns", "#,title,rating,album")
    #expect(found.ending == .good, "\(found)")
    #expect(
      found.output
        == """
        #    title     rating  album
        #12  Track 12     nil  Blue
         #3  Track 3      nil  Hejira
         #2  Track 2      1.0  Blue
         #1  Track 1      0.5  Hejira

        """.replacingOccurrences(of: "#    title", with: "  #  title"), "\(found.output)")
    #expect(found.errors == "")
  }

  @Test func `every format, with limits and columns`() throws {
    let lines = Transcript.of(
      "query", path, "Track", "--sort", "id", "--offset", "1", "--limit", "2", "--columns", "id,title", "--format",
      "jsonl")
    #expect(lines.output == "{\"id\": 2, \"title\": \"Track 2\"}\n{\"id\": 3, \"title\": \"Track 3\"}\n", "\(lines)")
    let table = Transcript.of("query", path, "Album", "--columns", "year,title", "--format", "csv", "--sort", "title")
    #expect(table.output == "year,title\n1971,Blue\n1971,Hejira\n")
    let json = Transcript.of("query", path, "Tag", "--json", "--sort", "-name")
    let found = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]])
    #expect(found.map { $0["name"] as? String } == ["jazz", "folk"])
    #expect(Transcript.of("query", path, "Track", "plays > 7", "--count").output == "4\n")
    #expect(Transcript.of("query", path, "Track", "--count", "--json").output == "{\"count\":20}\n")
    #expect(Transcript.of("query", path, "Track", "--limit", "0").output.split(separator: "\n").count == 1)
  }

  @Test func `an error in a condition is marked at its place`() throws {
    let found = Transcript.of("query", path, "Track", "titel == \"x\"")
    #expect(found.ending == .usage)
    #expect(found.output == "")
    #expect(found.errors.hasPrefix("Error: Track has no 'titel'. Did you mean 'title'? It has "), "\(found.errors)")
    #expect(found.errors.contains("\n  titel == \"x\"\n  ^\n"))
    #expect(found.errors.contains("See 'roost help E0801'"))
    for condition in ["id ==", "id == \"a\" \"b\"", "'", "id = 1", "album == 1", String(repeating: "(", count: 900)] {
      let bad = Transcript.of("query", path, "Track", condition)
      #expect(bad.ending == .usage && bad.output == "", "\(condition)")
    }
    for (words, ending) in [
      (["--sort", "nothing"], Ending.usage), (["--columns", "nothing"], .usage), (["--columns", "id,"], .good),
    ] {
      let found = Transcript.run(["query", path, "Track"] + words)
      #expect(found.ending == ending, "\(words) \(found)")
    }
    for (words, wanted) in [
      (["id", "desc"], "write '--sort -id'"), (["id desc"], "write -id"), (["id", "ASC"], "leave it out"),
    ] {
      let found = Transcript.run(["query", path, "Track", "--sort"] + words)
      #expect(found.ending == .usage && found.errors.contains(wanted), "\(words) \(found)")
    }
    let wrong = Transcript.of("query", path, "Trakc")
    #expect(wrong.errors.contains("the store has no 'Trakc'. Did you mean 'Track'"), "\(wrong.errors)")
    #expect(Transcript.of("query", path, "Track", "--limit", "-1").ending == .usage)
    #expect(Transcript.of("query", path, "Track", "--format", "jsno").errors.contains("Did you mean 'json'?"))
  }

  /// A title that moves the cursor, reverses the direction of writing and rings the bell must be
  /// shown, but not executed.
  @Test func `nothing in a store can break a terminal`() throws {
    let bad = "a\u{1B}[2J\u{7}\u{9B}31m\r\n\u{202E}b\u{2066}"
    let store = try RecordStore(path)
    try store.write { writer in
      _ = try writer.table("Album").insert(["title": .string(bad)])
      _ = try writer.table("Album").insert(["title": .string("日本語のアルバム 🎵🇯🇵 e\u{301}")])
      _ = try writer.table("Album").insert(["title": .string(String(repeating: "long ", count: 100))])
    }
    try store.close()
    for words in [
      ["query", path, "Album"], ["query", path, "Album", "--format", "csv"], ["query", path, "Album", "--json"],
      ["query", path, "Album", "--format", "jsonl"], ["get", path, "Album", "#3"],
      ["get", path, "Album", "#3", "--json"],
      ["history", path, "--json"], ["export", path, "Album"],
    ] {
      var output = ""
      let console = Console(isTerminal: true, hasColours: false, width: 60) { _, text in output += text }
      #expect(Command.run(words, on: console) == .good)
      let unsafe = output.unicodeScalars.filter { SafeText.isUnsafe($0) && $0 != "\n" }
      #expect(unsafe.isEmpty, "\(words) \(unsafe.map(\.value))")
    }
    let table = Transcript.onTerminal("query", path, "Album", "--sort", "title")
    let lines = table.output.split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { TextWidth.columns($0) <= 60 }, "\(table.output)")
    #expect(lines.contains { $0.contains("…") })
    #expect(lines.last == "5 rows")
    // In a pipe the bytes are the store's own.
    #expect(Transcript.of("query", path, "Album", "title.hasPrefix(\"a\")", "--format", "csv").output.contains(bad))
  }

  @Test func `widths of characters`() {
    #expect(TextWidth.columns("abc") == 3)
    #expect(TextWidth.columns("日本") == 4)
    #expect(TextWidth.columns("e\u{301}") == 1)
    #expect(TextWidth.columns("🎵") == 2)
    #expect(TextWidth.columns("👨‍👩‍👧") == 2)
    #expect(TextWidth.columns("한글") == 4)
    #expect(TextWidth.fit("日本語", 5) == "日本…")
    #expect(TextWidth.fit("日本語", 4) == "日… ")
    #expect(TextWidth.fit("7", 3, fromEnd: true) == "  7")
  }

  // MARK: Get

  @Test func `one row is shown with the rows that it references`() throws {
    let found = Transcript.of("get", path, "Track", "2")
    #expect(found.ending == .good, "\(found)")
    for line in ["Track #2", "title       Track 2", "album → Album Blue (#1)", "tags → 1 of Tag: folk"] {
      #expect(found.output.contains(line), "\(found.output)")
    }
    #expect(Transcript.of("get", path, "Track", "#2").output == found.output)
    let album = Transcript.of("get", path, "Album", "Blue", "--by", "title", "--most", "3")
    #expect(album.output.contains("tracks → 10 of Track: 2, 4, 6, and 7 more"), "\(album.output)")
    let json = try object(Transcript.of("get", path, "Album", "Blue", "--json", "--most", "1").output)
    #expect(json["row"] as? Int == 1)
    #expect((json["fields"] as? [String: Any])?["title"] as? String == "Blue")
    let tracks = (json["relationships"] as? [String: [String: Any]])?["tracks"]
    #expect(tracks?["count"] as? Int == 10 && tracks?["keys"] as? [String] == ["2"])
  }

  @Test func `a missing row, and a wrong name for a row`() {
    for key in ["99", "#99", "#0"] {
      let found = Transcript.of("get", path, "Track", key)
      #expect(found.ending == .failed)
      #expect(found.errors == "Error: there is no Track '\(key)'.\n")
    }
    #expect(Transcript.of("get", path, "Track", "abc").errors.hasPrefix("Error: wrongType: "))
    #expect(Transcript.of("get", path, "Track", "1", "--by", "title").errors.contains("it has 'id'"))
  }

  @Test(arguments: [
    ("album?.tracks.contains { $0.id == 3 } == true", 10), ("album?.tracks.contains { $0.id == 3 }", 10),
    ("!(album?.tracks.contains { $0.id == 3 })", 11), ("album?.tracks.contains { $0.id == 3 } == false", 10),
    ("album?.tracks.isEmpty == false", 20), ("album?.tracks.isEmpty == nil", 1), ("album?.tracks.isEmpty != false", 1),
    ("album?.tracks.count == 10", 20),
    ("album?.tracks.count == nil", 1), ("album?.tracks.isEmpty", 0), ("album?.tracks.first?.id == 1", 10),
    ("album?.tracks.allSatisfy { $0.id % 2 == 1 }", 10), ("album?.tracks.filter { $0.id < 5 }.count == 2", 20),
    ("album?.tracks.contains { $0.album?.tracks.contains { $0.id == 2 } == true }", 10),
  ])
  func `a list after a question mark`(_ condition: String, _ count: Int) throws {
    let store = try RecordStore(path)
    try store.write {
      _ = try $0.table("Track").insert(["id": .int(21), "title": .string("alone"), "words": .array([])])
    }
    try store.close()
    let found = Transcript.of("query", path, "Track", condition, "--count")
    #expect(found.output == "\(count)\n", "\(found)")
  }

  // MARK: Explain, schema, stats

  @Test func `a plan is shown with the number of rows that it read`() throws {
    let found = Transcript.of("explain", path, "Track", "plays == 3 && title != \"x\"")
    #expect(found.output.contains("index by plays (plays): 1 range"), "\(found.output)")
    #expect(found.output.contains("Track: 2 rows found, "))
    let json = try object(Transcript.of("explain", path, "Track", "title == \"Track 3\"", "--json").output)
    #expect(json["rowsRead"] as? Int == 20 && json["rowsFound"] as? Int == 1)
    #expect(json["missingIndex"] == nil)
    let planned = try object(Transcript.of("explain", path, "Track", "--plan-only", "--json").output)
    #expect(planned["rowsRead"] == nil && planned["plan"] != nil)
  }

  @Test func `an index is proposed if it would avoid nine of ten rows of many`() throws {
    let large = folder.file("large.roost")
    _ = try RowsFixture.make(large, tracks: 200)
    let json = try object(Transcript.of("explain", large, "Track", "title == \"Track 3\"", "--json").output)
    let missing = try #require(json["missingIndex"] as? [String: Any])
    #expect(missing["fields"] as? [String] == ["title"] && missing["reads"] as? Int == 1)
    for more in [[], ["--plan-only"]] {
      let text = Transcript.run(["explain", large, "Track", "title == \"Track 3\""] + more).output
      #expect(text.contains("it would read less with #Index<Track>([\\.title])"), "\(text)")
    }
    let few = Transcript.of("explain", large, "Track", "title != \"Track 3\"").output
    #expect(!few.contains("it would read less"), "\(few)")
  }

  /// Before the fix it did not count the rows whose order it followed.
  @Test func `the rows of a referenced entity are counted`() throws {
    // Both albums are read for their keys, and again in their order.
    let words = ["explain", path, "Track", "--sort", "album.year", "--limit", "3"]
    let json = try object(Transcript.run(words + ["--json"]).output)
    #expect(json["rowsRead"] as? Int == 2 + 2 + 3 && json["rowsFound"] as? Int == 3, "\(json)")
  }

  @Test func `models are declared as Swift would`() throws {
    let found = Transcript.of("schema", path)
    #expect(
      found.output == #"""
        @Model final class Album {
          @Attribute(.unique) var title: String
          var year: Int16?
          @Relationship(inverse: \Track.album) var tracks: [Track] = []

          init(title: String) {
            self.title = title
          }
        }

        @Model final class Tag {
          @Attribute(.unique) var name: String
          var tracks: [Track] = []

          init(name: String) {
            self.name = name
          }
        }

        @Model final class Track {
          #Index<Track>([\.plays])
          @Attribute(.unique) var id: Int
          @Attribute(.preserveValueOnDeletion) var title: String
          var rating: Double?
          var plays: Int = 7
          var place: Place?
          var words: [String] = []
          var album: Album?
          @Relationship(inverse: \Tag.tracks) var tags: [Tag] = []

          init(id: Int, title: String) {
            self.id = id
            self.title = title
          }

          struct Place: Codable {
            var city: String
          }
        }

        """#, "\(found.output)")
    let json = try object(Transcript.of("schema", path, "--json").output)
    let entities = try #require(json["entities"] as? [[String: Any]])
    #expect(entities.map { $0["name"] as? String } == ["Album", "Tag", "Track"])
    #expect((entities[2]["relationships"] as? [[String: Any]])?.count == 2)
  }

  @Test func `pages are shown as a chart and a table`() throws {
    let found = Transcript.of("stats", path)
    #expect(found.ending == .good, "\(found)")
    for word in [
      "█", "rows: ", "indexes and links: ", "history: ", "Track, index by id", "Track, links tags",
      "each mark is 1 page",
    ] {
      #expect(found.output.contains(word), "\(found.output)")
    }
    let json = try object(Transcript.of("stats", path, "--json").output)
    let kinds = try #require(json["pagesByKind"] as? [String: Int])
    let size = try Data(contentsOf: URL(fileURLWithPath: path)).count / 4096
    #expect(kinds.values.reduce(0, +) == size && json["pages"] as? Int == size)
    #expect(json["freePages"] as? Int == kinds["free"] ?? 0)
  }

  @Test func `a key-value store has no rows, and the error says so`() throws {
    let keys = folder.file("keys.roost")
    try makeKeys(keys)
    for words in [["query", keys, "Track"], ["schema", keys], ["history", keys], ["get", keys, "A", "1"]] {
      let found = Transcript.run(words)
      #expect(found.ending == .failed)
      #expect(found.errors.contains("holds trees of keys and values"), "\(found.errors)")
    }
    #expect(Transcript.of("stats", keys).output.contains("names"))
  }
}
