import RoostBytes
import RoostFile
import RoostTestSupport
import Testing

@testable import RoostPages

/// One transaction: steps, rollbacks, spilling and ending.
@Suite struct TransactionTests {
  private let fileSystem = SimulatedFileSystem()

  private func word(_ store: Store, _ index: Int) throws(StoreError) -> UInt64 {
    try store.read { reader throws(StoreError) in try reader.word(index) }
  }

  @Test(arguments: UInt64(1)...6, [false, true]) func `savepoints nest, and rolled back changes are gone`(
    seed: UInt64, spills: Bool
  ) throws {
    var generator = SplitMix64(seed: seed)
    var options = StoreOptions.forTests
    if spills { options.draftBytes = 6 * Page.size }
    let store = try Store.words(fileSystem, "/a.roost", options)
    var model = WordState()
    for round in 0..<12 {
      let transaction = try store.beginWrite()
      let writer = WordWriter.of(transaction)
      var stack: [(WordWriter.Savepoint, WordState)] = []
      var state = model
      for _ in 0..<40 {
        switch generator.below(10) {
        case 0: stack.append((try writer.savepoint(), state))
        case 1:
          if let last = stack.popLast() {
            writer.rollback(to: last.0)
            state = last.1
            if generator.chance(1, in: 2) { stack.append(last) } else { writer.release(last.0) }
          }
        case 2: if let last = stack.popLast() { writer.release(last.0) }
        default:
          let index = generator.below(WordFloor.words)
          state.words[index] = generator.next()
          try writer.set(index, state.words[index])
        }
        try transaction.relieve()
        let index = generator.below(WordFloor.words)
        let seen = try writer.word(index)
        #expect(seen == state.words[index], "seed \(seed), round \(round)")
      }
      if generator.chance(1, in: 3) {
        transaction.abandon()
      } else {
        try writer.commit()
        model = state
      }
      #expect(try store.state() == model, "seed \(seed), round \(round)")
      #expect(try store.findings() == [], "seed \(seed), round \(round)")
      if generator.chance(1, in: 3) { try store.checkpoint() }
    }
    try store.close()
    let again = try Store.words(fileSystem, "/a.roost", options)
    #expect(try again.state() == model)
    #expect(try again.findings() == [])
  }

  @Test func `an abandoned transaction leaves nothing`() throws {
    let store = try Store.words(fileSystem)
    try store.write { writer throws(StoreError) in try writer.set(3, 4) }
    let before = (store.space.free.count, store.space.spare.count, store.log?.end)
    let transaction = try store.beginWrite()
    let writer = WordWriter.of(transaction)
    for index in 0..<100 { try writer.set(index, 9) }
    transaction.abandon()
    transaction.abandon()
    #expect(try word(store, 3) == 4)
    #expect(store.space.spare.count - store.space.free.count == before.1 - before.0)
    #expect(store.log?.end == before.2)
    #expect(try store.findings() == [])
  }

  @Test func `a transaction without a change writes nothing`() throws {
    let store = try Store.words(fileSystem)
    try store.write { writer throws(StoreError) in try writer.set(3, 4) }
    let step = fileSystem.step
    try store.write { _ in }
    #expect(fileSystem.step == step)
    #expect(store.tip.transaction == 1)
  }

  /// Before the fix, a piece without room was left out, and the commit succeeded without it.
  @Test func `a record that lacks a piece is not committed`() throws {
    let store = try Store.words(fileSystem)
    try store.write { writer throws(StoreError) in try writer.set(3, 4) }
    let transaction = try store.beginWrite()
    let writer = WordWriter.of(transaction)
    try writer.set(3, 5)
    let point = try writer.savepoint()
    fileSystem.capacity = 0
    #expect(failure { () throws(StoreError) in try writer.pad(100_000) } == .diskFull)
    fileSystem.capacity = nil
    #expect(failure { () throws(StoreError) in try writer.commit() } == .diskFull)
    #expect(try word(store, 3) == 4)
    #expect(!store.turn.isHeld)
    _ = point
    // A rollback to before the failure repairs it.
    let next = try store.beginWrite()
    let other = WordWriter.of(next)
    try other.set(3, 6)
    let mark = try other.savepoint()
    fileSystem.capacity = 0
    #expect(failure { () throws(StoreError) in try other.pad(100_000) } == .diskFull)
    fileSystem.capacity = nil
    other.rollback(to: mark)
    try other.commit()
    #expect(try word(store, 3) == 6)
    let image = fileSystem.crashImage(.none)
    #expect(try Store.words(image).read { reader throws(StoreError) in try reader.word(3) } == 6)
  }

  /// Before the fix, every operation over the limit took a new step, even if there was nothing left
  /// to spill.
  @Test func `drafts of earlier commits do not make each operation a step`() throws {
    var options = StoreOptions.forTests
    options.draftBytes = 16 * Page.size
    let store = try Store.words(fileSystem, "/a.roost", options)
    try store.write { writer throws(StoreError) in
      for index in 0..<WordFloor.words { try writer.set(index, 1) }
    }
    let transaction = try store.beginWrite()
    let writer = WordWriter.of(transaction)
    let stamp = transaction.stamp
    for _ in 0..<100 {
      try writer.set(7, 8)
      try transaction.relieve()
    }
    #expect(transaction.stamp - stamp <= 1)
    try writer.commit()
  }

  /// Before the fix, replay spilled more often than the transactions had, and then reported their
  /// stamps as impossible.
  @Test func `a log of more drafts than there is room for is replayed`() throws {
    var options = StoreOptions.forTests
    options.draftBytes = 16 * Page.size
    let store = try Store.words(fileSystem, "/a.roost", options)
    for round in UInt64(1)...5 {
      try store.write { writer throws(StoreError) in
        for index in 0..<WordFloor.words { try writer.set(index, round) }
      }
    }
    let state = try store.state()
    options.draftBytes = 9 * Page.size
    let again = try Store.words(fileSystem.crashImage(.none), "/a.roost", options)
    #expect(try again.state() == state)
    #expect(try again.findings() == [])
  }
}
