import Foundation
import RoostTestSupport
import Testing

@testable import RoostTool

/// Records that an import leaves out can be corrected and imported again, in any form.
@Suite struct RejectsTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("music.roost")
    _ = try RowsFixture.make(path)
  }

  private func put(_ text: String, _ name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
    return folder.file(name)
  }

  private func mend(_ file: String, _ wrong: String, _ right: String) throws {
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains(wrong))
    try Data(text.replacing(wrong, with: right).utf8).write(to: URL(fileURLWithPath: file))
  }

  @Test(arguments: ["json", "jsonl"])
  func `an object over several lines is one line among the rejects`(ending: String) throws {
    let file = try put(
      "[\n  {\n    \"id\": \"wrong\",\n    \"title\": \"a\"\n  },\n  {\"id\": 2, \"title\": \"b\"}\n]\n", "in.json")
    let rejects = folder.file("rejects." + ending)
    let found = Transcript.of("import", path, "Track", file, "--skip-bad", "3", "--rejects", rejects)
    #expect(found.output.contains("1 inserted, 1 bad"), "\(found)")
    try mend(rejects, "\"wrong\"", "1")
    let again = Transcript.of("import", path, "Track", rejects)
    #expect(again.ending == .good && again.output.contains("1 inserted"), "\(again)")
    #expect(Transcript.of("query", path, "Track", "title == \"a\" && id == 1", "--count").output == "1\n")
  }

  @Test func `a table's rejects have its names, and records of any length`() throws {
    let long = String(repeating: "long, ", count: 30_000)
    let file = try put("id,title\nwrong,\"\(long)\"\n2,b\nwrong,c\n", "in.csv")
    let rejects = folder.file("rejects.csv")
    let found = Transcript.of("import", path, "Track", file, "--skip-bad", "3", "--rejects", rejects)
    #expect(found.output.contains("1 inserted, 2 bad"), "\(found)")
    #expect(try String(contentsOfFile: rejects, encoding: .utf8).hasPrefix("id,title\nwrong,\"long, long"))
    try mend(rejects, "wrong,\"", "3,\"")
    try mend(rejects, "wrong,c", "4,c")
    #expect(Transcript.of("import", path, "Track", rejects).output.contains("2 inserted"))
    #expect(Transcript.of("query", path, "Track", "title == \"\(long)\"", "--count").output == "1\n")
  }

  @Test func `rejects go into a new file, or after those of the import that continues`() throws {
    let bad = (1...8).map { "{\"id\": \($0 % 2 == 0 ? "\($0)" : "\"x\($0)\""), \"title\": \"t\"}\n" }
    let file = try put(bad.joined(), "in.jsonl")
    let rejects = try put("somebody's notes\n", "rejects.jsonl")
    let words = ["import", path, "Track", file, "--rejects", rejects, "--resume", "night", "--chunk", "1"]
    let refused = Transcript.run(words + ["--skip-bad", "9"])
    #expect(refused.ending == .failed && refused.errors.hasPrefix("Error: alreadyExists: "), "\(refused)")
    #expect(try String(contentsOfFile: rejects, encoding: .utf8) == "somebody's notes\n")
    #expect(Transcript.of("query", path, "Track", "--count").output == "0\n")
    try FileManager.default.removeItem(atPath: rejects)
    #expect(Transcript.run(words + ["--skip-bad", "2"]).errors.contains("more than 2 bad records"))
    let rest = Transcript.run(words + ["--skip-bad", "9"])
    #expect(rest.output.contains("4 bad"), "\(rest)")
    let kept = try String(contentsOfFile: rejects, encoding: .utf8).split(separator: "\n")
    #expect(kept.count == 4 && Set(kept).count == 4, "\(kept)")
  }

  @Test func `the key must be present, and the limits can be raised`() throws {
    let file = try put("{\"id\": 1, \"title\": \"x\"}\n", "in.jsonl")
    let unknown = Transcript.of("import", path, "Track", file, "--on", "id")
    #expect(unknown.errors.contains("no unique index named 'id'; it has 'by id'"), "\(unknown)")
    #expect(Transcript.of("query", path, "Track", "--json", "--format", "csv").ending == .usage)
    let large = try put("{\"id\": 1, \"title\": \"\(String(repeating: "x", count: 17 << 20))\"}\n", "large.jsonl")
    let refused = Transcript.of("import", path, "Track", large)
    #expect(refused.errors.contains("tooLarge") && refused.errors.contains("line 1"), "\(refused.errors.prefix(300))")
    let taken = Transcript.of("import", path, "Track", large, "--record-limit", "18")
    #expect(taken.ending == .good, "\(taken.errors.prefix(300))")
    let legacy = folder.file("legacy.jsonl")
    try Data([0x02, 0x21, 0x4C, 0x18, 9, 0, 0, 0, 0x80]).write(to: URL(fileURLWithPath: legacy))
    #expect(Transcript.of("import", path, "Track", legacy).errors.contains("the input is compressed"))
  }

  /// Before the fix, Ctrl-C left an incomplete output.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP], ["export", "backup", "salvage", "dump", "load"])
  func `an incomplete output is removed when the program ends`(_ number: Int32, _ command: String) throws {
    let source = folder.file("large.roost")
    _ = try RowsFixture.make(source, tracks: 20_000)
    let target = folder.file("target")
    var input = source
    if command == "load" {
      input = folder.file("large.jsonl")
      #expect(Transcript.of("dump", source, input).ending == .good)
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: RowsFixture.program)
    process.arguments =
      command == "export" ? ["export", source, "Track", "-o", target, "--format", "csv"] : [command, input, target]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    func made() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("-making") }
    }
    // A new store has its log beside it, and at first another name.
    func hasBegun() throws -> Bool {
      let made = try made()
      return command == "load" ? made.count > 1 && !made.contains { $0.hasSuffix("-new") } : !made.isEmpty
    }
    while process.isRunning, try !hasBegun() { usleep(200) }
    kill(process.processIdentifier, number)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect([0, 128 + number].contains(process.terminationStatus))
    #expect(try made().isEmpty)
    #expect(FileManager.default.fileExists(atPath: target) == (process.terminationStatus == 0))
  }
}
