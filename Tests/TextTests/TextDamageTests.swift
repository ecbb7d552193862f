import RoostFile
import RoostTestSupport
import Testing

@testable import RoostText

/// Bytes from a disk may be anything: each call returns or throws.
@Suite struct TextDamageTests {
  static let index = TextIndex(analyzer: TextAnalyzer(), fields: ["title", "body"])

  /// An index with loose rows, chunks of lists, tombstones and a merge that is not finished.
  static let sound: (keys: [[UInt8]], values: [[UInt8]]) = {
    let store = MemoryTextStore()
    var random = SplitMix64(seed: 1)
    do {
      for part in 0..<9 {
        let writer = try TextIndexWriter(index, store)
        for row in 0..<(part == 0 ? 1000 : 66) {
          let texts = (0..<2).map { _ in RandomIndexTests.text(&random, 40) }
          try writer.add(row: Int64(part * 10_000 + row), texts: texts)
        }
        if part > 1 { try writer.remove(row: Int64((part - 1) * 10_000)) }
        try writer.flush()
      }
      let writer = try TextIndexWriter(index, store)
      for row in stride(from: Int64(0), to: 600, by: 7) { try writer.remove(row: row) }
      for row in 0..<20 { try writer.add(row: Int64(-1 - row), texts: ["loose", RandomIndexTests.text(&random, 20)]) }
      try writer.flush()
      try writer.merge(bound: 2000)
    } catch {
      Issue.record("\(error)")
    }
    return (store.keys, store.values)
  }()

  private var copy: MemoryTextStore {
    let store = MemoryTextStore()
    (store.keys, store.values) = Self.sound
    return store
  }

  private func use(_ store: MemoryTextStore, _ random: inout SplitMix64) {
    let questions = ["a", "berlin wall", "\"a ab\"", "b*", "title:heroes OR NEAR(a b)", "\"a b\"* -wall"]
    func attempt(_ body: () throws -> Void) {
      do { try body() } catch { #expect(error is StoreError || error is TextQuestionFault) }
    }
    attempt {
      let reader = try TextIndexReader(Self.index, store)
      for text in questions {
        let question = try TextQuestion(text, for: Self.index)
        attempt { _ = try reader.search(question) }
        attempt { _ = try reader.count(question) }
        attempt { _ = try reader.searchRanked(question, limit: 5, weights: [2, 1]) }
        attempt { _ = try reader.score(row: 14, question) }
      }
      if random.chance(1, in: 2) { _ = reader.verify() }
    }
    attempt {
      let writer = try TextIndexWriter(Self.index, store)
      for _ in 0..<5 {
        attempt { _ = try writer.remove(row: Int64(random.below(600))) }
        attempt { try writer.update(row: Int64(-random.below(20)), texts: ["new", "wall"]) }
      }
      attempt { try writer.flush() }
      attempt { try writer.merge(bound: 5000) }
      if random.chance(1, in: 4) { attempt { try writer.mergeAll() } }
    }
  }

  @Test func `the sound index has all kinds of entries`() throws {
    let store = copy
    #expect(try TextIndexReader(Self.index, store).verify().isEmpty)
    let kinds = Set(store.keys.map { $0[0] == 0x10 ? 16 + Int($0[5]) : Int($0[0]) })
    #expect(kinds == [0, 1, 2, 3, 17, 18, 19, 20, 21, 22])
  }

  @Test(arguments: 0..<40)
  func `a flipped bit is an error or a right answer`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let store = copy
    for _ in 0..<(1 + random.below(3)) {
      let place = random.chance(1, in: 3) ? random.below(min(20, store.values.count)) : random.below(store.values.count)
      if store.values[place].isEmpty { continue }
      // The first bytes of entries matter most.
      let most = random.chance(1, in: 2) ? min(24, store.values[place].count) : store.values[place].count
      store.values[place][random.below(most)] ^= 1 << UInt8(random.below(8))
    }
    use(store, &random)
  }

  @Test(arguments: 0..<30)
  func `lost, short and random entries are errors`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let store = copy
    for _ in 0..<(1 + random.below(3)) {
      let place = random.below(store.values.count)
      switch random.below(4) {
      case 0:
        store.keys.remove(at: place)
        store.values.remove(at: place)
      case 1: store.values[place].removeLast(random.below(store.values[place].count + 1))
      case 2: store.values[place].withUnsafeMutableBytes { random.fill($0) }
      default: store.values[place] = store.values[random.below(store.values.count)]
      }
    }
    use(store, &random)
  }
}
