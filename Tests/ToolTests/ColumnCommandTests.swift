import Foundation
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

/// Columns and sort keys that are paths or computed values, for `query` and `export`.
@Suite struct ColumnCommandTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("music.roost")
    _ = try RowsFixture.make(path, tracks: 20)
  }

  @Test func `a path follows references`() {
    let table = Transcript.of(
      "query", path, "Track", "id <= 2", "--columns", "id,album.title,album.year,album", "--sort", "album.title,-id")
    #expect(
      table.output == """
        id  album.title  album.year  album
         2  Blue               1971  Blue
         1  Hejira             1971  Hejira

        """, "\(table)")
  }

  @Test(arguments: [
    ("csv", "name,minutes,tags.count\nTRACK 2,4,1\n"),
    ("jsonl", "{\"name\": \"TRACK 2\", \"minutes\": 4, \"tags.count\": 1}\n"),
    ("json", "[\n{\"name\": \"TRACK 2\", \"minutes\": 4, \"tags.count\": 1}\n]\n"),
  ])
  func `values are computed, in every format`(format: String, text: String) {
    let columns = "name = title.uppercased(), minutes = plays * 2, tags.count"
    for command in ["query", "export"] {
      let found = Transcript.of(command, path, "Track", "id == 2", "--columns", columns, "--format", format)
      #expect(found.output == text, "\(command) \(found)")
      #expect(Transcript.of(command, path, "Track", "id == 2", "--select", columns, "--format", format).output == text)
    }
  }

  @Test func `computed columns are members of the object, beside structs`() {
    let found = Transcript.of(
      "query", path, "Track", "id == 1", "--columns", "place,album.title,place.city,rating ?? 0.0,words", "--format",
      "jsonl")
    #expect(
      found.output
        == "{\"place\": null, \"album.title\": \"Hejira\", \"rating ?? 0.0\": 0.5, \"words\": [\"a\"]}\n", "\(found)")
  }

  @Test func `commas in brackets and quotes belong to the value`() {
    let found = Transcript.of(
      "query", path, "Track", "id == 3", "--columns", "title == \"a,b\",[1,2].contains(id),`id`", "--format", "csv")
    #expect(found.output == "\"title == \"\"a,b\"\"\",\"[1,2].contains(id)\",`id`\nfalse,false,3\n", "\(found)")
  }

  @Test func `a wrong column and a wrong sort key give the same error`() {
    for option in ["--columns", "--sort"] {
      for (text, words) in [
        ("titel", "Track has no 'titel'. Did you mean 'title'? It has "),
        ("album.tilte", "Album has no 'tilte'. Did you mean 'title'? It has "),
        ("id +", "something is missing after '+'"), ("album.tracks.title", "this is a list of Track"),
      ] {
        let found = Transcript.of("query", path, "Track", option, text)
        #expect(found.ending == .usage && found.output == "" && found.errors.contains(words), "\(option) \(found)")
      }
    }
    let set = Transcript.of("set", path, "Track", "titel = \"x\"", "--all", "--dry-run")
    #expect(set.errors.contains("Track has no field 'titel'. Did you mean 'title'? It has "), "\(set)")
    #expect(Transcript.of("query", path, "Track", "title.lowercase() == \"a\"").errors.contains("'lowercased'?"))
    let list = Transcript.of("query", path, "Track", "--columns", "id,album.tracks")
    #expect(
      list.ending == .usage && list.errors.contains("this is a list of Track: write album.tracks.count"), "\(list)")
    #expect(
      Transcript.of("query", path, "Album", "--columns", "tracks.count", "--format", "csv").output
        == "tracks.count\n10\n10\n")
    let both = Transcript.of("query", path, "Track", "--columns", "id", "--select", "id")
    #expect(both.ending == .usage && both.errors.contains("leave one out"))
    #expect(Transcript.of("export", path, "Track", "--columns", "nothing").ending == .usage)
    #expect(Transcript.of("query", path, "Track", "--columns", ",").ending == .usage)
  }

  @Test(arguments: [
    ("id > 1 and id < 3", "write &&"), ("id > 1 AND id < 3", "write &&"), ("id == 1 or id == 2", "write ||"),
    ("title LIKE \"x\"", "write name.contains(\"text\")"), ("title = \"x\"", "write == to compare"),
    ("id <> 1", "write !="), ("id in (1, 2)", "contains(number)"), ("not id == 1", "write !"),
  ])
  func `an error about words of other languages shows Swift's spelling`(condition: String, words: String) {
    let found = Transcript.of("query", path, "Track", condition)
    #expect(found.ending == .usage && found.output == "" && found.errors.contains(words), "\(found)")
  }

  @Test func `dates are printed as dates`() throws {
    let path = folder.file("days.roost")
    let store = try RecordStore(path)
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Day") { (entity) throws(RecordFault) in try entity.add("day", .date) }
      }
      try writer.table("Day").insert(["day": .date(86_400.5)])
    }
    try store.close()
    let text = "2001-01-02T00:00:00.5Z"
    for words in [
      ["query", path, "Day"], ["query", path, "Day", "--json"], ["query", path, "Day", "--columns", "later = day"],
      ["query", path, "Day", "--max", "day"], ["query", path, "Day", "--group-by", "day", "--json"],
      ["get", path, "Day", "#1"], ["get", path, "Day", "#1", "--json"], ["export", path, "Day"],
      ["query", path, "Day", "day == date(\"\(text)\")"],
    ] { #expect(Transcript.run(words).output.contains(text), "\(words)") }
  }

  @Test func `a value that cannot be computed for a row ends the query`() {
    let found = Transcript.of("query", path, "Track", "--columns", "100 / plays")
    #expect(found.ending == .failed && found.errors.contains("Error:"), "\(found)")
  }
}
