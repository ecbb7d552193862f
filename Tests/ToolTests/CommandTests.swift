import Foundation
import RoostFile
import RoostKV
import RoostPages
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

/// Runs command lines and collects their output.
struct Transcript {
  var ending = Ending.good
  var output = ""
  var errors = ""

  static func of(_ words: String...) -> Transcript {
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

@Suite struct CommandTests {
  @Test func `a condition needs no option`() {
    let asked = Transcript.of("query", "a.roost", "Album", "--where", "year > 1")
    #expect(asked.ending == .usage && asked.errors.hasPrefix("Error: The condition needs no '--where': "), "\(asked)")
  }

  @Test func `help names every command and every exit code`() {
    let overview = Transcript.of("help")
    #expect(overview.ending == .good)
    for word in [
      "tour", "info", "verify", "backup", "compact", "salvage", "--version", "EXIT CODES", "  0  ", "  1  ", "  2  ",
    ] {
      #expect(overview.output.contains(word))
    }
    #expect(!overview.output.contains(Witness.command))
    #expect(Transcript.of().output == overview.output)
    #expect(Transcript.of("--help").output == overview.output)
    #expect(Transcript.of("--version").output == Command.version + "\n")
    #expect(Transcript.of("tour", "--help").output == Transcript.of("help", "tour").output)
    #expect(Transcript.of("help", "tour").output.contains("USAGE: roost tour [--count <n>]"))
    // Help fits a terminal of 80 columns.
    for words in [["help"]] + Command.shown.map({ ["help", $0.name] }) {
      for line in Transcript.run(words).output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }
  }

  @Test func `help as JSON, and commands without JSON`() throws {
    let all = Transcript.of("help", "--json")
    let found = try #require(try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [String: Any])
    #expect((found["commands"] as? [[String: Any]])?.count == Command.shown.count)
    let one = Transcript.of("help", "query", "--json")
    #expect(one.output.contains("\"name\" : \"group-by\"") && !one.output.contains("\"salvage\""))
    #expect(Transcript.of("help", "qurey", "--json").errors.contains("Did you mean 'query'?"))
    for command in ["tour", "completion"] {
      let refused = Transcript.of(command, "--json")
      #expect(refused.ending == .usage && refused.errors.contains("has no '--json'"), "\(refused)")
    }
  }

  /// Before the fix, errors with `--json` were text, so a program had only the exit code.
  @Test func `with JSON, errors are JSON too`() throws {
    func failure(_ found: Transcript) throws -> [String: Any] {
      #expect(found.output == "" && found.errors.split(separator: "\n").count == 1, "\(found)")
      return try #require(try JSONSerialization.jsonObject(with: Data(found.errors.utf8)) as? [String: Any])
    }
    let missing = try failure(.of("info", "--json", "/no/such.roost"))
    #expect(missing["exitCode"] as? Int == 1 && (missing["error"] as? String)?.hasPrefix("notFound: ") == true)
    #expect((missing["reference"] as? String)?.hasPrefix("E") == true)
    let wrong = try failure(.of("info", "--json", "--frob", "a"))
    #expect(wrong["exitCode"] as? Int == 2 && (wrong["error"] as? String)?.contains("'--frob'") == true)
  }

  @Test func `wrong arguments end with 2 and print nothing`() {
    for found in [
      Transcript.of("frob"), .of("info"), .of("verify", "a", "b"), .of("backup", "a"), .of("salvage", "a", "b", "c"),
      .of("tour", "--count", "0"), .of("help", "frob"),
      .of("--frob"),
    ] {
      #expect(found.ending == .usage)
      #expect(found.output == "")
      #expect(found.errors.hasPrefix("Error: "))
      #expect(found.errors.contains("See 'roost help"))
    }
  }

  /// A closed store with a tree, a table and a large value.
  private func makeStore(_ path: String) throws {
    let store = try KeyValueStore(path)
    try store.write { writer in
      let tree = try writer.tree("names")
      for index in 0..<2000 { try tree.put("name \(index)", "value \(index)") }
      try tree.put("large", [UInt8](repeating: 7, count: 30_000))
      _ = try writer.table("empty")
    }
    try store.close()
  }

  @Test func `info shows the content of a store`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.roost")
    try makeStore(path)
    let text = Transcript.of("info", path)
    #expect(text.ending == .good)
    for line in [
      "names: 2,001 entries, keys are bytes, depth 2, about", "% full, 1 value in extents",
      "empty: 0 entries, keys are numbers, depth 0",
      "last commit   1", "none; the store was closed",
    ] { #expect(text.output.contains(line), "\(text.output)") }

    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(Transcript.of("info", "--json", path).output.utf8)) as? [String: Any])
    #expect(json["commit"] as? Int == 1)
    #expect(json["wasClosed"] as? Bool == true)
    #expect((json["trees"] as? [Any])?.count == 2)
    #expect((json["superblocks"] as? [[String: Any]])?.map { $0["health"] as? String } == ["good", "good"])
  }

  @Test func `info and verify know a store of rows`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("rows.roost")
    let store = try RecordStore(path)
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Person") { (entity) throws(RecordFault) in try entity.add("name", .string) }
        try catalog.add(index: "name", of: "Person", on: ["name"], isUnique: true)
      }
      for number in 0..<3 { try writer.table("Person").insert(["name": .string("p \(number)")]) }
    }
    try store.close()
    for command in ["info", "verify"] {
      let text = Transcript.of(command, path)
      #expect(text.ending == .good)
      for word in [
        "Person: 3 rows", "index name: 3 entries, unique", "history: changes, 1 entry from transaction 1 to 1",
      ] {
        #expect(text.output.contains(word), "\(text.output)")
      }
    }
    let json = Transcript.of("verify", "--json", path)
    #expect(json.ending == .good && json.output.contains("\"rows\" : 3"))
  }

  /// Before the fix, the map of free places was unreadable, and `info` reported no free pages and
  /// no error.
  @Test func `info reports damage, and ends with 1`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.roost")
    try makeStore(path)
    let store = try KeyValueStore(path)
    let map = try #require(try store.store.examine().mapPages.last)
    try store.close()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[Int(map.place) * Page.size + 100] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    let text = Transcript.of("info", path)
    #expect(text.ending == .failed)
    let finding = "damage  page \(map.place): a page of the free map has a wrong checksum"
    #expect(text.output.contains(finding), "\(text)")
    #expect(text.output.contains("names: 2,001 entries"))
    let json = Transcript.of("info", "--json", path)
    #expect(json.ending == .failed)
    #expect(json.output.contains("\"damage\" : ["))
  }

  @Test func `info of an open store says so and writes nothing`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.roost")
    let store = try KeyValueStore(path)
    try store.write { try $0.tree("t").put("a", "b") }
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let text = Transcript.of("info", path)
    #expect(text.output.contains("the store is open in process \(getpid()) ("), "\(text)")
    #expect(text.output.contains("t: 1 entry, keys are bytes, depth 1, about 1 leaf"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    try store.close()
  }

  @Test func `a sound store verifies`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.roost")
    try makeStore(path)
    let text = Transcript.of("verify", path)
    #expect(text.ending == .good)
    #expect(text.output.hasPrefix("sound  2,001 entries in 2 trees, 1 value in extents; "))
    let json = Transcript.of("verify", "--json", path)
    #expect(json.output.contains("\"isSound\" : true"))
  }

  private func freePlaces(_ path: String) throws -> Set<Int> {
    let store = try KeyValueStore(path)
    let examination = try store.store.examine()
    return Set((0..<Int(examination.pageCount)).filter { examination.free.contains(UInt32($0)) })
  }

  @Test func `a flipped bit in any used page is found`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.roost")
    try makeStore(path)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let free = try freePlaces(path)
    var findings = 0
    for place in 0..<whole.count / Page.size where !free.contains(place) {
      var damaged = whole
      damaged[place * Page.size + place % 4] ^= 4
      let copy = folder.file("copy.roost")
      try damaged.write(to: URL(fileURLWithPath: copy))
      let text = Transcript.of("verify", copy)
      #expect(text.ending == .failed, "page \(place): \(text.output)")
      #expect(text.output.contains("damage  "))
      #expect(text.errors == "")
      findings += 1
    }
    #expect(findings > 20)
  }

  @Test func `verify repairs flipped bits on request, and nothing else`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.roost")
    try makeStore(path)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let free = try freePlaces(path)
    let copies = try Store.examine(path, fileSystem: DiskFileSystem.shared, floor: RecordStore.floor).copies
    let copied = Set(copies.flatMap { [Int($0.page.place), Int($0.copy.place)] })
    let places = (2..<whole.count / Page.size).filter { !free.contains($0) && !copied.contains($0) }.prefix(3)
    var damaged = whole
    for place in places { damaged[place * Page.size + 3] ^= 4 }
    try damaged.write(to: URL(fileURLWithPath: path))
    #expect(Transcript.of("verify", path).ending == .failed)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == damaged)
    let text = Transcript.of("verify", "--repair", path)
    #expect(text.ending == .good, "\(text)")
    for place in places {
      #expect(text.output.contains("repaired  page \(place): bit 2 of byte 3 had flipped\n"), "\(text)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == whole)
    let json = Transcript.of("verify", "--repair", "--json", path)
    #expect(json.ending == .good && json.output.contains("\"repairs\" : ["), "\(json)")
    // Two flipped bits are not repaired, and an open store is not changed.
    damaged = whole
    damaged[places[places.startIndex] * Page.size + 3] ^= 5
    try damaged.write(to: URL(fileURLWithPath: path))
    #expect(Transcript.of("verify", "--repair", path).ending == .failed)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == damaged)
    try whole.write(to: URL(fileURLWithPath: path))
    let store = try KeyValueStore(path)
    #expect(Transcript.of("verify", "--repair", path).ending == .inUse)
    try store.close()
  }

  @Test func `a file that is not a store ends with 1 and a sentence`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("text")
    try Data("not a store".utf8).write(to: URL(fileURLWithPath: path))
    for command in ["info", "verify"] {
      let text = Transcript.of(command, path)
      #expect(text.ending == .failed)
      #expect(text.errors.hasPrefix("Error: notAStore: "))
      let absent = Transcript.of(command, folder.file("absent"))
      #expect(absent.ending == .failed)
      #expect(absent.errors.hasPrefix("Error: notFound: "))
    }
  }
}
