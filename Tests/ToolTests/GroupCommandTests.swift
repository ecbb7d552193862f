import Foundation
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

/// `query --group-by`, sums, and conditions on groups.
@Suite struct GroupCommandTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("music.roost")
    _ = try RowsFixture.make(path, tracks: 20)
  }

  private func csv(_ words: String...) -> String {
    let found = Transcript.run(["query", path, "Track", "--format", "csv"] + words)
    return found.ending == .good ? found.output : found.errors
  }

  @Test func `groups have keys and measures`() {
    let table = Transcript.of(
      "query", path, "Track", "--group-by", "album", "--count", "--sum", "plays", "--average", "plays", "--min",
      "title",
      "--max", "rating")
    #expect(
      table.output == """
        album   count  sum(plays)  average(plays)  min(title)  max(rating)
        Blue       10          40             4.0  Track 10           10.0
        Hejira     10          50             5.0  Track 1             9.5

        """, "\(table)")
    #expect(csv("--group-by", "album.title") == "album.title,count\nBlue,10\nHejira,10\n")
    #expect(csv("--group-by", "album.title", "--columns", "album.title") == "album.title\nBlue\nHejira\n")
    #expect(
      csv("--group-by", "plays > 4,album", "--count")
        == "plays > 4,album,count\nfalse,Blue,6\nfalse,Hejira,4\ntrue,Blue,4\ntrue,Hejira,6\n")
  }

  @Test func `without keys all rows are one group`() {
    #expect(csv("--sum", "plays,id", "--count") == "count,sum(plays),sum(id)\n20,90,210\n")
    #expect(
      csv("id > 100", "--sum", "plays", "--average", "plays", "--max", "title")
        == "sum(plays),average(plays),max(title)\n0,,\n")
    #expect(
      csv("--average", "rating", "--columns", "count(rating), count")
        == "count(rating),count,average(rating)\n14,20,5.25\n")
    #expect(csv("id > 100", "--group-by", "album") == "album,count\n")
  }

  @Test func `groups are chosen, sorted and limited`() {
    #expect(
      csv("--group-by", "plays", "--having", "count > 1 && sum(id) > 27", "--sort", "-sum(id)", "--limit", "2")
        == "plays,count\n0,2\n9,2\n")
    #expect(csv("--group-by", "plays", "--sort", "-plays", "--offset", "8") == "plays,count\n1,2\n0,2\n")
    #expect(
      csv("--group-by", "third = id % 3", "--sum", "total = plays", "--sort", "total,third")
        == "third,total\n2,27\n1,30\n0,33\n")
    #expect(
      csv(
        "--group-by", "third = id % 3", "--columns", "third + 1, mean = sum(plays) / count", "--having",
        "average(plays) > 4.5")
        == "third + 1,mean\n1,5\n")
    #expect(
      csv("--group-by", "rating == nil", "--min", "rating", "--sort", "-min(rating)")
        == "rating == nil,min(rating)\nfalse,0.5\ntrue,\n")
  }

  @Test func `groups as JSON`() {
    let words = ["query", path, "Track", "--group-by", "album.title", "--sum", "plays"]
    #expect(
      Transcript.run(words + ["--json"]).output == """
        [
        {"album.title": "Blue", "sum(plays)": 40},
        {"album.title": "Hejira", "sum(plays)": 50}
        ]

        """)
    #expect(
      Transcript.run(words + ["--format", "jsonl", "--limit", "1"]).output
        == "{\"album.title\": \"Blue\", \"sum(plays)\": 40}\n")
  }

  @Test func `the plan is printed`() {
    let found = Transcript.of("query", path, "Track", "plays > 7", "--group-by", "album", "--explain")
    #expect(
      found.output.hasPrefix("groups by album: 2 groups\n") && found.output.contains("index by plays"), "\(found)")
    let same = Transcript.of("explain", path, "Track", "plays > 7", "--group-by", "album")
    #expect(same.output == found.output)
    let json = Transcript.of("explain", path, "Track", "--sum", "plays", "--json")
    #expect(json.output.contains("\"groups\" : 1"), "\(json)")
  }

  @Test(arguments: [
    (["--group-by", "plays", "--columns", "title"], "'title' is no key of the groups"),
    (["--group-by", "plays", "--sort", "rating"], "'rating' is no key of the groups"),
    (["--group-by", "plyas"], "Did you mean 'plays'?"), (["--group-by", "words"], "rows cannot be grouped by this"),
    (["--group-by", "plays", "--sum", "title"], "there is no sum of String"),
    (["--group-by", "plays", "--max", "words"], "there is no max of"),
    (["--group-by", "plays", "--sum", "nothing"], "Track has no 'nothing'"),
    (["--group-by", "plays", "--having", "sum() > 3"], "sum is of one value"),
    (["--group-by", "plays", "--having", "count"], "a condition is true or false"),
    (["--group-by", "plays", "--having", "count > 3 and true"], "write &&"),
    (["--having", "count > 3"], "'--having' is about groups"), (["--group-by", ","], "'--group-by' names no value"),
    (["sum(plays) > 3"], "'sum' measures groups of rows"),
  ])
  func `a wrong query for groups is an error`(words: [String], sentence: String) {
    let found = Transcript.run(["query", path, "Track"] + words)
    #expect(found.ending == .usage && found.output == "" && found.errors.contains(sentence), "\(found)")
  }

  @Test func `sums are exact, or an error`() throws {
    let path = folder.file("sums.roost")
    let store = try RecordStore(path)
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Sale") { (entity) throws(RecordFault) in
          try entity.add("amount", .decimal)
          try entity.add("units", .int64)
          try entity.add("day", .date)
        }
      }
      for (mantissa, units) in [(UInt128(10), Int64.max), (20, 1), (33, 0)] {
        try writer.table("Sale").insert([
          "amount": .decimal(DecimalNumber(mantissa: mantissa, exponent: -2)), "units": .int(units), "day": .date(0),
        ])
      }
    }
    try store.close()
    let found = Transcript.of(
      "query", path, "Sale", "--sum", "amount", "--average", "amount", "--max", "day", "--format", "csv")
    #expect(found.output == "sum(amount),average(amount),max(day)\n0.63,0.21,2001-01-01T00:00:00Z\n", "\(found)")
    let large = Transcript.of("query", path, "Sale", "--sum", "units")
    #expect(large.ending == .failed && large.errors.contains("which an Int64 cannot hold: ask for"), "\(large)")
  }
}
