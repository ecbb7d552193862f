import RoostFile
import RoostTestSupport
import Synchronization
import Testing

@testable import RoostPages

/// Concurrent readers, writers and checkpoints.
@Suite struct ConcurrencyTests {
  private let fileSystem = SimulatedFileSystem()

  private func fill(_ store: Store, _ word: UInt64, _ durability: SyncMode = .full) throws(StoreError) {
    try store.write(durability) { writer throws(StoreError) in
      for index in stride(from: 0, to: WordFloor.words, by: WordFloor.wordsPerLeaf) { try writer.set(index, word) }
    }
  }

  private static func isAll(_ word: UInt64, _ reader: ReadTransaction) -> Bool {
    let words = WordReader(view: reader.view, root: reader.snapshot.catalog)
    for index in stride(from: 0, to: WordFloor.words, by: WordFloor.wordsPerLeaf) {
      guard let found = try? words.word(index), found == word else { return false }
    }
    return true
  }

  /// Before the fix, a dead draft that only an older reader saw was freed while the checkpoint
  /// wrote it. Its place got a new page, which the checkpoint then marked as written.
  @Test func `a page made while a checkpoint runs is not taken for written`() throws {
    let store = try Store.words(fileSystem)
    try fill(store, 1)
    let reader = try store.beginRead()
    try fill(store, 2)
    var isDone = false
    fileSystem.onStep = { step in
      if isDone || step.kind != .sync || step.path != "/a.roost" { return }
      isDone = true
      store.endRead(reader)
      #expect(failure { () throws(StoreError) in try fill(store, 3) } == nil)
    }
    try store.checkpoint()
    fileSystem.onStep = nil
    #expect(isDone)
    try store.checkpoint()
    let image = try Store.words(fileSystem.crashImage(.none))
    #expect(try image.read { reader throws(StoreError) in try reader.word(8) } == 3)
    #expect(try image.findings() == [])
    #expect(try store.findings() == [])
  }

  /// Before the fix, the first of two commits was seen alone, because a sync covered only it. The
  /// second commit had freed its pages already.
  @Test func `a commit that waits for its sync keeps its pages`() throws {
    let store = try Store.words(fileSystem)
    try fill(store, 1)
    let state = Steps()
    fileSystem.onStep = { step in
      guard step.kind == .sync, step.path == "/a.roost-log" else { return }
      switch state.next() {
      case 1:
        // The first commit's sync is running: a second commit is appended and waits.
        let end = store.commits.appendedPosition
        state.thread = try? RoostFile.Thread {
          state.note(failure { () throws(StoreError) in try fill(store, 3) } == nil)
        }
        while store.commits.appendedPosition == end {}
      case 2:
        // The second commit's sync: what is seen is the first.
        guard let reader = try? store.beginRead() else { return state.note(false) }
        state.note(Self.isAll(2, reader))
        state.note(failure { () throws(StoreError) in try fill(store, 4, .relaxed) } == nil)
        state.note(Self.isAll(2, reader))
        store.endRead(reader)
      default: break
      }
    }
    try fill(store, 2)
    state.thread?.join()
    fileSystem.onStep = nil
    #expect(state.notes == [true, true, true, true])
    #expect(try store.findings() == [])
    try store.close()
  }

  private final class Steps: @unchecked Sendable {
    // `@unchecked Sendable`: one thread at a time uses it.
    private let count = Atomic<Int>(0)
    private let lock = Lock()
    private var noted: [Bool] = []
    var thread: RoostFile.Thread?
    func next() -> Int { count.add(1, ordering: .sequentiallyConsistent).newValue }
    func note(_ outcome: Bool) { lock.withLock { noted.append(outcome) } }
    var notes: [Bool] { lock.withLock { noted } }
  }

  @Test(arguments: [SyncMode.full, .relaxed]) func `readers see whole commits during writes and checkpoints`(
    durability: SyncMode
  ) throws {
    var options = StoreOptions.forTests
    options.checkpointing = .background
    options.cacheBytes = 80 * Page.size
    options.draftBytes = 100 * Page.size
    let store = try Store.words(fileSystem, "/a.roost", options)
    fileSystem.recordsSteps = false
    try fill(store, 1)
    let wrong = Atomic<Int>(0)
    let isDone = Atomic<Bool>(false)
    try onThreads(5) { thread in
      if thread < 2 {
        for round in 0..<120 {
          let word = UInt64(thread * 1000 + round + 2)
          if failure({ () throws(StoreError) in try fill(store, word, durability) }) != nil {
            wrong.add(1, ordering: .relaxed)
          }
        }
        isDone.store(true, ordering: .relaxed)
      } else {
        while !isDone.load(ordering: .relaxed) {
          guard let reader = try? store.beginRead() else { continue }
          let words = WordReader(view: reader.view, root: reader.snapshot.catalog)
          if let first = try? words.word(0) {
            for _ in 0..<3 where !Self.isAll(first, reader) { wrong.add(1, ordering: .relaxed) }
          } else {
            wrong.add(1, ordering: .relaxed)
          }
          store.endRead(reader)
        }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
    #expect(store.checkpointFailure == nil)
    #expect(store.checkpointsMade.load(ordering: .relaxed) > 0)
    #expect(store.tip.transaction == 241)
    // A checkpoint may still run in the background. Meanwhile a place may have no owner.
    try store.checkpoint()
    #expect(try store.findings() == [])
    let state = try store.state()
    try store.close()
    let again = try Store.words(fileSystem, "/a.roost", options)
    #expect(try again.state() == state)
    #expect(try again.findings() == [])
  }

  /// Before the fix, one thread closed the store while another was about to share it. After a first
  /// fix, the other thread found the file locked by its own process, as long as the closing took.
  @Test func `concurrent opening and closing`() throws {
    try Store.words(fileSystem).close()
    fileSystem.recordsSteps = false
    let wrong = Atomic<Int>(0)
    try onThreads(3) { thread in
      for round in 0..<150 {
        let code = failure { () throws(StoreError) in
          let store = try Store.words(fileSystem)
          try store.write { writer throws(StoreError) in try writer.set(thread + 1, UInt64(round)) }
          // In some rounds a store is dropped, or closed twice at once.
          if round % 10 == 9 && thread == 2 { return }
          try store.close()
        }
        if code != nil { wrong.add(1, ordering: .relaxed) }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
    let store = try Store.words(fileSystem)
    #expect(try store.findings() == [])
    for thread in 1...3 {
      #expect(try store.read { reader throws(StoreError) in try reader.word(thread) } == 149)
    }
    try store.close()
  }

  /// Before the fix, closing first refused new readers, then looked for readers, found one, and
  /// allowed readers again. A reader that began in between got the error that the store was closed,
  /// although it was not.
  @Test func `a failed close does not disturb readers`() throws {
    let store = try Store.words(fileSystem)
    try fill(store, 1)
    let held = try store.beginRead()
    let wrong = Atomic<Int>(0)
    let isDone = Atomic<Bool>(false)
    try onThreads(2) { thread in
      if thread == 0 {
        for _ in 0..<2000 where failure({ () throws(StoreError) in try store.close() }) != .busy {
          wrong.add(1, ordering: .relaxed)
        }
        isDone.store(true, ordering: .relaxed)
        return
      }
      while !isDone.load(ordering: .relaxed) {
        if failure({ () throws(StoreError) in store.endRead(try store.beginRead()) }) != nil {
          wrong.add(1, ordering: .relaxed)
        }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
    store.endRead(held)
    try store.close()
    #expect(failure { () throws(StoreError) in _ = try store.beginRead() } == .closed)
  }

  /// Before the fix, the checkpointer had its own lock when it released the last reference to a
  /// store.
  @Test func `a store that is dropped while its checkpoint runs ends`() throws {
    var options = StoreOptions.forTests
    options.checkpointing = .background
    options.draftBytes = Page.size
    for _ in 0..<60 {
      let fileSystem = SimulatedFileSystem()
      let store = try Store.words(fileSystem, "/a.roost", options)
      try fill(store, 1)
    }
  }
}
