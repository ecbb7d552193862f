import Foundation
import RoostKV
import RoostRecords
import RoostTestSupport
import RoostTransfer
import Testing

@testable import RoostTool

func makeKeys(_ path: String) throws {
  let store = try KeyValueStore(path)
  try store.write { try $0.tree("names").put("a", "b") }
  try store.close()
}

extension Transcript {
  static func run(_ words: [String]) -> Transcript {
    final class Paper {
      var output = ""
      var errors = ""
    }
    let paper = Paper()
    let console = Console(isTerminal: false, hasColours: false) { stream, text in
      if stream == .output { paper.output += text } else { paper.errors += text }
    }
    let ending = Command.run(words, on: console)
    return Transcript(ending: ending, output: paper.output, errors: paper.errors)
  }
}

/// `import`, `export`, `history`, `restore`, `bench`, `completion`, and errors by number.
@Suite struct TransferCommandTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("music.roost")
    _ = try RowsFixture.make(path, tracks: 30)
  }

  private func put(_ text: String, _ name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
    return folder.file(name)
  }

  @Test(arguments: ["t.csv", "t.tsv", "t.json", "t.jsonl", "t.jsonl.lz4", "t.csv.lz4"])
  func `an import of an export gives the same rows`(name: String) throws {
    let file = folder.file(name)
    let out = Transcript.of("export", path, "Track", "--output", file)
    #expect(out.ending == .good, "\(out)")
    #expect(out.output.hasPrefix("exported  30 rows of Track to \(file), in "))
    let other = folder.file("other.roost")
    _ = try RowsFixture.make(other)
    let into = Transcript.of("import", other, "Track", file)
    #expect(into.ending == .good, "\(into)")
    #expect(into.output.hasPrefix("imported  30 records into Track: 30 inserted; "), "\(into.output)")
    let all = ["--sort", "id", "--format", "jsonl"]
    #expect(
      Transcript.run(["query", other, "Track"] + all).output == Transcript.run(["query", path, "Track"] + all).output)
    #expect(Transcript.of("verify", other).ending == .good)
    let bare = Transcript.of("export", path, "Track", "other.csv")
    #expect(bare.ending == .usage && bare.errors.contains("write '--output other.csv'"), "\(bare)")
    // An existing file is not changed.
    let again = Transcript.of("export", path, "Track", "-o", file)
    #expect(again.ending == .failed && again.errors.hasPrefix("Error: alreadyExists: "))
    #expect(Transcript.of("export", path, "Track", "id < 3", "-o", file, "--replace").output.contains("2 rows"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasSuffix("-making") })
  }

  @Test func `bad records are reported, and end the import or are left out`() throws {
    let text = """
      {"id": 101, "title": "x"}
      {"id": 1, "title": "taken"}
      {"id": "no", "title": "y"}
      {"id": 102, "title": "z", "album": "Nowhere"}

      """
    let file = try put(text, "bad.jsonl")
    let stopped = Transcript.of("import", path, "Track", file, "--conflict", "insert")
    #expect(stopped.ending == .failed)
    #expect(stopped.errors.contains("line 2") || stopped.errors.contains("line 3"), "\(stopped.errors)")
    #expect(Transcript.of("query", path, "Track", "--count").output == "30\n")
    let rejects = folder.file("rejects.jsonl")
    let found = Transcript.of(
      "import", path, "Track", file, "--conflict", "insert", "--skip-bad", "5", "--rejects", rejects)
    #expect(found.ending == .failed)
    #expect(found.output.contains("open  album of row #"), "\(found.output)")
    #expect(found.output.contains("4 records into Track: 2 inserted, 2 bad"), "\(found.output)")
    #expect(try String(contentsOfFile: rejects, encoding: .utf8).split(separator: "\n").count == 2)
    let updated = Transcript.of("import", path, "Track", rejects, "--conflict", "update", "--skip-bad", "1", "--json")
    #expect(updated.output.contains("\"updated\" : 1") && updated.output.contains("\"bad\" : 1"), "\(updated.output)")
    #expect(Transcript.of("get", path, "Track", "1").output.contains("taken"))
  }

  @Test func `columns may have other names, or none`() throws {
    let file = try put("number;name;what\n201;One;x\n202;Two;y\n", "t.txt")
    let found = Transcript.of(
      "import", path, "Track", file, "--format", "csv", "--delimiter", ";", "--rename", "number=id", "--rename",
      "name=title",
      "--rename", "what=")
    #expect(found.ending == .good, "\(found)")
    #expect(Transcript.of("query", path, "Track", "id > 200", "--count").output == "2\n")
    let unnamed = try put("301,Three\n", "u.csv")
    #expect(Transcript.of("import", path, "Track", unnamed, "--names", "id, title").ending == .good)
    #expect(Transcript.of("get", path, "Track", "301").output.contains("Three"))
    let wrong = Transcript.of("import", path, "Track", file)
    #expect(wrong.ending == .usage && wrong.errors.contains("--format"))
    #expect(Transcript.of("import", path, "Track", unnamed, "--rename", "a").ending == .usage)
    #expect(Transcript.of("import", path, "Nobody", unnamed).errors.contains("the store has no 'Nobody'"))
    #expect(Transcript.of("import", path, "Track", folder.file("absent.csv")).errors.hasPrefix("Error: notFound: "))
  }

  /// Before the fix, the tool refused records that the library updates, unless an option said
  /// otherwise.
  @Test func `a record of an existing row updates it, as in the library`() throws {
    let file = try put("id,title\n1,Renamed\n401,New\n", "t.csv")
    let found = Transcript.of("import", path, "Track", file)
    #expect(found.ending == .good && found.output.contains("1 inserted, 1 updated"), "\(found)")
    #expect(Transcript.of("get", path, "Track", "1").output.contains("Renamed"))
    let refused = Transcript.of("import", path, "Track", file, "--conflict", "insert")
    #expect(refused.ending == .failed && refused.errors.contains("duplicate"), "\(refused)")
  }

  /// Before the fix, the tool had no types, and accepted any text as an enum's value.
  @Test func `a value that is not a case of the enum in the catalog is a bad record`() throws {
    let bills = folder.file("bills.roost")
    let store = try RecordStore(bills)
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Bill") { (entity) throws(RecordFault) in
          let coin = try entity.add("coin", .string, isOptional: true)
          entity.setCases([.string("EUR"), .string("USD")], of: coin)
          let coins = try entity.add("coins", .array(.plain(.string)))
          entity.setCases([.string("EUR"), .string("USD")], of: coins)
          try entity.add("free", .string, isOptional: true)
        }
      }
    }
    try store.close()
    let good = "{\"coin\": \"EUR\", \"coins\": [\"USD\"], \"free\": \"any\"}\n{\"coin\": null, \"coins\": []}\n"
    #expect(Transcript.of("import", bills, "Bill", try put(good, "good.jsonl")).output.contains("2 inserted"))
    for (name, bad) in [("coin", "\"GBP\""), ("coins", "[\"EUR\", \"GBP\"]")] {
      let record = name == "coin" ? "{\"coins\": [], \"coin\": \(bad)}" : "{\"coins\": \(bad)}"
      let found = Transcript.of("import", bills, "Bill", try put("{\"coins\": []}\n\(record)\n", "bad.jsonl"))
      let detail = "a case is expected (\"EUR\", \"USD\"), found \(bad) [line 2"
      #expect(found.ending == .failed && found.errors.contains(detail), "\(found)")
      #expect(found.errors.contains("field '\(name)'"), "\(found)")
    }
    let table = Transcript.of("import", bills, "Bill", try put("coin,coins\n EUR ,[]\n", "good.csv"))
    #expect(table.output.contains("1 inserted"), "\(table)")
  }

  @Test func `dates in the given form, and delimiters from the first line`() throws {
    let events = folder.file("events.roost")
    let store = try RecordStore(events)
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Event") { (entity) throws(RecordFault) in
          try entity.add("name", .string)
          try entity.add("day", .date)
        }
      }
    }
    try store.close()
    for (name, text, form) in [
      ("a.csv", "name;day\na;1714566600\n", "seconds-since-1970"),
      ("b.csv", "Day\tName\n736259400\tb\n", "seconds-since-2001"),
      ("c.jsonl", "{\"name\": \"c\", \"day\": 1714566600000}\n", "milliseconds-since-1970"),
      ("d.csv", "name,day\nd,01.05.2024 12:30\n", "dd.MM.yyyy HH:mm"),
      ("e.csv", "name,day\ne,2024-05-01 12:30\n", "iso8601"),
    ] {
      let found = Transcript.of("import", events, "Event", try put(text, name), "--dates", form)
      #expect(found.ending == .good, "\(found)")
    }
    let numbers = try put("{\"name\": \"f\", \"day\": 736259400}\n", "f.jsonl")
    // No value is unique here, so no row can exist already.
    #expect(Transcript.of("import", events, "Event", numbers).ending == .good)
    let all = Transcript.of("query", events, "Event", "day == date(\"2024-05-01T12:30:00Z\")", "--count")
    #expect(all.output == "6\n", "\(all)")
    let wrong = Transcript.of("import", events, "Event", numbers, "--dates", "tomorrow")
    #expect(wrong.ending == .usage && wrong.errors.contains("'--dates <form>'"), "\(wrong)")
  }

  @Test func `a progress bar is for terminals`() throws {
    let file = folder.file("t.jsonl")
    #expect(Transcript.of("export", path, "Track", "-o", file).ending == .good)
    let other = folder.file("other.roost")
    _ = try RowsFixture.make(other)
    #expect(Transcript.onTerminal("import", other, "Track", file, "--chunk", "5").output.contains("importing █"))
  }

  // MARK: History

  @Test func `the history is shown, the newest last`() throws {
    let store = try RecordStore(path, clock: { 1_780_000_001_000 })
    try store.write(author: "ann") { writer in
      _ = try writer.table("Track").update(RowID(1), ["title": .string("new")])
      _ = try writer.table("Track").delete(RowID(2))
    }
    try store.close()
    let all = Transcript.of("history", path)
    let lines = all.output.split(separator: "\n")
    #expect(lines.count == 3, "\(all)")
    #expect(
      lines[0].contains("maker  models changed; Album: 2 inserted (#1 to #2); Tag: 2 inserted (#1 to #2)"),
      "\(all.output)")
    #expect(lines[1].contains("filler  ") && lines[1].contains("Track: 30 inserted (#1 to #30)"), "\(all.output)")
    #expect(lines[2].hasPrefix("3  2026-05-28T"), "\(all.output)")
    #expect(lines[2].contains("ann  ") && lines[2].contains("Track: 1 updated (#1: title)"), "\(all.output)")
    #expect(Transcript.of("history", path, "-n", "1").output == lines[2] + "\n")
    #expect(Transcript.of("history", path, "--author", "filler").output == lines[1] + "\n")
    #expect(Transcript.of("history", path, "--after", "1", "--limit", "1").output == lines[1] + "\n")
    #expect(
      Transcript.of("history", path, "--entity", "Album", "--author", "maker").output.split(separator: "\n").count == 1)
    #expect(Transcript.of("history", path, "--author", "nobody").output == "no transaction\n")
    let json = Transcript.of("history", path, "--json", "-n", "1").output
    let found = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    let changes = try #require(found["changes"] as? [[String: Any]])
    let deleted = changes.first { $0["kind"] as? String == "delete" }
    #expect((deleted?["values"] as? [String: Any])?["title"] as? String == "Track 2", "\(json)")
  }

  @Test func `the writing program is shown, and every copy of the store keeps it`() throws {
    for title in ["one", "two"] {
      let run = try RowsFixture.run(
        ["import", path, "Album", "-", "--format", "jsonl"], input: "{\"title\": \"\(title)\", \"year\": 1}\n")
      #expect(run.status == 0, "\(run)")
    }
    // An import has a transaction for each step.
    let text = Transcript.of("history", path).output
    let lines = text.split(separator: "\n")
    let imports = lines.dropFirst(2)
    #expect(lines[1].contains("  filler  ") && imports.count > 2, "\(text)")
    let said = try imports.map { try #require($0.firstMatch(of: /roost import \(roost (\d+)\)/)).output.1 }
    #expect(Set(said).count == 2, "\(text)")
    #expect(Transcript.of("history", path, "--program", "roost").output == imports.map { $0 + "\n" }.joined())
    #expect(Transcript.of("history", path, "--program", "swift").output == "no transaction\n")
    let json = Transcript.of("history", path, "--json").output.split(separator: "\n")
    let objects = try json.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    #expect(objects.map { $0?["program"] as? String } == [nil, nil] + imports.map { _ in "roost" })
    #expect(objects.dropFirst(2).map { $0?["process"] as? Int } == said.map { Int($0) })
    let (backup, saved) = (folder.file("b.roost"), folder.file("s.roost"))
    #expect(Transcript.of("backup", path, backup).ending == .good)
    #expect(Transcript.of("salvage", path, saved).ending == .good)
    #expect(Transcript.of("compact", path).ending == .good)
    for copy in [backup, saved, path] { #expect(Transcript.of("history", copy).output == text, "\(copy)") }
    #expect(Transcript.of("verify", path).ending == .good)
  }

  // MARK: Restore

  @Test func `a backup becomes a store again, and a damaged one does not`() throws {
    let (backup, target) = (folder.file("b.roost"), folder.file("c.roost"))
    #expect(Transcript.of("backup", path, backup).ending == .good)
    let found = Transcript.of("restore", backup, target)
    #expect(found.ending == .good && found.output.hasPrefix("restored  "), "\(found)")
    #expect(Transcript.of("query", target, "Track", "--count").output == "30\n")
    let taken = Transcript.of("restore", backup, target)
    #expect(taken.errors.hasPrefix("Error: alreadyExists: ") && taken.errors.contains("give '--replace'"), "\(taken)")
    #expect(Transcript.of("restore", backup, target, "--replace").ending == .good)
    let owner = try RecordStore(target)
    let locked = Transcript.of("restore", backup, target, "--replace")
    #expect(locked.ending == .inUse)
    #expect(locked.errors.contains("process \(getpid())"), "\(locked.errors)")
    try owner.close()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: backup))
    for place in stride(from: 8192 + 100, to: bytes.count, by: 4096) { bytes[place] ^= 1 }
    try bytes.write(to: URL(fileURLWithPath: backup))
    let before = try Data(contentsOf: URL(fileURLWithPath: target))
    let damaged = Transcript.of("restore", backup, target, "--replace")
    #expect(damaged.ending == .failed && damaged.errors.contains("the backup is damaged"), "\(damaged)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == before)
  }

  /// Before the fix, the log of a store of rows could not be read by commands that expected a store
  /// of trees.
  @Test func `a store of rows that was not closed is backed up and compacted`() throws {
    let open = folder.file("open.roost")
    let store = try RowsFixture.make(open, tracks: 10, closes: false)
    let target = folder.file("d.roost")
    let found = Transcript.of("backup", open, target)
    #expect(found.ending == .good, "\(found)")
    #expect(Transcript.of("query", target, "Track", "--count").output == "10\n")
    let crashed = folder.file("crashed.roost")
    for ending in ["", "-log"] { try FileManager.default.copyItem(atPath: open + ending, toPath: crashed + ending) }
    try store.close()
    #expect(Transcript.of("info", crashed).output.contains("the store was not closed"))
    #expect(Transcript.of("compact", crashed).ending == .good)
    #expect(Transcript.of("query", crashed, "Track", "--count").output == "10\n")
    #expect(Transcript.of("verify", crashed).ending == .good)
  }

  // MARK: Other commands

  @Test func `the check of a machine ends well`() throws {
    let found = Transcript.of("bench", "--count", "500", "--directory", folder.path)
    #expect(found.ending == .good, "\(found)")
    #expect(found.output.contains("commit one change, synced"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["music.roost"])
    #expect(Transcript.of("bench", "--count", "50", "--json", "--directory", folder.path).output.contains("\"steps\""))
    #expect(Transcript.of("bench", "--directory", folder.file("absent")).ending == .failed)
  }

  @Test func `every script contains every command, and bash completes them`() throws {
    for shell in ["bash", "zsh", "fish"] {
      let script = Transcript.of("completion", shell)
      #expect(script.ending == .good)
      for command in Command.shown { #expect(script.output.contains(command.name), "\(shell) \(command.name)") }
      #expect(!script.output.contains(Witness.command))
    }
    #expect(Transcript.of("completion", "fihs").errors.contains("Did you mean 'fish'?"))
    let script = try put(Transcript.of("completion", "bash").output, "roost.bash")
    func complete(_ words: String...) throws -> String {
      let bash = Process()
      bash.executableURL = URL(fileURLWithPath: "/bin/bash")
      let quoted = words.map { "'\($0)'" }.joined(separator: " ")
      bash.arguments = [
        "-c",
        "source '\(script)'; COMP_WORDS=(roost \(quoted)); COMP_CWORD=\(words.count); _roost; echo \"${COMPREPLY[*]}\"",
      ]
      let pipe = Pipe()
      bash.standardOutput = pipe
      try bash.run()
      let text = pipe.fileHandleForReading.readDataToEndOfFile()
      bash.waitUntilExit()
      return String(decoding: text, as: UTF8.self)
    }
    #expect(try complete("qu") == "query\n")
    #expect(try complete("query", "--js") == "--json\n")
    #expect(try complete("query", "--format", "js") == "json jsonl\n")
    #expect(try complete("completion", "z") == "zsh\n")
  }

  @Test func `errors are explained by their numbers`() {
    let found = Transcript.of("help", "E0103")
    #expect(found.output.hasPrefix("E0103 damaged (StoreError)\n"), "\(found.output)")
    #expect(Transcript.of("help", "e103").output == found.output)
    #expect(Transcript.of("help", "103").output == found.output)
    #expect(Transcript.of("help", "E9999").ending == .usage)
    #expect(Transcript.of("help", "E0").ending == .usage)
    #expect(Transcript.of("help", "errors").output.contains("E0204  notUnique (rows)"))
    #expect(Transcript.of("info", folder.file("absent")).errors.contains("See 'roost help E0110'"))
  }

  @Test func `a word that is nearly right gets a suggestion`() {
    for (word, meant) in [("qeury", "query"), ("inof", "info"), ("exprot", "export"), ("hist", "history")] {
      #expect(Transcript.of(word).errors.contains("Did you mean '\(meant)'?"), "\(word)")
    }
    #expect(!Transcript.of("xyzzy").errors.contains("Did you mean"))
    #expect(Transcript.of("info", "--jsn", path).errors.contains("Did you mean '--json'?"))
    #expect(Spelling.distance("abcd", "abdc") == 1 && Spelling.distance("", "abc") == 3)
    #expect(Transcript.of("info", "--version").output == Command.version + "\n")
  }

  // MARK: Output to existing files

  /// Before the fix, the output replaced the store or its log, and a process with the store open
  /// continued to write into a file without a name.
  @Test func `no output replaces a store, its log, or the input`() throws {
    let store = URL(fileURLWithPath: path)
    let before = try Data(contentsOf: store)
    let (link, input) = (folder.file("link"), try put("title\nx\n", "in.csv"))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let other = folder.file("other.roost")
    _ = try RowsFixture.make(other)
    for output in [path, link, path + "-log", folder.file("./music.roost"), other] {
      let found = Transcript.of("export", path, "Album", "-o", output, "--replace", "--format", "csv")
      #expect(found.ending == .failed && found.errors.contains("is not replaced"), "\(output): \(found)")
      let rejected = Transcript.of("import", path, "Album", input, "--skip-bad", "9", "--rejects", output)
      #expect(rejected.ending == .failed && rejected.errors.contains("is not replaced"), "\(output): \(rejected)")
    }
    let own = Transcript.of("import", path, "Album", input, "--skip-bad", "9", "--rejects", input)
    #expect(own.ending == .failed && own.errors.contains("is not replaced"), "\(own)")
    #expect(try Data(contentsOf: store) == before)
    #expect(!FileManager.default.fileExists(atPath: path + "-log"))
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let device = Transcript.of("export", path, "Album", "-o", pipe, "--replace", "--format", "csv")
    #expect(device.ending == .failed && device.errors.contains("this is not a file"), "\(device)")
    // A file that is not a store is replaced. A file that only has the name of an unfinished file
    // is kept.
    let (file, making) = (try put("old", "t.csv"), try put("mine", "t.csv-making"))
    #expect(Transcript.of("export", path, "Album", "-o", file, "--replace").ending == .good)
    #expect(try String(contentsOfFile: making, encoding: .utf8) == "mine")
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("title,"))
  }

  // MARK: The history

  private func author(_ line: Substring) -> String {
    line.split(separator: "  ").dropFirst(2).first.map(String.init) ?? ""
  }

  @Test func `a limit selects the oldest after a transaction, and otherwise the newest`() throws {
    let store = try RecordStore(path)
    for number in 0..<30 {
      try store.write(author: "a\(number)") { try $0.table("Album").insert(["title": .string("t\(number)")]) }
    }
    let last = try store.read { $0.commit }
    try store.close()
    let newest = Transcript.of("history", path, "--limit", "3").output.split(separator: "\n").map(author)
    #expect(newest == ["a27", "a28", "a29"])
    // Times have milliseconds, and no more digits.
    let time = Transcript.of("history", path, "--limit", "1").output.split(separator: "  ")[1]
    #expect(time.count == "2026-11-22T16:45:18.347Z".count && time.dropLast(4).hasSuffix("."), "\(time)")
    let behind = Transcript.of("history", path, "--after", "\(last - 10)", "--limit", "2").output
    #expect(behind.split(separator: "\n").map(author) == ["a20", "a21"])
    #expect(Transcript.of("history", path, "--limit", "0").output == "no transaction\n")
    for line in Transcript.of("history", path, "--after", "0", "--json").output.split(separator: "\n") {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?["changes"] is [[String: Any]] && object?["transaction"] is Int, "\(line)")
    }
  }
}
