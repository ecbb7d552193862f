import Foundation
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

/// The language of the shell, its history and its scripts.
@Suite struct ShellStatementTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("music.roost")
    _ = try RowsFixture.make(path, tracks: 20)
  }

  /// The output of a session, with its errors.
  private func run(_ statements: String..., agreed: Bool = false, isTerminal: Bool = false) throws -> Transcript {
    final class Paper {
      var transcript = Transcript()
    }
    let paper = Paper()
    let console = Console(isTerminal: isTerminal, hasColours: false) { stream, text in
      if stream == .output { paper.transcript.output += text } else { paper.transcript.errors += text }
    }
    let session = try ShellSession(
      path, ShellOutput(console), settings: ShellSession.Settings(isAgreed: agreed))
    for statement in statements where !session.run(statement) { paper.transcript.ending = .failed }
    return paper.transcript
  }

  private func parsed(_ text: String, more: [String] = []) throws -> ShellStatement {
    try ShellStatement(text, entities: ["Album", "Track", "Tag"] + more)
  }

  // MARK: Statements

  @Test func `a clause begins where an operator could follow, and a field may have its name`() throws {
    let found = try parsed("Track where limit > 3 && sort == \"where\" || x.limit(limit) sort -plays, title limit 20;")
    #expect(found.clauses[.where] == "limit > 3 && sort == \"where\" || x.limit(limit)")
    #expect(found.clauses[.sort] == "-plays, title" && found.clauses[.limit] == "20")
    #expect(
      try parsed("Track where (a\n sort b) columns #,title").clauses == [.where: "(a\n sort b)", .columns: "#,title"])
    let set = try parsed("set Track author = \"x\", where = 3 where author == nil author \"me\"")
    #expect(set.subject == "author = \"x\", where = 3" && set.clauses[.where] == "author == nil")
    #expect(set.clauses[.author] == "\"me\"")
    #expect(try parsed("Track #12").verb == .get && parsed("Track #12").subject == "#12")
    // An entity of that name has precedence over the statement.
    #expect(try parsed("count", more: ["count"]).entity == "count")
    #expect(try parsed("`Track` limit 1").entity == "Track")
    #expect(try parsed("history limit 3").entity == "" && parsed("history Tag").entity == "Tag")
  }

  @Test(arguments: [
    ("", "is empty"), ("Trakc", "Did you mean 'Track'?"), ("cuont Track", "Did you mean 'count'?"),
    ("Track wehre a", "Did you mean 'where'?"), ("Track genre == 1", "write 'Track where genre"),
    ("Track group by genre", "begin with 'group Track'"), ("Track group == 1", "write 'Track where group"),
    ("count Zebra", "'Zebra'"), ("help", "The command is '.help'"), ("exit", "The command is '.exit'"),
    ("SELECT * FROM Track", "does not know SQL: write 'Album', 'where'"),
    ("Track where", "'where' needs something after it"), ("Track where a limit 1 limit 2", "'limit' is given twice"),
    ("Track where a desc", nil), ("Track sort a desc", "write 'sort -a'"), ("get", "needs an entity"),
    ("get Track", "write 'get Track #12'"), ("delete Track", "'all' for all rows"),
    ("delete Track all x", "stands alone"),
    ("delete Track where a all", "'all' for all rows"), ("count Track limit 3", "'limit' is not possible in 'count'"),
    ("insert Track a = 1 where b", "'where' is not possible"), ("set Track", "write 'set Track"),
  ])
  func `errors in statements are reported`(_ text: String, _ wanted: String?) throws {
    guard let wanted else {
      _ = try parsed(text)
      return
    }
    let error = #expect(throws: UsageError.self) { try parsed(text) }
    #expect(error?.sentence.contains(wanted) == true, "\(error?.sentence ?? "")")
  }

  @Test(arguments: [
    ("Track", true), ("Track where (a", false), ("Track where a &&", false), ("Track where \"a", false),
    ("Track sort a,", false),
    ("Track where a ==", false), ("Track where a)", true), ("Track where (a\n", true), (".mode (", true),
    ("// (", true),
    ("Track where \"\\\"\"", true), ("Track where tags.contains { $0.name", false), ("", true),
    ("Track where a\n  ", true),
  ])
  func `a statement continues while it is incomplete`(_ text: String, _ isFinished: Bool) {
    #expect(StatementScanner.isFinished(text) == isFinished)
  }

  @Test func `any text is parsed or refused`() {
    var random = SplitMix64(seed: 11)
    let pieces = [
      "Track", "where", "(", ")", "\"", "'", "`", "#", "12", "sort", "limit", "==", "&&", "{", "}", ".", "\\", " ",
      "\n", "é", "set", "=", ";",
    ]
    for _ in 0..<2000 {
      let text = (0..<12).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined(
        separator: random.next() % 2 == 0 ? " " : "")
      _ = StatementScanner.isFinished(text)
      _ = try? parsed(text)
      _ = try? run(text)
    }
  }

  // MARK: Answers

  @Test func `each mode prints the rows`() throws {
    #expect(
      try run(".mode csv", "Album sort title columns title,year").output == "title,year\nBlue,1971\nHejira,1971\n")
    #expect(try run(".mode jsonl", "Tag sort -name").output == "{\"name\": \"jazz\"}\n{\"name\": \"folk\"}\n")
    #expect(try run(".mode json", "count Track").output == "{\"count\":20}\n")
    #expect(try run(".mode markdown", "Tag").output == "| # | name |\n| --- | --- |\n| #1 | folk |\n| #2 | jazz |\n")
    #expect(try run(".mode vertical", "Tag").output == "   #  #1\nname  folk\n\n   #  #2\nname  jazz\n")
    #expect(try run(".mode tabel").errors == "Error: There is no mode 'tabel'. Did you mean 'table'?\n")
    #expect(MarkdownRows.cell("a|b\n`c`") == "a\\|b\\\\n\\`c\\`")
  }

  @Test func `a table too wide for the terminal becomes vertical`() throws {
    let console = { (width: Int, sink: @escaping (String) -> Void) in
      Console(isTerminal: true, hasColours: false, width: width) { _, text in sink(text) }
    }
    for (width, isVertical) in [(80, false), (40, true)] {
      var text = ""
      let session = try ShellSession(path, ShellOutput(console(width) { text += $0 }))
      #expect(session.run("Track limit 1"))
      #expect(text.contains("  plays  1\n") == isVertical, "\(text)")
    }
  }

  @Test func `one row, plans, entities and models`() throws {
    #expect(try run("Track #2").output.contains("album → Album Blue (#1)"))
    #expect(try run("get Album \"Blue\"").output.hasPrefix("Album #1\n"))
    #expect(try run("get Album Blue by title").output.hasPrefix("Album #1\n"))
    #expect(try run("get Album \"none\"").errors == "Error: there is no Album 'none'.\n")
    #expect(try run("explain Track where plays == 3").output.contains("index by plays (plays): 1 range"))
    let plan = try run("Track where plays == 3 limit 1", ".explain")
    #expect(plan.output.contains("index by plays (plays): 1 range"), "\(plan)")
    #expect(try run(".explain").errors.contains("There was no question yet"))
    #expect(try run(".entities").output == "entity  rows\nAlbum      2\nTag        2\nTrack     20\n")
    #expect(try run(".schema Tag").output.hasPrefix("@Model final class Tag {"))
    #expect(try run("history limit 1").output.contains("filler"))
    #expect(try run(".help set").output.contains("It asks before it commits."))
    #expect(try run(".help E0801").output.hasPrefix("E0801 "))
    #expect(try run(".help foo").ending == .failed)
    #expect(try run(".entites").errors.contains("Did you mean '.entities'?"))
  }

  @Test func `an error in a condition is marked at its place`() throws {
    let found = try run("Track where plays > 3 &&\n  titel == \"x\"")
    #expect(found.errors.contains("\n    titel == \"x\"\n    ^\n"), "\(found.errors)")
    #expect(found.errors.hasSuffix("See '.help E0801' for more information.\n"))
  }

  @Test func `changes need a confirmation, or --yes`() throws {
    let refused = try run("delete Track where id < 5")
    #expect(refused.errors.contains("'--yes'") && refused.ending == .failed)
    let done = try run(
      "set Track plays = -1 where id == 1", "insert Album title = \"Low\", year = 1977", "delete Track where id > 18",
      "count Track", "count Track where plays == -1", "delete Tag all", agreed: true)
    #expect(
      done.output.split(separator: "\n").map(String.init).suffix(3).contains {
        $0.hasPrefix("Done: Delete 2 rows of Tag")
      }
        && done.output.contains("\n18\n1\n"), "\(done)")
    #expect(try run("insert Album title = \"Blue\"", agreed: true).errors.contains("E02"))
    #expect(try run("set Track plays = 1 where -plays == -1", agreed: true).ending == .good)
  }

  /// The session keeps a snapshot between statements, and must not answer with an old one.
  @Test func `the next statement sees another program's commit`() throws {
    var output = ""
    let console = Console(isTerminal: false, hasColours: false) { _, text in output += text }
    let session = try ShellSession(path, ShellOutput(console))
    #expect(session.run("count Tag"))
    let store = try RecordStore(path)
    try store.write { _ = try $0.table("Tag").insert(["name": .string("soul")]) }
    #expect(session.run("count Tag"))
    try store.close()
    #expect(output == "2\n3\n")
  }

  // MARK: Files and scripts

  @Test func `results go to a file, and never over a store`() throws {
    let file = folder.file("out.csv")
    let found = try run(".mode csv", ".output \(file)", "Tag columns name", ".output", "count Tag")
    #expect(found.output == "2\n", "\(found)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "name\nfolk\njazz\n")
    #expect(try run(".output \(file)").errors.contains("write '.output --replace FILE'"))
    #expect(try run(".output --replace \(file)", "count Tag").ending == .good)
    for place in [path, path + "-log"] {
      #expect(try run(".output --replace \(place)", "count Tag").ending == .failed, "\(place)")
    }
    #expect(try run("count Track").output == "20\n")
  }

  @Test func `a file of statements is read, and a file that reads itself ends`() throws {
    let file = folder.file("all.txt")
    try "// a comment\ncount Track where (plays > 7\n  && id < 15)\n\ncount Tag\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    #expect(try run(".read \(file)").output == "2\n2\n")
    try ".read \(file)\n".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try run(".read \(file)").errors.contains("more than 8 files deep"))
    #expect(try run(".read /no/such").errors.contains("notFound"))
    #expect(try run(".read /dev/zero").errors.contains("not a file of statements"))
  }

  @Test func `a pipe of statements ends at the first error with its line`() throws {
    let input = "count Tag\n\nTrack where (id == 1\n ) columns id\nfoo\ncount Album\n"
    let first = try RowsFixture.run(["shell", path], input: input)
    #expect(first.output == "2\nid\n 1\n" && first.status == 1, "\(first)")
    #expect(first.errors.hasSuffix("Line 5 failed.\n"))
    let all = try RowsFixture.run(["shell", path, "--keep-going", "--mode", "csv"], input: input)
    #expect(all.output == "2\nid\n1\n2\n" && all.status == 1, "\(all)")
    let good = try RowsFixture.run(["shell", path], input: ".timing on\ncount Tag\n.quit\nfoo\n")
    #expect(good.output.hasPrefix("2\n") && good.output.hasSuffix("s\n") && good.status == 0, "\(good)")
    #expect(try RowsFixture.run(["shell", folder.file("none")]).status == 1)
    #expect(try RowsFixture.run(["shell", path, "--mode", "tabel"]).status == 2)
  }

  // MARK: History

  @Test func `the history is bounded, private and shared`() throws {
    let file = folder.file("state/roost/history")
    let (one, other) = (ShellHistory(file), ShellHistory(file))
    one.add("Track where a &&\n  b == \"\\n\"")
    other.add("Album")
    one.add(" secret")
    one.add("Tag")
    one.add("Tag")
    #expect(ShellHistory(file).entries == ["Track where a &&\n  b == \"\\n\"", "Album", "Tag"])
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    for number in 0..<2100 { one.add("count Track where id == \(number)") }
    #expect(ShellHistory(file).entries.count == ShellHistory.most)
    #expect(try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count == ShellHistory.most)
    #expect(ShellHistory(file).entries.last == "count Track where id == 2099")
    // A history that cannot be written does not end the shell.
    ShellHistory("/dev/null/history").add("x")
    ShellHistory("/dev/zero").add("x")
    #expect(ShellHistory.standardPath(["HOME": "/home/a"]) == "/home/a/.local/state/roost/history")
    #expect(ShellHistory.standardPath(["HOME": "/home/a", "XDG_STATE_HOME": "/s"]) == "/s/roost/history")
    #expect(ShellHistory.standardPath(["XDG_STATE_HOME": "relative"]) == nil)
  }

  // MARK: Completion

  @Test func `words are completed where they are allowed`() throws {
    let catalog = try RecordWitness(path).read { $0.catalog }
    func words(_ head: String) -> [String] { ShellCompletion(catalog).candidates(head).words }
    #expect(words("T") == ["Tag ", "Track "])
    #expect(words("").contains("count ") && words("").contains("Album "))
    #expect(words("count A") == ["Album "])
    #expect(words("Track w") == ["where "] && words("Track where plays > 3 so") == ["sort "])
    #expect(words("Track where al") == ["album"] && words("Track where id == 3 && ti") == ["title"])
    #expect(
      words("Track where album?.y") == ["year"] && words("Track where album.tracks.c") == ["contains { ", "count"])
    #expect(words("Track where tags.contains { $0.n") == ["name"] && words("Track where tags.contains { n") == ["name"])
    #expect(words("Track where title.has") == ["hasPrefix("] && words("Track sort -pl") == ["place", "plays"])
    #expect(words("set Track pl") == ["place", "plays"] && words("Track where title == \"T").isEmpty)
    #expect(words("Track limit ").isEmpty && words("Zebra wh").isEmpty && words("Track where nope.").isEmpty)
    #expect(
      words(".mo") == [".mode "] && words(".mode js") == ["json", "jsonl"] && words(".timing ") == ["on", "off"])
    #expect(words(".schema T") == ["Tag", "Track"])
    #expect(words(".open " + String(path.dropLast(3))).first == path)
  }

  @Test func `the cases of an enum are completed`() throws {
    let store = try RecordStore(path)
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Lamp") { (entity) throws(RecordFault) in
          let field = try entity.add("state", .string, initial: .string("on"))
          entity.setCases([.string("on"), .string("off")], of: field)
        }
      }
    }
    try store.close()
    let catalog = try RecordWitness(path).read { $0.catalog }
    #expect(ShellCompletion(catalog).candidates("Lamp where state == ").words.prefix(2) == ["\"on\"", "\"off\""])
  }
}
