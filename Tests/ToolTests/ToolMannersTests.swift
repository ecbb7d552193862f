import Foundation
import RoostTestSupport
import RoostTransfer
import Testing

@testable import RoostTool

/// Details that new users meet: files of spreadsheets, scripts of other editors, answers of
/// terminals, help and exit codes.
@Suite struct ToolMannersTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("music.roost")
    _ = try RowsFixture.make(path, tracks: 20)
  }

  private func file(_ name: String, _ text: String) throws -> String {
    let path = folder.file(name)
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  private func imported(_ text: String, _ options: String...) throws -> String {
    let table = try file("t.csv", text)
    let store = folder.file("\(UInt64.random(in: .min ... .max)).roost")
    let made = Transcript.run(["import", store, "Row", table, "--create", "--yes"] + options)
    if made.ending != .good { return made.errors }
    return Transcript.of("query", store, "Row", "--format", "csv").output
  }

  // MARK: Spreadsheets

  @Test(arguments: [
    "sep=;\r\na;b\r\n1;x\r\n", "\u{FEFF}\"sep=;\"\na;b\n1;x\n", "SEP=;\na;b;;\n1;x;;\n2\n", "a,b,,\n1,x,,\n",
    "a,b\n1,x,,,\n", "sep=\t\na\tb\n1\tx\n", "sep=|\na|b\n1|x",
  ])
  func `a line that names the delimiter, and empty columns at the end`(_ text: String) throws {
    if text.hasSuffix("2\n") {
      #expect(try imported(text).contains("there are 1 cells, and 2 in the first line"))
    } else {
      #expect(try imported(text) == "a,b\n1,x\n")
    }
  }

  @Test(arguments: [
    ("sep=;,b\n1,2\n", "sep,b\n1,2\n"), ("sep=a\n1\n", "sepA\n1\n"), ("sep=\n1\n", "sep\n1\n"),
    ("sep=;", "has no columns"),
    ("a,,b\n1,2,3\n", "column 2 has no name"), ("a,b,\n1,2,3\n", "there are 3 cells, and 2 in the first line"),
  ])
  func `other first lines are names`(_ text: String, _ wanted: String) throws {
    let found = try imported(text)
    #expect(found.contains(wanted), "\(found)")
  }

  @Test func `an import without records says so`() throws {
    for (name, text) in [("empty.csv", "title\n"), ("empty.jsonl", ""), ("empty.json", "[]")] {
      let found = Transcript.of("import", path, "Album", try file(name, text))
      #expect(
        found.ending == .good && found.output.contains("\(name) has no records, so nothing was imported"), "\(found)")
    }
  }

  @Test(arguments: ["Int", "String", "Date", "class", "self", "Any", "Self", "Type", "Model", "import"])
  func `a class cannot have the name of a type or a word of Swift`(_ name: String) throws {
    let found = Transcript.of(
      "import", folder.file("new.roost"), name, try file("t.csv", "a\n1\n"), "--create", "--yes")
    #expect(found.ending == .usage && found.errors.contains("'\(name)' cannot be the name of a class"), "\(found)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("new.roost")))
  }

  @Test func `columns with names of Swift become properties that compile`() throws {
    let table = try file("t.csv", "self,class,Int,_id,Type,hashValue\n1,2,3,4,5,6\n")
    let found = Transcript.of("import", folder.file("new.roost"), "Row", table, "--create", "--dry-run")
    for line in ["selfValue", "`class`", "int", "id", "type", "hashValueValue"] {
      #expect(found.output.contains("  var \(line): Int\n"), "\(line) \(found)")
    }
    for given in ["self", "Int", "_x"] {
      let refused = Transcript.of(
        "import", folder.file("new.roost"), "Row", table, "--create", "--yes", "--rename", "Int=\(given)")
      #expect(refused.ending == .usage && refused.errors.contains("choose another one with '--rename'"), "\(refused)")
    }
  }

  // MARK: Scripts and keys

  @Test func `a script may have a mark before it, and comments`() {
    let text = """
      \u{FEFF}// The first line.
      count Track // all of them
      Track where id == 1
        // "in the middle
        && title != "// no comment"   // at the end
        columns title
      .read //host/file
      """
    let found = ShellScript.statements(text)
    #expect(found.map(\.line) == [2, 3, 4, 6, 7] || found.map(\.line) == [2, 3, 5, 6, 7], "\(found)")
    let open = ShellScript.statements("Track where (id == 1\n// \"quote\n  && plays > 0) // end\ncount Track\n")
    #expect(open.map(\.line) == [1, 4], "\(open)")
    #expect(
      StatementScanner.withoutComments("a \"//\" '//' `//` b // c\nd") == "a \"//\" '//' `//` b \nd")
    #expect(StatementScanner.withoutComments(".read //x") == ".read //x")
    #expect(StatementScanner.withoutComments("a / b \"\\\"//\"") == "a / b \"\\\"//\"")
  }

  @Test func `a file with a NUL is refused with its place`() throws {
    let script = try file("bad.txt", "count Track\n\0")
    let error = #expect(throws: (any Error).self) { try ShellScript.text(of: script) }
    #expect("\(error!)".contains("NUL character, at byte 12"))
    let piped = try RowsFixture.run(["shell", path], input: "count \0Track\n")
    #expect(piped.status == 1 && piped.errors.contains("NUL"), "\(piped)")
  }

  @Test(arguments: [
    ("\u{1B}]11;rgb:0000/0000/0000\u{7}a", [Keystroke.text("a")]), ("\u{1B}]0;title\u{1B}\\b", [.text("b")]),
    ("\u{1B}P>|xterm(379)\u{1B}\\c", [.text("c")]), ("\u{1B}_Gi=1;OK\u{1B}\\d", [.text("d")]),
    ("\u{1B}]11;rgb\r", [.enter]), ("\u{1B}]11;rgb\u{3}x", [.control("c"), .text("x")]),
    ("\u{1B}]11\u{1B}[Ay", [.up, .text("y")]),
  ])
  func `the answer of a terminal is not text`(_ bytes: String, _ keys: [Keystroke]) {
    var decoder = KeyDecoder()
    #expect(decoder.feed(bytes.utf8) == keys)
    #expect(!decoder.isWaiting)
    var slow = KeyDecoder()
    #expect(bytes.utf8.flatMap { slow.feed([$0]) } == keys)
  }

  @Test func `Alt with a sign is a key, and an endless string ends`() {
    var decoder = KeyDecoder()
    #expect(decoder.feed("\u{1B}]".utf8).isEmpty && decoder.isWaiting)
    #expect(decoder.flush() == [.alt("]")])
    #expect(decoder.feed("\u{1B}]".utf8 + Array(repeating: 0x61, count: 5000)).count < 1000)
    #expect(decoder.feed("z".utf8) == [.text("z")])
  }

  // MARK: Help and endings

  @Test(arguments: [
    ("track", "Track"), ("TRACK", "Track"), ("tRakc", "Track"), ("albums", "Album"), ("TA", "Tag"),
  ])
  func `suggestions ignore case`(_ word: String, _ wanted: String) {
    #expect(Spelling.nearest(word, among: ["Album", "Tag", "Track"]) == wanted)
    #expect(Spelling.nearest("count", among: ["Count", "count"]) == "count")
  }

  @Test func `a comparison ends with 0, 1 or 2`() throws {
    let other = folder.file("other.roost")
    _ = try RowsFixture.make(other, tracks: 19)
    #expect(Transcript.of("diff", path, path).ending.rawValue == 0)
    #expect(Transcript.of("diff", path, other).ending.rawValue == 1)
    for words in [
      ["diff", path, folder.file("none.roost")], ["diff", path, path, "--entity", "X"], ["diff", path],
      ["schema", path, "--diff", folder.file("none.roost")], ["schema", path, "--diff=\(folder.file("none.roost"))"],
      ["diff", path, try file("text.roost", "no store"), "--json"],
    ] {
      #expect(Transcript.run(words).ending.rawValue == 2, "\(words)")
    }
    #expect(Transcript.of("schema", folder.file("none.roost")).ending.rawValue == 1)
  }

  @Test func `help has topics, and their examples are understood`() throws {
    let overview = Transcript.of("help").output
    for topic in HelpTopic.all {
      #expect(overview.contains("  \(topic.name)"))
      let text = Transcript.of("help", topic.name).output
      #expect(text.hasPrefix(topic.lines[0]) && text.contains("EXAMPLES:"))
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(text)")
    }
    #expect(Transcript.of("help", "condition").errors.contains("Did you mean 'conditions'?"))
    #expect(Transcript.of("hlep").errors.contains("Did you mean 'help'?"))
    #expect(Transcript.of("zzzzzz").errors.contains("'roost help' lists all"))
  }
}
