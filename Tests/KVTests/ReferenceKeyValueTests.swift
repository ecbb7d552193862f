import Foundation
import RoostKV
import Testing

/// The examples in the comments of ``KeyValueStore``.
@Suite struct ReferenceKeyValueTests {
  @Test func `a store, its trees and a cursor`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "roost-reference-\(UUID())").path()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try KeyValueStore(folder + "/music.roost")
    try store.write { writer in
      let titles = try writer.tree("titles")
      try titles.put("t1", "Heroes")
    }
    let title = try store.read { try $0.tree("titles").string("t1") }
    #expect(title == "Heroes")

    var counts: [Int] = []
    func print(_ count: Int) { counts.append(count) }
    try store.read { reader in
      let tree = try reader.tree("titles")
      var cursor = try tree.cursor()
      while try cursor.next() { print(try cursor.key().count) }
    }
    #expect(counts == [2])
    try store.close()
  }
}
