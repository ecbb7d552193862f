import Foundation
import RoostFile
import RoostPages
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

/// Commands while another process has the store open, and the built program in pipes.
@Suite(.serialized) struct BesideOwnerTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("music.roost")
  }

  /// Another process that imports seven rows in each transaction, as long as it gets input.
  private final class Owner: @unchecked Sendable {
    // `@unchecked Sendable`: one thread writes the input, and other threads ask when it has ended.
    let process = Process()
    private let feed = Pipe()
    private var next = 1
    /// The number of rows that it got so far.
    var given: Int { next - 1 }

    init(_ path: String) throws {
      // If the other process ends, its rows show it. The signal must not end the tests.
      _ = signal(SIGPIPE, SIG_IGN)
      process.executableURL = URL(fileURLWithPath: RowsFixture.program)
      process.arguments = ["import", path, "Track", "-", "--format", "jsonl", "--chunk", "7", "--sync"]
      process.standardInput = feed
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
    }

    func give(_ chunks: Int) {
      var text = ""
      for _ in 0..<chunks * 7 {
        text += "{\"id\": \(next), \"title\": \"\(String(repeating: "t", count: 200))\", \"plays\": \(next)}\n"
        next += 1
      }
      try? feed.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    func end() throws {
      try feed.fileHandleForWriting.close()
      process.waitUntilExit()
    }
  }

  private func count() -> Int? {
    Int(Transcript.of("query", path, "Track", "--count").output.dropLast())
  }

  private func waitForRows(_ wanted: Int) throws {
    for _ in 0..<2000 {
      if let count = count(), count >= wanted { return }
      usleep(5000)
    }
    Issue.record("the other process stored nothing")
  }

  @Test func `every answer during another process's writes is a committed state`() throws {
    _ = try RowsFixture.make(path)
    let owner = try Owner(path)
    // The input is read in pieces of a quarter of a MiB, so the first rows appear after that much
    // input.
    let lock = NSLock()
    nonisolated(unsafe) var isDone = false
    let thread = try RoostFile.Thread {
      while !lock.withLock({ isDone }), owner.given < 7000 {
        owner.give(20)
        usleep(20_000)
      }
    }
    try waitForRows(7)
    var last = 0
    var answers = 0
    for round in 0..<8 {
      let found =
        round % 3 == 0
        ? Transcript.of("query", path, "Track", "plays > 0", "--columns", "id", "--format", "csv")
        : Transcript.of("query", path, "Track", "--count")
      if found.ending == .inUse { continue }
      #expect(found.ending == .good, "\(found.errors)")
      let rows = round % 3 == 0 ? found.output.split(separator: "\n").count - 1 : Int(found.output.dropLast()) ?? -1
      #expect(rows % 7 == 0 && rows >= last, "\(rows) rows behind \(last)")
      last = rows
      answers += 1
    }
    #expect(answers > 0 && last > 7)
    let text = Transcript.of("info", path)
    #expect(text.output.contains("the store is open in process \(owner.process.processIdentifier) (roost)"), "\(text)")
    for words in [["compact", path], ["import", path, "Track", "-", "--format", "jsonl"]] {
      let found = try RowsFixture.run(words)
      #expect(found.status == 3)
      #expect(found.errors.contains("process \(owner.process.processIdentifier) (roost)"), "\(found.errors)")
    }
    lock.withLock { isDone = true }
    thread.join()
    try owner.end()
    #expect(count() == owner.given)
    #expect(Transcript.of("verify", path).ending == .good)
  }

  /// Runs a body together with a program that follows the history. The body's function returns the
  /// next printed piece; nil at the end.
  private func following(_ words: [String], _ body: (() -> String?) throws -> String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: RowsFixture.program)
    process.arguments = ["history", path, "--follow", "--interval", "10"] + words
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let child = process.processIdentifier
    // The end of the pipe wakes a waiting reader.
    let alarm = DispatchWorkItem { kill(child, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: alarm)
    defer {
      alarm.cancel()
      kill(child, SIGKILL)
      process.waitUntilExit()
    }
    return try body {
      let data = pipe.fileHandleForReading.availableData
      return data.isEmpty ? nil : String(decoding: data, as: UTF8.self)
    }
  }

  /// Rows between a limit and the next commit were never printed.
  @Test func `a followed history continues where a limit ended it`() throws {
    let store = try RowsFixture.make(path, closes: false)
    for number in 0..<6 {
      try store.write(author: "a\(number)") { try $0.table("Album").insert(["title": .string("t\(number)")]) }
    }
    let text = try following(["--after", "0", "--limit", "2"]) { more in
      var text = ""
      while text.count(where: { $0 == "\n" }) < 7, let piece = more() { text += piece }
      return text
    }
    try store.close()
    let authors = text.split(separator: "\n").compactMap {
      $0.split(separator: "  ").dropFirst(2).first.map(String.init)
    }
    #expect(authors == ["maker"] + (0..<6).map { "a\($0)" }, "\(text)")
  }

  @Test func `a followed history shows the commits of another process`() throws {
    let store = try RowsFixture.make(path, closes: false)
    let text = try following(["--author", "here"]) { more in
      var text = ""
      for number in 1...3 {
        try store.write(author: "here") { _ = try $0.table("Tag").insert(["name": .string("tag \(number)")]) }
        while text.split(separator: "\n").count < number, let piece = more() { text += piece }
      }
      return text
    }
    #expect(text.split(separator: "\n").count == 3, "\(text)")
    #expect(text.contains("here  Tag: 1 inserted (#5)"), "\(text)")
    try store.close()
  }

  /// `roost query … | head`
  @Test func `a reader that ends the pipe ends the program silently`() throws {
    _ = try RowsFixture.make(path, tracks: 20_000)
    for words in [
      ["query", path, "Track"], ["query", path, "Track", "--json"], ["export", path, "Track", "--format", "csv"],
    ] {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: RowsFixture.program)
      process.arguments = words
      let (output, errors) = (Pipe(), Pipe())
      process.standardOutput = output
      process.standardError = errors
      try process.run()
      let head = output.fileHandleForReading.readData(ofLength: 100)
      try output.fileHandleForReading.close()
      let complaints = errors.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      #expect(head.count == 100)
      #expect(complaints.isEmpty, "\(String(decoding: complaints, as: UTF8.self))")
      #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    }
  }

  @Test(arguments: ["query", "export", "schema", "info"])
  func `an output that cannot be written is an error`(_ command: String) throws {
    _ = try RowsFixture.make(path, tracks: 5)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: RowsFixture.program)
    process.arguments = [command, path] + (command == "query" || command == "export" ? ["Track"] : [])
    process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 1 && text.contains("standard output"), "\(process.terminationStatus) \(text)")
  }

  @Test func `a read-only folder and a read-only file suffice`() throws {
    _ = try RowsFixture.make(path, tracks: 5)
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path) }
    for words in [
      ["info", path], ["schema", path], ["query", path, "Track"], ["stats", path], ["history", path], ["verify", path],
    ] {
      let found = try RowsFixture.run(words)
      #expect(found.status == 0 && found.errors == "", "\(words) \(found)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["music.roost"])
  }

  @Test(arguments: ["info", "schema", "stats", "history", "verify", "query", "compact"])
  func `a file that is not a store is refused with a sentence`(command: String) throws {
    _ = try RowsFixture.make(path, tracks: 5)
    let more = command == "query" ? ["Track"] : []
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let (cut, text, pipe) = (folder.file("cut"), folder.file("text"), folder.file("pipe"))
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: cut))
    try Data("no store".utf8).write(to: URL(fileURLWithPath: text))
    #expect(mkfifo(pipe, 0o600) == 0)
    for (file, code) in [
      (folder.file("absent"), "notFound"), (folder.path, "notAStore"), (text, "notAStore"), (pipe, "notAStore"),
      ("/dev/null", "notAStore"),
    ] {
      let found = Transcript.run([command, file] + more)
      #expect(found.ending == .failed, "\(file)")
      #expect(found.errors.hasPrefix("Error: \(code): "), "\(file) \(found.errors)")
      #expect(found.output == "")
    }
    let found = Transcript.run([command, cut] + more)
    #expect(found.ending == .failed)
    #expect((found.errors + found.output).contains("bytes"), "\(found)")
  }
}
