import Foundation
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The built program, used through a terminal like a person would.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ShellTerminalTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("music.roost")
    _ = try RowsFixture.make(path, tracks: 20)
  }

  private func start(
    _ words: [String] = [], columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]
  ) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(
      ["shell", path] + words, environment: ["XDG_STATE_HOME": folder.file("state")].merging(environment) { $1 },
      columns: columns, rows: rows)
    try terminal.waitForPrompt()
    return terminal
  }

  private func finish(_ terminal: PseudoTerminal) throws {
    terminal.type("\u{4}")
    #expect(try terminal.end() == 0)
    #expect(try terminal.isRestored())
  }

  @Test func `a statement is typed and answered, and the terminal is restored`() throws {
    let terminal = try start()
    #expect(try !terminal.isRestored())
    terminal.type("Track where plays > 8 sort -id columns id,title\r")
    let shown = try terminal.wait(for: "2 rows")
    #expect(shown.contains("19  Track 19\n 9  Track 9\n"), "\(shown)")
    try terminal.waitForPrompt()
    try finish(terminal)
    #expect(terminal.raw.contains("\u{1B}[?2004l"))
  }

  @Test func `keys edit the line`() throws {
    let terminal = try start()
    // Home, a word to the right, and paste the cut text.
    terminal.type("Trakc\u{7F}\u{7F}ck where id == 3\u{1}cunt \u{1B}[1;5D\u{6}o\r")
    try terminal.wait(for: "\n1\n")
    try terminal.waitForPrompt()
    terminal.type("limit 1\u{15}Album \u{19}\u{17}\u{17}\u{3}")
    try terminal.wait { $0.rows.contains { $0.hasSuffix("^C") } }
    try terminal.waitForPrompt()
    try finish(terminal)
  }

  @Test func `Tab completes entities, clauses and properties`() throws {
    let terminal = try start()
    terminal.type("Tr\twh\tpl\t")
    // Both 'place' and 'plays' have this prefix.
    try terminal.wait(for: "music> Track where pla")
    terminal.type("\t")
    try terminal.wait(for: "place  plays")
    terminal.type("y\t > 8 li\t1\r")
    let shown = try terminal.wait(for: "1 row")
    #expect(shown.contains("music> Track where plays > 8 limit 1"), "\(shown)")
    try terminal.waitForPrompt()
    try finish(terminal)
  }

  @Test func `an open bracket and Alt-Enter start another line`() throws {
    let terminal = try start()
    terminal.type("count Track where (plays > 7\r")
    try terminal.wait(for: "     >")
    terminal.type("&& id < 15)\r")
    try terminal.wait(for: "\n2\n")
    try terminal.waitForPrompt()
    // Both lines come back as one entry, and can be edited.
    terminal.type("\u{1B}[A")
    try terminal.wait { $0.rows.suffix(2) == ["music> count Track where (plays > 7", "     > && id < 15)"] }
    terminal.type("\u{7F}\u{7F}\u{7F}9)\r")
    try terminal.wait { $0.rows.suffix(3).first == "1" || $0.rows.suffix(2).first == "1" }
    try finish(terminal)
  }

  @Test func `the history is kept for the next shell, except lines that begin with a space`() throws {
    let first = try start()
    first.type("count Tag\r")
    try first.wait(for: "\n2\n")
    first.type(" count Album\r")
    try first.waitForPrompt()
    try finish(first)
    let second = try start()
    second.type("\u{1B}[A")
    try second.wait(for: "music> count Tag")
    second.type("\u{3}")
    try second.waitForPrompt()
    // Search backward.
    second.type("\u{12}nt T")
    try second.wait(for: "(search 'nt T') count Tag")
    second.type("\r")
    try second.wait(for: "\n2\n")
    try finish(second)
    let file = folder.file("state/roost/history")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "count Tag\n")
    let facts = try FileManager.default.attributesOfItem(atPath: file)
    #expect(facts[.posixPermissions] as? Int == 0o600)
  }

  @Test func `the shell asks before a change`() throws {
    let terminal = try start()
    terminal.type("set Track plays = 100 where id == 1\r")
    try terminal.wait(for: "Change 1 row of Track? [y/N]")
    terminal.type("n")
    try terminal.wait(for: "Not done: Change 1 row of Track")
    terminal.type("set Track plays = 100 where id == 1\r")
    try terminal.wait { $0.shown.components(separatedBy: "[y/N]").count == 3 }
    terminal.type("y")
    try terminal.wait(for: "\nDone: Change 1 row of Track")
    terminal.type("count Track where plays == 100\r")
    try terminal.wait(for: "\n1\n")
    try finish(terminal)
  }

  @Test func `Ctrl-C ends a long query, and the shell keeps running`() throws {
    let long = folder.file("long.roost")
    _ = try RowsFixture.make(long, tracks: 20_000)
    let terminal = try PseudoTerminal(["shell", "--no-history", long])
    try terminal.waitForPrompt("long>")
    // Some hundred million comparisons.
    terminal.type("count Track where tags.contains { $0.tracks.contains { $0.title == \"none\" } }\r")
    try terminal.wait { $0.raw.hasSuffix("\u{1B}[?2004l") }
    let began = ContinuousClock.now
    var isEnded = false
    // The key may arrive before the statement runs.
    while !isEnded {
      terminal.type("\u{3}")
      isEnded = (try? terminal.wait(for: "cancelled", seconds: 1)) != nil
      if ContinuousClock.now - began > .seconds(60) { break }
    }
    #expect(isEnded, "\(terminal.shown)")
    try terminal.waitForPrompt("long>")
    terminal.type("count Album\r")
    try terminal.wait(for: "\n2\n")
    try finish(terminal)
  }

  @Test func `F2 shows the plan and keeps the line`() throws {
    let terminal = try start()
    terminal.type("Track where plays == 3\u{1B}OQ")
    try terminal.wait(for: "index by plays (plays): 1 range")
    try terminal.wait { $0.rows.last == "music> Track where plays == 3" }
    terminal.type("\r")
    try terminal.wait(for: "2 rows")
    try finish(terminal)
  }

  @Test func `text in a row cannot control the terminal`() throws {
    let store = try RecordStore(path)
    try store.write { writer in
      _ = try writer.table("Album").insert(["title": .string("a\u{1B}[2J\u{7}\u{9B}31m\r\n\u{202E}b")])
      _ = try writer.table("Album").insert(["title": .string("日本語 🎵")])
    }
    try store.close()
    let terminal = try start()
    for mode in ["table", "vertical", "markdown", "json", "csv"] {
      terminal.type(".mode \(mode)\r")
      try terminal.waitForPrompt()
      terminal.type("Album where year == nil\r")
      try terminal.waitForPrompt()
    }
    let shown = terminal.shown
    #expect(shown.contains("a\\u{1b}[2J\\u{7}\\u{9b}31m\\r\\n\\u{202e}b"), "\(shown)")
    #expect(shown.contains("日本語 🎵"))
    #expect(!terminal.raw.contains("\u{1B}[2J") && !terminal.raw.contains("\u{202E}"))
    try finish(terminal)
  }

  @Test func `a table and the line fit a terminal that becomes narrower`() throws {
    let terminal = try start()
    terminal.type("Track where title.contains(\"a rather long text that needs more than one row\")")
    try terminal.wait(for: "ow\")")
    terminal.resize(columns: 40, rows: 12)
    try terminal.wait { $0.rows.contains { $0.hasPrefix("music> Track where title.contains(\"a rat") } }
    #expect(terminal.rows.allSatisfy { TextWidth.columns($0) <= 40 })
    terminal.type("\u{3}")
    try terminal.waitForPrompt()
    terminal.type("Track limit 1 columns id,title,plays,rating,album\r")
    try terminal.wait(for: "1 row")
    #expect(terminal.rows.allSatisfy { TextWidth.columns($0) <= 40 }, "\(terminal.shown)")
    // Ten columns do not fit side by side.
    terminal.type("Track limit 1\r")
    try terminal.wait(for: "  plays  1")
    try finish(terminal)
  }

  @Test func `a long result is shown page by page`() throws {
    let terminal = try start(rows: 8)
    terminal.type("Track columns id,title\r")
    try terminal.wait(for: "-- more")
    #expect(!terminal.shown.contains("Track 9"))
    terminal.type(" ")
    try terminal.wait { $0.shown.contains("Track 9") && $0.shown.contains("-- more") }
    terminal.type("q")
    try terminal.waitForPrompt()
    #expect(!terminal.shown.contains("Track 20") && !terminal.shown.contains("rror"), "\(terminal.shown)")
    try finish(terminal)
  }

  @Test func `the program in PAGER gets a long result, and is started without a shell`() throws {
    let file = folder.file("paged")
    let script = folder.file("pager")
    try "#!/bin/sh\necho \"$@\" > \(file)\ncat >> \(file)\n".write(toFile: script, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
    let mark = folder.file("mark")
    let terminal = try start(rows: 8, environment: ["PAGER": "\(script) ;touch \(mark)"])
    terminal.type("Track columns id,title\r")
    try terminal.waitForPrompt()
    let paged = try String(contentsOfFile: file, encoding: .utf8)
    #expect(paged.hasPrefix(";touch \(mark)\n") && paged.contains("20  Track 20\n"), "\(paged)")
    #expect(!FileManager.default.fileExists(atPath: mark))
    try finish(terminal)
  }

  @Test(arguments: [SIGTERM, SIGHUP])
  func `a signal that ends the shell restores the terminal`(_ number: Int32) throws {
    let terminal = try start()
    terminal.type("Tra")
    try terminal.wait(for: "music> Tra")
    terminal.send(number)
    #expect(try terminal.end() == 128 + number)
    #expect(try terminal.isRestored())
  }

  @Test func `Ctrl-Z stops the shell with the terminal restored, and the shell can continue`() throws {
    let terminal = try start()
    terminal.type("count Tag")
    try terminal.wait(for: "music> count Tag")
    terminal.type("\u{1A}")
    try terminal.wait { (try? $0.isRestored()) == true }
    terminal.send(SIGCONT)
    try terminal.wait { (try? $0.isRestored()) == false }
    terminal.type("\r")
    try terminal.wait(for: "\n2\n")
    try finish(terminal)
  }

  @Test func `a pasted text is one piece, without its escape sequences`() throws {
    let terminal = try start()
    terminal.type("\u{1B}[200~count Track where\n plays > 7\u{1B}[2J\u{1B}[201~\r")
    try terminal.wait(for: "\n4\n")
    try finish(terminal)
  }
}
