import RoostFile
import RoostTestSupport
import Testing

@testable import RoostPages

/// The log's file after a burst. It becomes shorter again, and no crash during that loses anything.
@Suite struct LogRoomTests {
  private let fileSystem = SimulatedFileSystem()
  /// Twice the four segments that start a checkpoint, two more, and the file's header.
  private let bound = 4096 * (2 * 4 + 2 + 1)

  private func size(_ fileSystem: SimulatedFileSystem) -> Int { fileSystem.contents(of: "/a.roost-log")?.count ?? 0 }

  private func burst(_ store: Store, _ word: UInt64, pieces: Int = 60) throws(StoreError) {
    try store.write { writer throws(StoreError) in
      for _ in 0..<pieces { try writer.pad(1000) }
      try writer.set(0, word)
    }
  }

  private static let seeds: ClosedRange<UInt64> = {
    #if DEBUG
      1...1
    #else
      1...4
    #endif
  }()

  /// Before the fix, the log stayed as long as the largest transaction until the store was closed.
  @Test func `after a burst and a checkpoint the log has the length of the options`() throws {
    let store = try Store.words(fileSystem)
    try burst(store, 1, pieces: 400)
    #expect(size(fileSystem) > 400_000)
    try store.checkpoint()
    #expect(size(fileSystem) <= bound)
    let step = fileSystem.step
    try store.checkpoint()
    #expect(fileSystem.step == step, "nothing had changed")
    try burst(store, 2, pieces: 20)
    let image = try Store.words(fileSystem.crashImage(.none))
    #expect(try image.state() == store.state())
    #expect(try store.findings() == [])
    try store.close()
  }

  @Test func `a writer that continues during the checkpoint frees the room a little later`() throws {
    let store = try Store.words(fileSystem)
    try burst(store, 1, pieces: 400)
    var word: UInt64 = 2
    for _ in 0..<3 {
      var isDone = false
      fileSystem.onStep = { step in
        // Another writer's commit, while the checkpoint writes pages.
        if step.kind == .write, step.path == "/a.roost", step.offset >= 8192, !isDone {
          isDone = true
          do throws(StoreError) { try burst(store, word, pieces: 1) } catch { Issue.record(error) }
        }
      }
      try store.checkpoint()
      word += 1
    }
    fileSystem.onStep = nil
    #expect(size(fileSystem) <= bound)
    #expect(try Store.words(fileSystem.crashImage(.none)).state() == store.state())
  }

  /// If the slot of a superblock rots, the superblock before it must not look like the newest
  /// state.
  @Test(arguments: seeds) func `a crash at any call while the log becomes shorter loses nothing`(
    seed: UInt64
  ) throws {
    let store = try Store.words(fileSystem, "/a.roost", .seeded(seed))
    try burst(store, 1)
    var points: [(CrashPoint, WordState)] = []
    var state = try store.state()
    fileSystem.onStep = { [unowned fileSystem] _ in points.append((fileSystem.crashPoint(), state)) }
    try store.checkpoint()
    #expect(size(fileSystem) <= bound)
    for word in UInt64(2)..<4 {
      try store.checkpoint()
      fileSystem.onStep = nil
      try burst(store, word, pieces: word == 2 ? 5 : 50)
      state = try store.state()
      fileSystem.onStep = { [unowned fileSystem] _ in points.append((fileSystem.crashPoint(), state)) }
    }
    try store.checkpoint()
    fileSystem.onStep = nil
    var (opened, refused) = (0, 0)
    for (point, state) in points {
      for image in point.images(CrashPolicy(exhaustiveUpTo: 1, ofEach: 1, randoms: 1, garbage: 1)) {
        for rotten in [nil, 0, 1] {
          let copy = image.crashImage(.none)
          if let rotten {
            var bytes = try #require(copy.contents(of: "/a.roost"))
            bytes[rotten * Page.size + 200] ^= 3
            #expect(copy.overwrite("/a.roost", with: bytes))
          }
          do throws(StoreError) {
            let found = try Store.words(copy, "/a.roost", .seeded(seed))
            #expect(try found.state() == state, "step \(point.step), \(image.choice!), rotten slot \(rotten ?? -1)")
            opened += 1
          } catch {
            #expect(rotten != nil, "step \(point.step), \(image.choice!): \(error)")
            #expect([.damaged, .truncated, .logMissing, .logDamaged].contains(error.code), "\(error)")
            refused += 1
          }
        }
      }
    }
    #expect(opened > refused)
  }

  @Test func `a replay of a long log ends with a short one`() throws {
    let store = try Store.words(fileSystem)
    for word in UInt64(1)...5 { try burst(store, word) }
    let image = fileSystem.crashImage(.none)
    #expect(size(image) > 4 * bound)
    let found = try Store.words(image)
    #expect(try found.state() == store.state())
    #expect(size(image) <= bound)
    #expect(try Store.words(image.crashImage(.none)).state() == store.state())
  }
}
