import RoostFile
import RoostTestSupport
import Testing

@testable import RoostPages

@Suite struct WriterQueueTests {
  /// The actions of threads, in order.
  private final class Journal: @unchecked Sendable {
    // `@unchecked Sendable`: `lock` guards the entries.
    private let lock = Lock()
    private var entries: [Int] = []
    func add(_ entry: Int) { lock.withLock { entries.append(entry) } }
    var all: [Int] { lock.withLock { entries } }
  }

  @Test func `the first thread in the queue gets the turn`() throws {
    let queue = WriterQueue()
    let journal = Journal()
    queue.takeAlways()
    var threads: [RoostFile.Thread] = []
    for number in 0..<6 {
      threads.append(
        try RoostFile.Thread {
          queue.takeAlways()
          journal.add(number)
          queue.give()
        })
      while queue.waitingCount <= number {}
    }
    queue.give()
    for thread in threads { thread.join() }
    #expect(journal.all == [0, 1, 2, 3, 4, 5])
    #expect(!queue.isHeld)
  }

  @Test func `a thread that waits too long gets an error and leaves the queue`() throws {
    let queue = WriterQueue()
    let journal = Journal()
    queue.takeAlways()
    let thread = try RoostFile.Thread {
      let code = failure { () throws(StoreError) in try queue.take(until: Clock.monotonicNanoseconds() + 1_000_000) }
      journal.add(code == .timedOut ? 1 : 2)
    }
    thread.join()
    #expect(journal.all == [1])
    #expect(queue.waitingCount == 0)
    queue.give()
    #expect(!queue.isHeld)
    try queue.take(until: 0)
    queue.give()
  }

  @Test func `a thread that has the turn cannot take it again`() throws {
    let queue = WriterQueue()
    try queue.take(until: nil)
    #expect(failure { () throws(StoreError) in try queue.take(until: nil) } == .nestedWrite)
    #expect(failure { () throws(StoreError) in try queue.refuseHolder() } == .nestedWrite)
    queue.give()
    try queue.refuseHolder()
  }

  @Test func `an infinite timeout does not overflow`() throws {
    let store = try Store.words(SimulatedFileSystem())
    let transaction = try store.beginWrite(timeoutMilliseconds: .max)
    #expect(failure { () throws(StoreError) in _ = try store.beginWrite() } == .nestedWrite)
    #expect(failure { () throws(StoreError) in try store.checkpoint() } == .nestedWrite)
    #expect(failure { () throws(StoreError) in try store.close() } == .nestedWrite)
    transaction.abandon()
    try store.close()
  }
}
