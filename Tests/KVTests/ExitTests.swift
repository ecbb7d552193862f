import Foundation
import RoostKV
import RoostTestSupport
import Testing

/// A program whose store is a global ends without closing it. Before the fix, it left its log with
/// most of its data.
@Suite struct ExitTests {
  private enum Globals {
    // `nonisolated(unsafe)`: one thread uses them.
    nonisolated(unsafe) static var store: KeyValueStore?
    // `nonisolated(unsafe)`: one thread uses it.
    nonisolated(unsafe) static var other: KeyValueStore?
    nonisolated(unsafe) static var folder: ScratchFolder?
  }

  @Test(arguments: [false, true]) func `a program that ends with an open store leaves one file`(reads: Bool)
    async throws
  {
    let result =
      reads
      ? try await #require(processExitsWith: .exitCode(3), observing: [\.standardOutputContent]) {
        try ExitTests.end(true)
      }
      : try await #require(processExitsWith: .exitCode(3), observing: [\.standardOutputContent]) {
        try ExitTests.end(false)
      }
    let output = String(decoding: result.standardOutputContent, as: UTF8.self)
    let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("FOLDER ") })
    let path = String(line.dropFirst(7))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let files = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    // A transaction that is still reading keeps the log.
    #expect(files == (reads ? ["a.roost", "a.roost-log"] : ["a.roost"]))
    let store = try KeyValueStore(path + "/a.roost")
    #expect(try store.read { try $0.tree("t").string("key") } == "value")
    try store.close()
  }

  private static func end(_ reads: Bool) throws {
    let folder = try ScratchFolder()
    let store = try KeyValueStore(folder.file("a.roost"))
    (Globals.store, Globals.folder) = (store, folder)
    // Two parts of a program may have opened it.
    Globals.other = try KeyValueStore(folder.file("a.roost"))
    try store.write { try $0.tree("t").put("key", "value") }
    print("FOLDER \(folder.path)")
    if reads { try store.read { _ in exit(3) } }
    exit(3)
  }
}
