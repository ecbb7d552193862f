import Foundation
import RoostFile
import RoostTestSupport
import Testing

@testable import RoostTool

/// Groups in the shell, and answers that are printed while they are computed.
@Suite struct ShellGroupTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("music.roost")
    _ = try RowsFixture.make(path, tracks: 20)
  }

  private func run(
    _ statements: String..., mode: ResultMode = .table, isTerminal: Bool = false, width: Int = 80
  ) throws -> Transcript {
    final class Paper {
      var transcript = Transcript()
    }
    let paper = Paper()
    let console = Console(isTerminal: isTerminal, hasColours: false, width: width) { stream, text in
      if stream == .output { paper.transcript.output += text } else { paper.transcript.errors += text }
    }
    let session = try ShellSession(path, ShellOutput(console), settings: ShellSession.Settings(mode: mode))
    for statement in statements where !session.run(statement) { paper.transcript.ending = .failed }
    return paper.transcript
  }

  private func parsed(_ text: String) throws -> ShellStatement {
    try ShellStatement(text, entities: ["Album", "Track", "Tag"])
  }

  @Test func `clauses follow each other, and 'count' may be alone`() throws {
    let found = try parsed(
      "group Track where plays > 1 by album.title, plays count sum plays, length having count > 3 sort -count limit 10")
    #expect(found.verb == .group && found.entity == "Track" && found.subject.isEmpty)
    #expect(
      found.clauses == [
        .where: "plays > 1", .by: "album.title, plays", .count: "", .sum: "plays, length", .having: "count > 3",
        .sort: "-count", .limit: "10",
      ])
    #expect(
      try parsed("group Track by count columns count, sum(plays)").clauses == [
        .by: "count", .columns: "count, sum(plays)",
      ])
    #expect(try parsed("explain group Track by plays").clauses == [.by: "plays"])
    #expect(try parsed("delete Track all author \"me\"").clauses == [.all: "", .author: "\"me\""])
  }

  @Test func `groups are printed in each mode`() throws {
    let question = "group Track by title = album.title count sum plays sort -count,title limit 1"
    #expect(try run(question).output == "title  count  sum(plays)\nBlue      10          40\n")
    #expect(try run(question, mode: .csv).output == "title,count,sum(plays)\nBlue,10,40\n")
    #expect(try run(question, mode: .jsonl).output == "{\"title\": \"Blue\", \"count\": 10, \"sum(plays)\": 40}\n")
    #expect(
      try run(question, mode: .json).output == "[\n{\"title\": \"Blue\", \"count\": 10, \"sum(plays)\": 40}\n]\n")
    #expect(
      try run(question, mode: .markdown).output
        == "| title | count | sum(plays) |\n| --- | --- | --- |\n| Blue | 10 | 40 |\n")
    #expect(try run(question, mode: .vertical).output == "     title  Blue\n     count  10\nsum(plays)  40\n")
    #expect(try run(question, isTerminal: true).output.hasSuffix("40\n1 group\n"))
    // Three columns do not fit into 16 characters.
    #expect(try run(question, isTerminal: true, width: 16).output.hasPrefix("     title  Blue\n"))
  }

  @Test func `measures without keys, and conditions on groups`() throws {
    #expect(
      try run("group Track sum plays average plays min title", mode: .csv).output
        == "sum(plays),average(plays),min(title)\n90,4.5,Track 1\n")
    #expect(
      try run("group Track by plays having count > 1 && sum(id) > 27", mode: .csv).output
        == "plays,count\n0,2\n9,2\n")
    #expect(try run("group Track by plays limit 1", "count Track", ".explain").output.contains("20 rows found"))
    #expect(try run("explain group Track by plays").output.hasPrefix("groups by plays: 10 groups\n"))
    #expect(try run("group Track by plays", ".explain").output.contains("groups by plays: 10 groups\n"))
  }

  @Test(arguments: [
    ("group Track", "needs 'by' or a measure"), ("group Track count", "needs 'by' or a measure"),
    ("group Track by", "'by' needs something after it"), ("group Track by plays count x", "'count' stands alone"),
    ("group Track by plays sort count desc", "write 'sort -count' for the other direction"),
    ("group Track by title having plays > 3", "group by it too"),
    ("explain Track having count > 1", "add 'by' or 'sum'"),
    ("group Trakc by plays", "Did you mean 'Track'?"), ("Track by plays", "'by' is not possible in 'a question'"),
    ("group Track by plays havign count > 1", "Did you mean 'having'?"),
    ("Track where count > 3", "no 'count'"), ("Track where sum(plays) > 3", "measures groups of rows"),
  ])
  func `errors in groups are reported`(_ text: String, _ wanted: String) throws {
    let found = try run(text)
    #expect(found.ending == .failed && found.errors.contains(wanted) && !found.errors.contains("--"), "\(found)")
  }

  @Test func `an answer is printed while it is computed, and ends with its reader`() throws {
    let long = folder.file("long.roost")
    _ = try RowsFixture.make(long, tracks: 6000)
    final class Paper {
      var count = 0
      var pieces = 0
      var isClosed = false
    }
    let paper = Paper()
    let console = Console(
      isTerminal: true, hasColours: false, width: 200,
      failure: { paper.isClosed ? StoreError(.ioError, "closed", path: "", errorNumber: EPIPE) : nil }
    ) { stream, text in
      if stream == .output { (paper.count, paper.pieces) = (paper.count + text.utf8.count, paper.pieces + 1) }
    }
    let session = try ShellSession(long, ShellOutput(console), settings: ShellSession.Settings(mode: .vertical))
    #expect(session.run("Track"))
    let all = paper.count
    #expect(all > 3 * AnswerPrinter.heldOnTerminal && paper.pieces > 1000)
    (paper.count, paper.isClosed) = (0, true)
    #expect(!session.run("Track"))
    #expect(paper.count < AnswerPrinter.heldOnTerminal + 4096, "\(paper.count) of \(all)")
  }
}
