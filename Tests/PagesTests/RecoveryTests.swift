import RoostFile
import RoostTestSupport
import Synchronization
import Testing

@testable import RoostPages

/// Replaying a log that is much longer than the limit for drafts.
@Suite struct RecoveryTests {
  private final class Peak: Sendable {
    let drafts = Atomic<Int>(0)
  }

  /// A floor that records the number of drafts while it replays.
  private func floor(_ peak: Peak) -> Store.Floor {
    var floor = WordFloor.floor
    let replay = floor.replay
    floor.replay = { (transaction, kind, bytes) throws(StoreError) in
      try replay(transaction, kind, bytes)
      let now = transaction.store.frames.drafts.load(ordering: .relaxed)
      peak.drafts.max(now, ordering: .relaxed)
    }
    return floor
  }

  /// A store that changed a leaf in each of many commits, and then stopped.
  private func crashed() throws -> (image: SimulatedFileSystem, state: WordState) {
    let fileSystem = SimulatedFileSystem()
    let store = try Store.words(fileSystem)
    for round in 0..<3 * WordFloor.leaves {
      try store.write { writer throws(StoreError) in
        try writer.set(round % WordFloor.leaves * WordFloor.wordsPerLeaf, UInt64(round))
        if round % 20 == 0 { try writer.put(round / 20 % WordFloor.cells, [UInt8](repeating: 3, count: 9000)) }
      }
    }
    let state = try store.state()
    let image = fileSystem.crashImage(.none)
    try store.close()
    return (image, state)
  }

  private var options: StoreOptions {
    var options = StoreOptions.forTests
    options.draftBytes = 16 * Page.size
    return options
  }

  /// Before the fix, each commit changed too little to be written early, and all of them together
  /// were kept in memory: a replay took memory for all pages that the log had changed.
  @Test func `replay keeps the changed pages of many commits within their limit`() throws {
    let (image, state) = try crashed()
    let peak = Peak()
    let store = try Store.open("/a.roost", options: options, fileSystem: image, floor: floor(peak))
    #expect(peak.drafts.load(ordering: .relaxed) < 16 + 8, "\(peak.drafts.load(ordering: .relaxed)) drafts")
    #expect(try store.state() == state)
    #expect(try store.findings() == [])
    try store.close()
    let again = try Store.words(image)
    #expect(try again.state() == state)
    #expect(try again.findings() == [])
  }

  /// Pages without room on the device stay in memory, as without a limit: the log still has
  /// everything.
  @Test func `a full disk does not prevent the replay of a long log`() throws {
    let (image, state) = try crashed()
    let used = try image.paths.reduce(UInt64(0)) { try $0 + UInt64(#require(image.contents(of: $1)).count) }
    image.capacity = used + UInt64(4 * Page.size)
    let store = try Store.words(image, "/a.roost", options)
    #expect(try store.state() == state)
    image.capacity = nil
    try store.checkpoint()
    #expect(try store.findings() == [])
    try store.close()
    #expect(try Store.words(image).state() == state)
  }

  @Test func `a crash while a long log is replayed loses nothing`() throws {
    let (start, state) = try crashed()
    var points: [CrashPoint] = []
    start.onStep = { [unowned start] _ in points.append(start.crashPoint()) }
    let store = try Store.words(start, "/a.roost", options)
    start.onStep = nil
    #expect(try store.state() == state)
    #expect(points.count > 10)
    let policy = CrashPolicy(exhaustiveUpTo: 2, ofEach: 2, randoms: 2, garbage: 1)
    for point in points {
      for image in point.images(policy) {
        let found = try Store.words(image, "/a.roost", options)
        #expect(try found.state() == state, "step \(point.step), \(image.choice!)")
        #expect(try found.findings() == [], "step \(point.step), \(image.choice!)")
      }
    }
  }
}
