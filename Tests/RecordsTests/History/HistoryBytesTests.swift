import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

@testable import RoostRecords

/// Changed bytes of the history are an error or a history, never a trap.
@Suite struct HistoryBytesTests {
  #if DEBUG
    private static let rounds = 2000
  #else
    private static let rounds = 40_000
  #endif

  /// The values of the tree after random transactions.
  private func values(_ seed: UInt64) throws -> [(key: UInt64, value: [UInt8])] {
    var generator = SplitMix64(seed: seed)
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      if seed % 2 == 0 { try writer.setHistory(.full) }
      try writer.change { $0 = try HistoryLedger.catalog() }
    }
    var ledger = HistoryLedger()
    for round in 0..<80 {
      try store.write(author: "author \(round % 3)") { writer in
        for _ in 0..<(round % 9) { try ledger.change(writer.table("Track"), &generator) }
        if round == 40 { try writer.setHistory(.off) }
        if round == 45 { try writer.setHistory(.full) }
      }
    }
    return try store.write { writer in
      let tree = try #require(try writer.tables.historyReading().tree)
      var cursor = IntegerCursor(tree)
      var found: [(UInt64, [UInt8])] = []
      var isThere = try cursor.first()
      while isThere {
        found.append((cursor.key, try #require(try tree.value(of: cursor.key))))
        isThere = try cursor.next()
      }
      return found
    }
  }

  private func mutated(_ bytes: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
    var bytes = bytes
    for _ in 0...generator.below(4) where !bytes.isEmpty {
      let at = generator.below(bytes.count)
      switch generator.below(6) {
      case 0: bytes[at] ^= 1 << UInt8(generator.below(8))
      case 1: bytes[at] = generator.pick([0, 1, 2, 3, 0x7F, 0x80, 0xFE, 0xFF])
      case 2: bytes.removeSubrange(at..<min(bytes.count, at + 1 + generator.below(9)))
      case 3: bytes.insert(contentsOf: generator.bytes(1 + generator.below(9)), at: at)
      case 4: bytes.insert(contentsOf: [UInt8](repeating: 0xFF, count: 9) + [1], at: at)
      default: bytes = Array(bytes[..<at])
      }
    }
    return bytes
  }

  @Test(arguments: UInt64(1)...8) func `damaged values of the tree are an error or a history`(seed: UInt64) throws {
    let values = try values(seed)
    let entries = try values.flatMap { try HistoryContent($0.key, $0.value).members.map(\.bytes) }
    #expect(entries.count > 50 && values.contains { $0.value[0] == HistoryBlock.gap })
    var generator = SplitMix64(seed: seed)
    var (readable, refused) = (0, 0)
    for _ in 0..<Self.rounds {
      do throws(StoreError) {
        let (key, value) = generator.pick(values)
        let content = try HistoryContent(key, mutated(value, &generator))
        for item in content.items {
          _ = try content.entry(item)
          readable += 1
        }
      } catch {
        #expect(error.code == .damaged)
        refused += 1
      }
      do {
        let entry = try HistoryEntry(decoding: mutated(generator.pick(entries), &generator))
        try entry.changes { _ in readable += 1 }
        try entry.checkFormer()
      } catch let error as StoreError {
        #expect(error.code == .damaged)
        refused += 1
      }
    }
    #expect(readable > Self.rounds / 10 && refused > Self.rounds / 10)
  }

  @Test(arguments: UInt64(1)...4) func `a segment returns its entries unchanged`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<50 {
      var number = generator.next() >> 20
      var stamp = generator.next() >> 2
      let first = number
      var members: [HistoryBlock.Member] = []
      for _ in 0...generator.below(70) {
        let bytes = generator.chance(1, in: 2) ? generator.bytes(generator.below(90)) : Array(repeating: 7, count: 40)
        members.append(.init(number: number, stamp: HybridTime(bits: stamp), bytes: bytes))
        number += 1 + UInt64(generator.below(1000))
        stamp += 1 + UInt64(generator.below(100_000))
      }
      let content = try HistoryContent(first, HistoryBlock.segment(members))
      #expect(content.members.map(\.bytes) == members.map(\.bytes))
      #expect(content.items.map(\.number) == members.map(\.number))
      #expect(content.items.map(\.stamp) == members.map(\.stamp))
    }
  }

  @Test func `a state of another form is refused`() throws {
    var state = HistoryState()
    (state.mode, state.floor, state.floorStamp) = (.full, 7, HybridTime(bits: 9))
    #expect(try HistoryState(decoding: state.encoded) == state)
    for bytes in [[], [1], [UInt8](repeating: 1, count: 19), [1, 3] + [UInt8](repeating: 0, count: 16)] {
      #expect(throws: StoreError.self) { try HistoryState(decoding: bytes) }
    }
    let error = #expect(throws: StoreError.self) { try HistoryState(decoding: [2] + state.encoded.dropFirst()) }
    #expect(error?.code == .futureVersion)
  }
}
