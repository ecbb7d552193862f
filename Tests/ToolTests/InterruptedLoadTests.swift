import Foundation
import RoostFile
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

/// Loads and imports that fail or are killed: the files that they leave, and the messages.
@Suite struct InterruptedLoadTests {
  private let folder: ScratchFolder
  private let path: String
  private let dump: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("music.roost")
    dump = folder.file("music.jsonl")
    _ = try RowsFixture.make(path, tracks: 300)
    #expect(Transcript.of("dump", path, dump).ending == .good)
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  /// Runs the program with a limit on the size of its files, in KiB.
  private func bounded(_ kibibytes: Int, _ words: String...) throws -> (status: Int32, errors: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments =
      ["-c", "trap '' XFSZ; ulimit -f \(kibibytes); exec \"$@\"", "roost", RowsFixture.program] + words
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  @Test func `after a full disk the new store is removed, and the message says so`() throws {
    let copy = folder.file("copy.roost")
    let before = try names
    let load = try bounded(96, "load", dump, copy)
    #expect(load.status == 1 && load.errors.contains("diskFull"), "\(load)")
    #expect(
      load.errors.contains("The new store \(copy) was not complete, and was removed. Free some space, and begin again.")
    )
    #expect(
      !load.errors.contains("continue with the same store") && load.errors.contains("roost help E0113"), "\(load)")
    #expect(try names == before)
    let table = folder.file("t.csv")
    let lines = (0..<9000).map { "\($0),a text that is a little longer \($0)\n" }.joined()
    try Data(("a,b\n" + lines).utf8).write(to: URL(filePath: table))
    let made = try bounded(200, "import", copy, "Row", table, "--create", "--yes")
    #expect(made.status == 1 && made.errors.contains("was removed. Free some space, and begin again."), "\(made)")
    #expect(try names == (before + ["t.csv"]).sorted())
  }

  /// The number of a process that has ended.
  private func endedProcess() throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/true")
    try process.run()
    process.waitUntilExit()
    return process.processIdentifier
  }

  @Test func `the next load removes the files of a killed one, and says so`() throws {
    let copy = folder.file("copy.roost")
    let dead = "copy.roost-making-\(try endedProcess())"
    try FileManager.default.copyItem(atPath: path, toPath: folder.file(dead))
    try Data("ROOSTLG1".utf8).write(to: URL(filePath: folder.file(dead + "-log")))
    // A file that is not a store, one of a running process, and one with another name.
    let kept = ["copy.roost-making-2x", "copy.roost-making-1", "other.roost-making-\(try endedProcess())"]
    for name in kept { try Data("mine".utf8).write(to: URL(filePath: folder.file(name))) }
    let note = "copy.roost-making-\(try endedProcess())"
    try Data("my notes".utf8).write(to: URL(filePath: folder.file(note)))
    let found = Transcript.of("load", dump, copy)
    #expect(found.ending == .good, "\(found)")
    #expect(
      found.output.hasPrefix("removed \(dead), which an interrupted load left\nremoved \(dead)-log, which"), "\(found)")
    let names = try names
    #expect(!names.contains { $0.hasPrefix(dead) } && (kept + [note]).allSatisfy(names.contains), "\(names)")
    #expect(Transcript.of("query", copy, "Track", "--count").output == "300\n")
  }

  @Test func `an unfinished file that is open stays`() throws {
    let making = folder.file("copy.roost-making-\(try endedProcess())")
    let store = try RowsFixture.make(making, closes: false)
    #expect(Transcript.of("load", dump, folder.file("copy.roost")).ending == .good)
    #expect(FileManager.default.fileExists(atPath: making))
    try store.close()
  }

  @Test func `a reference to a missing row names its line`() throws {
    var lines = try String(contentsOfFile: dump, encoding: .utf8).split(separator: "\n").map(String.init)
    let place = try #require(lines.firstIndex { $0.contains("\"Track 7\"") })
    lines[place] = lines[place].replacing(", 2]}", with: ", 99]}")
    #expect(lines[place].hasSuffix(", 99]}"))
    let bad = folder.file("bad.jsonl")
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: bad))
    let found = Transcript.of("load", bad, folder.file("copy.roost"))
    #expect(
      found.ending == .failed
        && found.errors.contains("Track #7 references Album #99, which the dump does not have")
        && found.errors.contains("line \(place + 1)"), "\(found)")
    #expect(try !names.contains { $0.hasPrefix("copy") })
  }

  @Test func `a store that another process made meanwhile is not replaced`() throws {
    let (made, other) = (folder.file("made.roost"), folder.file("other.roost"))
    #expect(Transcript.of("load", dump, made).ending == .good)
    try Data("theirs".utf8).write(to: URL(filePath: other))
    let error = #expect(throws: StoreError.self) { try Leftovers.finish(made, as: other) }
    #expect(error?.code == .alreadyExists && error?.description.contains("meanwhile") == true)
    #expect(try Data(contentsOf: URL(filePath: other)) == Data("theirs".utf8))
    try Leftovers.finish(made, as: folder.file("third.roost"))
    #expect(try names.contains("third.roost") && !names.contains("made.roost"))
    #expect(Transcript.of("verify", folder.file("third.roost")).ending == .good)
  }
}
