import Foundation
import RoostKV
import Testing

func keepAlbums(in path: String) throws -> [String] {
  let store = try KeyValueStore(path)

  // A transaction: all of it, or nothing. When `write` returns, it is on the disk.
  try store.write { writer in
    let albums = try writer.tree("albums")
    try albums.put("bowie/1977/heroes", "10 tracks")
    try albums.put("bowie/1977/low", "11 tracks")
    try albums.put("eno/1978/ambient 1", "4 tracks")
  }

  // A snapshot: writers do not change it and do not wait for it.
  let found = try store.read { reader in
    let albums = try reader.tree("albums")
    let low = try albums.string("bowie/1977/low") ?? "not there"
    let count = try albums.count(from: "bowie/", to: "bowie0")
    var lines = ["\(count) by Bowie; Low has \(low)"]
    try albums.forEach(from: Array("c".utf8)) { key, value in
      lines.append(key.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
      return true
    }
    return lines
  }

  try store.close()
  return found
}

/// The code of the guide to the key-value store.
@Suite struct KeyValueStoreGuideTests {
  private let folder: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    folder = url.path
  }

  @Test func `the example does what it says`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let found = try keepAlbums(in: folder + "/music.roost")
    #expect(found == ["2 by Bowie; Low has 11 tracks", "eno/1978/ambient 1"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["music.roost"])
  }

  @Test func `tables, ranges and cursors`() throws {
    let store = try KeyValueStore(inMemory: StoreSettings())
    var printed: [String] = []
    func print(_ item: Any) { printed.append("\(item)") }
    try store.write { writer in
      let events = try writer.table("events")
      for minute in [3, 5, 8, 13] as [UInt64] { try events.put(minute, "event at \(minute)") }
      try events.remove(8)
    }
    try store.read { reader in
      let events = try reader.table("events")
      print(try events.count(in: 4..<20))
      var cursor = try events.cursor()
      var isThere = try cursor.seek(atMost: 10)
      while isThere {
        print(try cursor.key)
        isThere = try cursor.previous()
      }
    }
    #expect(printed == ["2", "5", "3"])
  }

  @Test func `a savepoint that is rolled back`() throws {
    struct Refused: Error {}
    let store = try KeyValueStore(inMemory: StoreSettings())
    try store.write { writer in
      let stock = try writer.tree("stock")
      try stock.put("pears", "4")
      do {
        try writer.savepoint {
          try stock.put("apples", "-1")
          throw Refused()
        }
      } catch is Refused {
        try stock.put("apples", "0")
      }
    }
    #expect(try store.read { try $0.tree("stock").string("apples") } == "0")
    #expect(throws: Refused.self) {
      try store.write { writer in
        try writer.tree("stock").put("pears", "5")
        throw Refused()
      }
    }
    #expect(try store.read { try $0.tree("stock").string("pears") } == "4")
  }

  @Test func `errors, backups and checks`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try KeyValueStore(folder + "/a.roost")
    try store.write(.relaxed) { try $0.tree("albums").put("low", "11") }
    var told = ""
    func print(_ item: Any) { told = "\(item)" }

    let long = String(repeating: "x", count: 2_000)
    do {
      try store.write { try $0.tree("albums").put(long, "") }
    } catch let error as StoreError where error.code == .keyTooLong {
      print(error)
    }
    #expect(told.hasPrefix("keyTooLong: "), "\(told)")

    try store.backup(to: folder + "/backup.roost")
    let check = try store.verify()
    #expect(check.isSound)

    try store.close()
    var settings = StoreSettings()
    settings.readOnly = true
    let reading = try KeyValueStore(folder + "/backup.roost", settings: settings)
    #expect(try reading.read { try $0.tree("albums").string("low") } == "11")
  }
}
