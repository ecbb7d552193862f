import RoostFile
import RoostTestSupport
import Synchronization
import Testing

@testable import RoostPages

@Suite struct CheckpointTests {
  private let fileSystem = SimulatedFileSystem()

  private func fill(_ store: Store, _ word: UInt64, _ count: Int = WordFloor.words) throws(StoreError) {
    try store.write { writer throws(StoreError) in
      for index in 0..<count { try writer.set(index, word) }
    }
  }

  private func size(_ path: String) -> Int { fileSystem.contents(of: path)?.count ?? 0 }

  @Test func `a checkpoint writes the changes and replay starts after it`() throws {
    let store = try Store.words(fileSystem)
    try fill(store, 1)
    #expect(store.frames.drafts.load(ordering: .relaxed) > 60)
    try store.checkpoint()
    #expect(store.frames.drafts.load(ordering: .relaxed) == 0)
    let step = fileSystem.step
    try store.checkpoint()
    #expect(fileSystem.step == step, "nothing had changed")
    let image = try Store.words(fileSystem.crashImage(.none))
    #expect(image.tip.transaction == 1)
    #expect(image.tip.stamp == store.durable.snapshot.stamp)
  }

  @Test(arguments: [StoreOptions.Checkpointing.inline, .background]) func `a checkpoint is made when the log is long`(
    way: StoreOptions.Checkpointing
  ) throws {
    var options = StoreOptions.forTests
    options.checkpointing = way
    let store = try Store.words(fileSystem, "/a.roost", options)
    for round in UInt64(1)...200 { try fill(store, round, 20) }
    while store.checkpointsMade.load(ordering: .relaxed) == 0 {}
    #expect(store.checkpointFailure == nil)
    try store.close()
    #expect(fileSystem.paths == ["/a.roost"])
  }

  @Test func `a writer that must make a checkpoint does not report it while it has a lock`() throws {
    let made = Atomic<Int>(0)
    let total = Atomic<Int>(0)
    let told = Atomic<Int>(0)
    let toldByWriter = Atomic<Int>(0)
    let writer = Thread.currentID
    var options = StoreOptions.forTests
    options.checkpointing = .background
    options.draftBytes = Page.size
    options.schedule = { event in
      guard event == .checkpointBegan else { return }
      total.add(1, ordering: .relaxed)
      if Thread.currentID == writer { made.add(1, ordering: .relaxed) }
    }
    let store = try Store.words(fileSystem, "/a.roost", options)
    let number = store.checkpointListeners.add { _ in
      told.add(1, ordering: .relaxed)
      if Thread.currentID == writer { toldByWriter.add(1, ordering: .relaxed) }
    }
    defer { store.checkpointListeners.remove(number) }
    var round = UInt64(0)
    while made.load(ordering: .relaxed) < 3, round < 20_000 {
      round += 1
      try fill(store, round, 20)
    }
    #expect(made.load(ordering: .relaxed) >= 3)
    let deadline = ContinuousClock.now + .seconds(20)
    while told.load(ordering: .relaxed) < total.load(ordering: .relaxed), ContinuousClock.now < deadline {}
    #expect(told.load(ordering: .relaxed) >= total.load(ordering: .relaxed))
    #expect(toldByWriter.load(ordering: .relaxed) == 0)
  }

  @Test func `the log does not grow without bound`() throws {
    var options = StoreOptions.forTests
    options.checkpointing = .inline
    let store = try Store.words(fileSystem, "/a.roost", options)
    for round in UInt64(1)...50 { try fill(store, round, 20) }
    let before = size("/a.roost-log")
    for round in UInt64(1)...500 { try fill(store, round, 20) }
    #expect(size("/a.roost-log") <= before)
    #expect(try store.findings() == [])
  }

  @Test func `failed checkpoints do not use up the log`() throws {
    let store = try Store.words(fileSystem)
    try fill(store, 1)
    let before = try #require(store.log?.segmentCount)
    for _ in 0..<40 {
      fileSystem.inject(FaultRule(.write, path: ".roost", .error(ErrorNumber.noSpace)))
      #expect(failure { () throws(StoreError) in try store.checkpoint() } == .diskFull)
      fileSystem.clearFaults()
    }
    #expect(try #require(store.log?.segmentCount) <= before + 3)
    try fill(store, 2, 5)
    try store.checkpoint()
    #expect(try store.findings() == [])
    let image = try Store.words(fileSystem.crashImage(.none))
    #expect(try image.state() == store.state())
  }

  @Test func `the file shrinks when its pages are free`() throws {
    let store = try Store.words(fileSystem)
    try store.write { writer throws(StoreError) in
      try writer.put(0, [UInt8](repeating: 1, count: 900_000))
      var generator = SplitMix64(seed: 1)
      try writer.put(1, generator.bytes(900_000))
      try writer.set(1, 1)
    }
    try store.checkpoint()
    let before = size("/a.roost")
    try store.write { writer throws(StoreError) in
      try writer.remove(0)
      try writer.remove(1)
    }
    // The pages after the hole move when they change.
    for round in UInt64(1)...4 {
      try fill(store, round, 1)
      try store.write { writer throws(StoreError) in try writer.remove(0) }
      try store.checkpoint()
    }
    #expect(size("/a.roost") < before / 4)
    #expect(try store.findings() == [])
    try store.close()
    #expect(try Store.words(fileSystem).findings() == [])
  }

  @Test func `the file does not grow while the same words change`() throws {
    var options = StoreOptions.forTests
    options.checkpointing = .inline
    let store = try Store.words(fileSystem, "/a.roost", options)
    for round in UInt64(1)...20 { try fill(store, round) }
    let before = store.space.limit
    for round in UInt64(1)...200 { try fill(store, round) }
    #expect(store.space.limit <= before + 200)
    #expect(try store.findings() == [])
  }

  @Test func `an old reader keeps its snapshot through checkpoints`() throws {
    let store = try Store.words(fileSystem)
    try fill(store, 1)
    let reader = try store.beginRead()
    for round in UInt64(2)...12 {
      try fill(store, round)
      try store.checkpoint()
      let words = WordReader(view: reader.view, root: reader.snapshot.catalog)
      #expect(try words.state().words.allSatisfy { $0 == 1 })
    }
    store.endRead(reader)
    try fill(store, 13)
    #expect(try store.findings() == [])
    try store.close()
  }

  /// Before the fix, the commit was reported as made, but no reader would ever have seen it.
  @Test func `a relaxed commit after writing has stopped is not reported as made`() throws {
    let store = try Store.words(fileSystem)
    try fill(store, 1, 1)
    let transaction = try store.beginWrite()
    let writer = WordWriter.of(transaction)
    try writer.set(1, 2)
    fileSystem.onStep = { step in
      // Its record has just been written; another commit's sync fails at this moment.
      if step.kind == .write && step.offset > 4096 { store.commits.poison(StoreError(.ioError, "a test")) }
    }
    #expect(failure { () throws(StoreError) in try writer.commit(.relaxed) } == .commitUncertain)
    fileSystem.onStep = nil
    #expect(failure { () throws(StoreError) in _ = try store.beginWrite() } == .poisoned)
    #expect(try store.read { reader throws(StoreError) in try reader.word(1) } == 0)
  }
}
