import Foundation
import RoostFile
import RoostPages
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

/// Forty runs of a small program, four at a time. Before the fix, ten stored their data, and thirty
/// ended with `locked` at once.
@Suite(.serialized, .timeLimit(.minutes(30))) struct WaitTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("music.roost")
  }

  private func add(_ number: Int, wait: Int) throws -> RowsFixture.Run {
    try RowsFixture.run(
      ["import", path, "Album", "-", "--format", "jsonl", "--wait", "\(wait)"],
      input: "{\"title\": \"album \(number)\"}\n")
  }

  @Test func `forty programs that wait all get the store`() async throws {
    _ = try RowsFixture.make(path)
    let results = try await withThrowingTaskGroup(of: RowsFixture.Run.self) { group in
      var results: [RowsFixture.Run] = []
      for number in 0..<40 {
        if number >= 4, let result = try await group.next() { results.append(result) }
        group.addTask { try add(number, wait: 200) }
      }
      for try await result in group { results.append(result) }
      return results
    }
    for result in results where result.status != 0 { Issue.record("\(result.status): \(result.errors)") }
    #expect(results.count == 40)
    #expect(Transcript.of("query", path, "Album", "--count").output == "42\n")
  }

  @Test func `the error after a wait names the process that has the store`() throws {
    let store = try RowsFixture.make(path, closes: false)
    for (words, said) in [
      (["import", path, "Album", "-", "--format", "jsonl"], ""),
      (["import", path, "Album", "-", "--format", "jsonl", "--wait", "1"], "also after 1 s"),
      (["compact", path, "--wait", "1"], ""),
    ] {
      let found = try RowsFixture.run(words, input: "{\"title\": \"a\"}\n")
      #expect(found.status == 3)
      #expect(found.errors.contains("process \(ProcessInfo.processInfo.processIdentifier)"), "\(found.errors)")
      #expect(said.isEmpty || found.errors.contains(said), "\(found.errors)")
    }
    try store.close()
    let found = try RowsFixture.run(["compact", path, "--wait", "1"])
    #expect(found.status == 0)
    #expect(try RowsFixture.run(["compact", path, "--wait", "soon"]).status == 2)
  }

  @Test func `an import that makes its class waits too`() throws {
    let store = try RowsFixture.make(path, closes: false)
    let labels = folder.file("labels.csv")
    try Data("name\nBlue\n".utf8).write(to: URL(filePath: labels))
    let words = ["import", "--create", "--yes", path, "Label", labels]
    #expect(try RowsFixture.run(words).status == 3)
    let thread = try RoostFile.Thread {
      RoostFile.Thread.sleep(microseconds: 300_000)
      try? store.close()
    }
    let found = try RowsFixture.run(words + ["--wait", "200"])
    thread.join()
    #expect(found.status == 0, "\(found.errors)")
    #expect(Transcript.of("query", path, "Label", "--count").output == "1\n")
  }

  @Test func `a store is replaced when its program closes it`() throws {
    let store = try RowsFixture.make(path, closes: false)
    let backup = folder.file("copy.roost")
    #expect(try RowsFixture.run(["backup", path, backup]).status == 0)
    let words = ["restore", "--replace", backup, path]
    #expect(try RowsFixture.run(words + ["--wait", "1"]).status == 3)
    let thread = try RoostFile.Thread {
      RoostFile.Thread.sleep(microseconds: 300_000)
      try? store.close()
    }
    #expect(try RowsFixture.run(words + ["--wait", "200"]).status == 0)
    thread.join()
    #expect(Transcript.of("query", path, "Album", "--count").output == "2\n")
  }
}
