import RoostFile
import RoostTestSupport
import Testing

@testable import RoostText

@Suite struct TextIndexTests {
  private let index = TextIndex(analyzer: TextAnalyzer(), fields: ["body"])

  private func search(_ store: MemoryTextStore, _ question: String) throws -> [Int64] {
    try TextIndexReader(index, store).search(TextQuestion(question, for: index))
  }

  @Test func `an empty index has no rows`() throws {
    let store = MemoryTextStore()
    let reader = try TextIndexReader(index, store)
    #expect(reader.statistics.rowCount == 0 && reader.verify().isEmpty)
    #expect(try search(store, "a").isEmpty)
    let writer = try TextIndexWriter(index, store)
    #expect(try !writer.remove(row: 1))
    try writer.flush()
    try writer.mergeAll()
    #expect(try TextIndexReader(index, store).verify().isEmpty)
  }

  @Test(arguments: [8, 200])
  func `rows may have any number`(count: Int) throws {
    let store = MemoryTextStore()
    let writer = try TextIndexWriter(index, store)
    let ends: [Int64] = [.max, 0, .min, -1, .max - 1, .min + 1]
    for row in ends + (5..<Int64(count)) { try writer.add(row: row, texts: ["wall \(row)"]) }
    try writer.flush()
    let rows = try search(store, "wall")
    #expect(rows == (ends + (5..<Int64(count))).sorted())
    #expect(try TextIndexReader(index, store).verify().isEmpty)
    #expect(try writer.remove(row: .min) && writer.remove(row: .max))
    try writer.flush()
    #expect(try search(store, "wall") == rows.dropFirst().dropLast())
    try writer.mergeAll()
    #expect(try search(store, "wall") == rows.dropFirst().dropLast())
    #expect(try TextIndexReader(index, store).verify().isEmpty)
  }

  @Test func `a writer without a flush changes nothing for readers`() throws {
    let store = MemoryTextStore()
    let writer = try TextIndexWriter(index, store)
    try writer.add(row: 1, texts: ["wall"])
    try writer.flush()
    let other = try TextIndexWriter(index, store)
    try other.add(row: 2, texts: ["wall"])
    #expect(try search(store, "wall") == [1])
  }

  @Test func `a small transaction writes one entry for its row`() throws {
    let store = MemoryTextStore()
    for row in 0..<Int64(40) {
      let writer = try TextIndexWriter(index, store)
      try writer.add(row: row, texts: ["the wall of row \(row)"])
      let before = store.keys.count
      try writer.flush()
      #expect(store.keys.count == before + (row == 0 ? 3 : 1))
    }
    #expect(try TextIndexReader(index, store).statistics.looseCount == 40)
  }

  @Test func `a text repeats a word very often`() throws {
    let store = MemoryTextStore()
    let writer = try TextIndexWriter(index, store)
    for row in 0..<Int64(3) { try writer.add(row: row, texts: [String(repeating: "a b ", count: 40_000)]) }
    try writer.flush()
    #expect(try search(store, "\"a b a\"") == [0, 1, 2])
    #expect(try search(store, "\"a a\"").isEmpty)
    #expect(try TextIndexReader(index, store).verify().isEmpty)
  }

  /// The bound of one step limits the time of a commit.
  @Test func `merges continue in small steps`() throws {
    let store = MemoryTextStore()
    var random = SplitMix64(seed: 3)
    var steps = 0
    for row in 0..<Int64(900) {
      let writer = try TextIndexWriter(index, store)
      try writer.add(row: row, texts: [RandomIndexTests.text(&random, 150)])
      try writer.flush()
      if writer.merge != nil { steps += 1 }
    }
    let reader = try TextIndexReader(index, store)
    #expect(reader.verify().isEmpty)
    #expect(reader.segments.count <= 16)
    let writer = try TextIndexWriter(index, store)
    while try writer.merge(bound: 500) { steps += 1 }
    #expect(steps > 0)
    #expect(try TextIndexReader(index, store).verify().isEmpty)
  }

  @Test func `removing everything leaves nothing`() throws {
    let store = MemoryTextStore()
    let writer = try TextIndexWriter(index, store)
    for row in 0..<Int64(300) { try writer.add(row: row, texts: ["wall \(row % 7)"]) }
    try writer.flush()
    for row in 0..<Int64(300) { try writer.remove(row: row) }
    try writer.flush()
    let reader = try TextIndexReader(index, store)
    #expect(reader.verify().isEmpty && reader.statistics.rowCount == 0 && reader.segments.isEmpty)
    #expect(store.keys.count == 2)
    try writer.add(row: 1, texts: ["wall"])
    try writer.removeAll()
    try writer.flush()
    #expect(try search(store, "wall").isEmpty)
  }

  @Test func `settings of a newer version are refused`() throws {
    let store = MemoryTextStore()
    store.keys = [[0]]
    store.values = [[9, 1]]
    #expect(throws: StoreError.self) { try TextIndexReader(index, store) }
  }
}
