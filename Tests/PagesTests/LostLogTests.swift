import RoostFile
import RoostTestSupport
import Testing

@testable import RoostPages

/// A log with commits of another store is never removed, and a replaced file is not written to.
@Suite struct LostLogTests {
  private let fileSystem = SimulatedFileSystem()
  private let told = Told()

  /// The messages on standard error.
  private final class Told: @unchecked Sendable {
    // `@unchecked Sendable`: one thread uses it.
    var sentences: [String] = []
  }

  private func options(_ seed: UInt64, _ missing: MissingStore = .refuse) -> StoreOptions {
    var options = StoreOptions.seeded(seed)
    options.missingStore = missing
    options.say = { [told] in told.sentences.append($0) }
    return options
  }

  /// A file system in which a store was killed after a commit and renamed, and a closed store was
  /// copied to its name.
  private func exchanged(_ word: UInt64 = 7, seed: UInt64 = 1) throws -> SimulatedFileSystem {
    let killed = SimulatedFileSystem()
    let store = try Store.words(killed, "/a.roost", options(seed))
    try store.write { writer throws(StoreError) in try writer.set(1, word) }
    let image = killed.crashImage(.all)
    let backup = SimulatedFileSystem()
    try Store.words(backup, "/b.roost", options(99)).close()
    let closed = try #require(backup.contents(of: "/b.roost"))
    try image.rename("/a.roost", to: "/a.broken")
    let copy = try image.open("/a.roost", .writeOrCreate)
    try copy.write(closed, at: 0)
    copy.close()
    return image
  }

  /// A process was killed with its commits in the log. Its file was renamed and a backup copied to
  /// the name. Before the fix, opening the backup removed the log with all commits of the renamed
  /// file, without an error.
  @Test func `the log of another store is put aside, and its commits can be restored`() throws {
    let image = try exchanged()
    let log = try #require(image.contents(of: "/a.roost-log"))
    #expect(try Store.foreignLog(beside: "/a.roost", fileSystem: image) != nil)
    let store = try Store.words(image, "/a.roost", options(3))
    let lost = try #require(image.paths.first { $0.contains("-log.lost-") })
    #expect(image.contents(of: lost) == log)
    #expect(told.sentences.count == 1 && told.sentences[0].contains(lost))
    #expect(try Store.foreignLog(beside: "/a.roost", fileSystem: image) == nil)
    try store.write { writer throws(StoreError) in try writer.set(1, 8) }
    try store.close()
    try image.rename(lost, to: "/a.broken-log")
    let back = try Store.words(image, "/a.broken", options(4))
    #expect(try back.read { reader throws(StoreError) in try reader.word(1) } == 7)
    try back.close()
    #expect(told.sentences.count == 1)
  }

  @Test func `a log that is put aside replaces no other`() throws {
    let image = try exchanged()
    let log = try #require(image.contents(of: "/a.roost-log"))
    try Store.words(image, "/a.roost", options(3)).close()
    let first = try #require(image.paths.first { $0.contains("-log.lost-") })
    // A second copy of the log.
    let again = try image.open("/a.roost-log", .writeOrCreate)
    try again.write(log, at: 0)
    again.close()
    try Store.words(image, "/a.roost", options(5)).close()
    #expect(image.paths.filter { $0.contains("-log.lost-") } == [first, first + "-2"])
    #expect(image.contents(of: first) == log && image.contents(of: first + "-2") == log)
  }

  @Test func `a log is used only for its own store, and only until the store was closed`() throws {
    let image = try exchanged()
    func use(_ path: String, _ log: String, _ image: SimulatedFileSystem) throws {
      try Store.examineRemains(path, fileSystem: image, floor: WordFloor.floor).useLog(log, image)
    }
    try use("/a.broken", "/a.roost-log", image)
    let foreign = #expect(throws: StoreError.self) { try use("/a.roost", "/a.roost-log", image) }
    #expect(foreign?.code == .logMissing && foreign?.detail.contains("belongs to the store") == true)
    let store = try Store.words(fileSystem, "/a.roost", options(1))
    try store.write { writer throws(StoreError) in try writer.set(1, 7) }
    let log = try #require(fileSystem.contents(of: "/a.roost-log"))
    try store.close()
    let copy = try fileSystem.open("/copy-log", .writeOrCreate)
    try copy.write(log, at: 0)
    copy.close()
    let closed = #expect(throws: StoreError.self) { try use("/a.roost", "/copy-log", fileSystem) }
    #expect(closed?.code == .logMissing && closed?.detail.contains("was closed") == true)
  }

  @Test func `a log of another store without commits is removed without a message`() throws {
    let other = SimulatedFileSystem()
    let idle = try Store.words(other, "/a.roost", options(1))
    let log = try #require(other.contents(of: "/a.roost-log"))
    try Store.words(fileSystem, "/a.roost", options(2)).close()
    let file = try fileSystem.open("/a.roost-log", .writeOrCreate)
    try file.write(log, at: 0)
    file.close()
    try Store.words(fileSystem, "/a.roost", options(2)).close()
    #expect(fileSystem.paths == ["/a.roost"])
    #expect(told.sentences == [])
    try idle.close()
  }

  /// Programs remove their store's file to start over, and its log stays. Before the fix, they got
  /// an error.
  @Test func `a store whose file was removed starts over if that is allowed`() throws {
    let store = try Store.words(fileSystem, "/a.roost", options(1))
    try store.write { writer throws(StoreError) in try writer.set(1, 7) }
    let image = fileSystem.crashImage(.all)
    let log = try #require(image.contents(of: "/a.roost-log"))
    try image.remove("/a.roost")
    let refused = #expect(throws: StoreError.self) { try Store.words(image, "/a.roost", options(2)) }
    #expect(refused?.code == .storeMissing)
    #expect(image.paths == ["/a.roost-log"] && told.sentences == [])
    let begun = try Store.words(image, "/a.roost", options(2, .begin))
    let lost = try #require(image.paths.first { $0.contains("-log.lost-") })
    #expect(image.contents(of: lost) == log)
    #expect(told.sentences.count == 1 && told.sentences[0].contains(lost))
    try begun.write { writer throws(StoreError) in try writer.set(1, 9) }
    #expect(try begun.read { reader throws(StoreError) in try reader.word(1) } == 9)
    try begun.close()
    #expect(image.paths == ["/a.roost", lost])
    try store.close()
  }

  @Test func `a log without commits whose store's file was removed is removed without a message`() throws {
    let idle = try Store.words(fileSystem, "/a.roost", options(1))
    let image = fileSystem.crashImage(.all)
    try image.remove("/a.roost")
    try #require(image.contents(of: "/a.roost-log")?.isEmpty == false)
    try Store.words(image, "/a.roost", options(2, .begin)).close()
    #expect(image.paths == ["/a.roost"] && told.sentences == [])
    try idle.close()
  }

  @Test func `a store whose file was removed refuses its next commit, even if no other file has the name`() throws {
    let store = try Store.words(fileSystem, "/a.roost", options(1))
    try store.write { writer throws(StoreError) in try writer.set(1, 7) }
    try fileSystem.remove("/a.roost")
    let error = #expect(throws: StoreError.self) {
      try store.write { writer throws(StoreError) in try writer.set(1, 9) }
    }
    #expect(error?.code == .fileReplaced)
    try? store.close()
  }

  @Test(arguments: [false, true])
  func `a store whose file was removed or replaced refuses its next commit, and leaves the new store's log`(
    isReplaced: Bool
  ) throws {
    let store = try Store.words(fileSystem, "/a.roost", options(1))
    try store.write { writer throws(StoreError) in try writer.set(1, 7) }
    if isReplaced { try fileSystem.rename("/a.roost", to: "/old.roost") } else { try fileSystem.remove("/a.roost") }
    if isReplaced {
      // A file that was only renamed can still be written to.
      try store.write { writer throws(StoreError) in try writer.set(1, 8) }
    }
    let next = try Store.words(fileSystem, "/a.roost", options(2, .begin))
    #expect(next !== store)
    try next.write { writer throws(StoreError) in try writer.set(1, 20) }
    let error = #expect(throws: StoreError.self) {
      try store.write { writer throws(StoreError) in try writer.set(1, 9) }
    }
    #expect(error?.code == .fileReplaced)
    #expect(try store.read { reader throws(StoreError) in try reader.word(1) } == (isReplaced ? 8 : 7))
    try store.close()
    let found = try Store.words(fileSystem.crashImage(.none), "/a.roost", options(3))
    #expect(try found.read { reader throws(StoreError) in try reader.word(1) } == 20)
    try next.close()
  }

  /// Before the fix, looking up the file's name took a quarter of the time of a relaxed commit.
  @Test func `relaxed commits sometimes check whether the file was removed, and durable ones always`() throws {
    let store = try Store.words(fileSystem, "/a.roost", options(1))
    func refusal(_ durability: SyncMode) -> StoreError.Code? {
      do throws(StoreError) {
        try store.write(durability) { writer throws(StoreError) in try writer.set(1, 9) }
        return nil
      } catch { return error.code }
    }
    try fileSystem.remove("/a.roost")
    // A commit has just checked.
    store.lookedUpAt = .max
    #expect(refusal(.relaxed) == nil && refusal(.full) == .fileReplaced)
    // It is known now.
    for _ in 0..<3 { #expect(refusal(.relaxed) == .fileReplaced) }
    try store.close()
  }
}
