import Foundation
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

/// `set`, `insert`, `delete`.
@Suite struct WriteCommandTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("music.roost")
    _ = try RowsFixture.make(path, tracks: 10)
  }

  private func rows(_ condition: String, _ columns: String) -> String {
    Transcript.of("query", path, "Track", condition, "--columns", columns, "--format", "csv", "--sort", "id").output
  }

  @Test func `set changes the rows of a condition, and the history names the program`() {
    let done = Transcript.of(
      "set", path, "Track", "plays = plays * 2 + 1, rating = nil, album = #2, title = \"é\"", "id <= 2", "--yes")
    #expect(done.ending == .good && done.output == "Done: Change 2 rows of Track\n", "\(done)")
    #expect(
      rows("id <= 3", "id,plays,rating,album,title") == """
        id,plays,rating,album,title
        1,3,,Hejira,é
        2,5,,Hejira,é
        3,3,,Hejira,Track 3

        """)
    #expect(Transcript.of("history", path).output.contains("roost"))
    #expect(Transcript.of("verify", path).ending == .good)
    let all = Transcript.of("set", path, "Track", "plays = 0", "--all", "--yes", "--author", "me", "--json")
    #expect(all.output.contains("\"changed\" : 10") && all.output.contains("\"isDone\" : true"), "\(all)")
    #expect(Transcript.of("history", path).output.contains("me"))
    #expect(Transcript.of("query", path, "Track", "plays == 0", "--count").output == "10\n")
  }

  @Test func `insert gives the number of the row`() {
    let done = Transcript.of("insert", path, "Track", "id = 77, title = \"new\", album = #1, words = [\"a\"]", "--yes")
    #expect(done.output == "Done: Insert #11 into Track\n", "\(done)")
    // Fields without a value have their defaults.
    #expect(
      rows("id == 77", "#,plays,rating,album,words") == "#,plays,rating,album,words\n#11,7,,Blue,\"[\"\"a\"\"]\"\n")
    let lacking = Transcript.of("insert", path, "Track", "id = 78", "--yes")
    #expect(lacking.ending == .usage && lacking.errors.contains("'title' has no default"), "\(lacking)")
    let twice = Transcript.of("insert", path, "Track", "id = 77, title = \"again\"", "--yes")
    #expect(twice.ending == .failed && twice.errors.contains("unique"), "\(twice)")
    #expect(Transcript.of("query", path, "Track", "--count").output == "11\n")
  }

  @Test func `delete follows the rules`() {
    let done = Transcript.of("delete", path, "Album", "title == \"Blue\"", "--yes")
    #expect(
      done.output == "Done: Delete 1 row of Album; 5 references become nil\n", "\(done)")
    #expect(Transcript.of("query", path, "Track", "album == nil", "--count").output == "5\n")
    let json = Transcript.of("delete", path, "Track", "id > 8", "--yes", "--json")
    #expect(json.output.contains("\"deleted\" : 2") && json.output.contains("\"Track\" : 2"), "\(json)")
    #expect(Transcript.of("verify", path).ending == .good)
  }

  @Test func `it asks, and does nothing without a confirmation`() throws {
    let before = rows("true", "#,id,plays")
    for words in [
      ["set", path, "Track", "plays = 0", "--all"], ["insert", path, "Track", "id = 99, title = \"x\""],
      ["delete", path, "Track", "--all"],
    ] {
      let silent = Transcript.run(words)
      #expect(silent.ending == .usage && silent.errors.contains("--yes"), "\(silent)")
      let tried = Transcript.run(words + ["--dry-run"])
      #expect(tried.ending == .good && tried.output.hasPrefix("Not done: "), "\(tried)")
      for (answer, ending) in [("n", Ending.failed), ("", .failed), ("y", .good)] {
        let copy = folder.file("copy \(words[0]) \(answer).roost")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        var asked = ""
        let console = Console(isTerminal: true, hasColours: false, answer: { answer }) { asked += $1 }
        #expect(Command.run([words[0], copy] + words[2...], on: console) == ending, "\(words) \(answer)")
        #expect(asked.contains("? [y/N] "), "\(asked)")
        let count = Transcript.of("query", copy, "Track", "plays == 0 || id == 99", "--count").output
        let expected = ["set": "10\n", "insert": "2\n", "delete": "0\n"]
        #expect(count == (ending == .good ? expected[words[0]] : "1\n"), "\(words) \(answer)")
      }
    }
    #expect(rows("true", "#,id,plays") == before)
  }

  @Test func `wrong arguments change nothing`() {
    let before = rows("true", "#,id,plays,title")
    for (words, part) in [
      (["set", path, "Track", "plays == 3", "--all"], "'=' is expected"),
      (["set", path, "Track", "plays = \"x\"", "--all"], "Int"),
      (["set", path, "Track", "plays = nil", "--all"], "'plays' is"),
      (["set", path, "Track", "plays = 1, plays = 2", "--all"], "twice"),
      (["set", path, "Track", "tags = []", "--all"], "relationship to many"),
      (["set", path, "Track", "titel = \"x\"", "--all"], "no field 'titel'"),
      (["set", path, "Track", "place = 1", "--all"], "struct"),
      (["set", path, "Track", "place.city = \"x\"", "--all"], "may be nil"),
      (["set", path, "Track", "plays = 1"], "--all"),
      (["set", path, "Track", "plays = 1", "id == 1", "--all"], "contradict"),
      (["set", path, "Track", "plays = 1", "id = 1"], "write == to compare"),
      (["insert", path, "Track", "id = plays, title = \"x\""], "computed"),
      (["delete", path, "Track"], "--all"),
      (["set", path, "Trakc", "plays = 1", "--all"], "Did you mean 'Track'"),
    ] {
      let found = Transcript.run(words + ["--yes"])
      #expect(found.ending != .good && found.output == "" && found.errors.contains(part), "\(words) \(found)")
    }
    // An error in one row leaves all rows unchanged.
    let overflow = Transcript.of("set", path, "Track", "plays = plays + 9223372036854775800", "--all", "--yes")
    #expect(overflow.ending == .failed, "\(overflow)")
    let twins = Transcript.of("set", path, "Track", "id = 5", "id < 3", "--yes")
    #expect(twins.ending == .failed && twins.errors.contains("unique"), "\(twins)")
    #expect(rows("true", "#,id,plays,title") == before)
    #expect(Transcript.of("set", folder.file("none.roost"), "Track", "plays = 1", "--all", "--yes").ending == .failed)
  }
}
