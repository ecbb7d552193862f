import RoostFile
import RoostTestSupport
import Synchronization
import Testing

@testable import RoostPages

@Suite struct CommitQueueTests {
  private let fileSystem = SimulatedFileSystem()
  private let file: any StorageFile
  private let queue: CommitQueue
  private let published: PublishedSnapshot

  init() throws {
    file = try fileSystem.open("/a-log", .writeOrCreate)
    published = PublishedSnapshot(.empty)
    queue = CommitQueue(.empty, position: 0, published: published)
  }

  private func snapshot(_ stamp: UInt64) -> Snapshot { Snapshot(stamp: stamp, transaction: stamp, catalog: .empty) }
  private var seen: UInt64 { published.snapshot.stamp }

  @Test func `a relaxed commit is seen at once, but never before an earlier full one`() throws {
    _ = queue.add(snapshot(2), end: 10, .relaxed)
    #expect(seen == 2)
    _ = queue.add(snapshot(3), end: 20, .full)
    _ = queue.add(snapshot(4), end: 30, .relaxed)
    _ = queue.add(snapshot(5), end: 40, .full)
    #expect(seen == 2)
    try queue.sync(upTo: 20, file)
    // One sync covers everything that was appended.
    #expect(seen == 5)
    #expect(queue.syncedPosition == 40)
    let steps = fileSystem.steps.count { $0.kind == .sync }
    try queue.sync(upTo: 40, file)
    #expect(fileSystem.steps.count { $0.kind == .sync } == steps)
  }

  @Test func `a wait for a relaxed commit syncs the full one before it, if there is one`() throws {
    queue.attach(file)
    _ = queue.add(snapshot(2), end: 10, .relaxed)
    try queue.show(2)
    #expect(seen == 2 && fileSystem.steps.count { $0.kind == .sync } == 0)
    _ = queue.add(snapshot(3), end: 20, .full)
    _ = queue.add(snapshot(4), end: 30, .relaxed)
    #expect(seen == 2)
    try queue.show(4)
    #expect(seen == 4 && fileSystem.steps.count { $0.kind == .sync } == 1)
  }

  @Test func `every snapshot that may still be seen is reported`() throws {
    #expect(queue.liveStamps == [1])
    _ = queue.add(snapshot(3), end: 20, .full)
    _ = queue.add(snapshot(4), end: 30, .full)
    #expect(queue.liveStamps == [1, 3, 4])
    try queue.sync(upTo: 30, file)
    #expect(queue.liveStamps == [4])
  }

  @Test func `after a failed sync nothing more is seen, and no sync follows`() {
    _ = queue.add(snapshot(2), end: 10, .full)
    fileSystem.inject(FaultRule(.sync, .error(ErrorNumber.io)))
    #expect(failure { () throws(StoreError) in try queue.sync(upTo: 10, file) } == .commitUncertain)
    #expect(failure { () throws(StoreError) in try queue.sync(upTo: 10, file) } == .commitUncertain)
    #expect(failure { () throws(StoreError) in try queue.check() } == .poisoned)
    #expect(fileSystem.steps.count { $0.kind == .sync } == 1)
    _ = queue.add(snapshot(3), end: 20, .relaxed)
    #expect(seen == 1)
  }

  @Test func `many threads share syncs, and each is covered when it returns`() throws {
    let total = Atomic<Int>(0)
    try onThreads(4) { thread in
      for round in 1...50 {
        let number = UInt64(thread * 50 + round)
        let end = Self.next(queue, number)
        guard failure({ () throws(StoreError) in try queue.sync(upTo: end, file) }) == nil else { return }
        if queue.syncedPosition >= end { total.add(1, ordering: .relaxed) }
      }
    }
    #expect(total.load(ordering: .relaxed) == 200)
    #expect(queue.liveStamps.count == 1)
  }

  private static let order = Lock()
  /// Appends like the thread with the turn: positions and stamps ascend together.
  private static func next(_ queue: CommitQueue, _ number: UInt64) -> UInt64 {
    order.withLock {
      let end = queue.appendedPosition + 8
      _ = queue.add(Snapshot(stamp: end, transaction: number, catalog: .empty), end: end, .full)
      return end
    }
  }
}

/// Runs `body` on this number of threads and waits for all of them.
func onThreads(_ count: Int, _ body: (Int) -> Void) throws {
  // The closure does not outlive the joins below.
  try withoutActuallyEscaping(body) { body in
    nonisolated(unsafe) let body = body
    let threads = try (0..<count).map { number throws(StoreError) in try RoostFile.Thread { body(number) } }
    for thread in threads { thread.join() }
  }
}
