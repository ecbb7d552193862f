import RoostTestSupport
import Testing

@testable import RoostText

/// Random work on an index, compared with a plain judge after each step.
@Suite struct RandomIndexTests {
  static let words =
    ("a b ab abc berlin wall heroes low station to the of and it's naïve Straße 東京 don't x1 10 élan running runs ran "
    + "standard standards standardisation standardization internationalisations internationalizations "
    + "incomprehensibilities")
    .split(separator: " ").map(String.init)

  static func text(_ random: inout SplitMix64, _ most: Int) -> String {
    (0..<random.below(most + 1)).map { _ in
      // Early words are frequent.
      words[min(random.below(words.count), random.below(words.count))]
    }.joined(separator: random.chance(1, in: 4) ? ", " : " ")
  }

  static func question(_ random: inout SplitMix64, _ depth: Int = 0) -> String {
    func word() -> String { words[random.below(words.count)] }
    switch random.below(depth > 2 ? 4 : 10) {
    case 0: return word()
    case 1: return "\"" + word() + " " + word() + (random.chance(1, in: 3) ? " " + word() : "") + "\""
    case 2: return String(word().prefix(1 + random.below(3))) + "*"
    case 3: return (random.chance(1, in: 2) ? "title:" : "body:") + word()
    case 4: return question(&random, depth + 1) + " " + question(&random, depth + 1)
    case 5: return "(" + question(&random, depth + 1) + " OR " + question(&random, depth + 1) + ")"
    case 6: return question(&random, depth + 1) + " NOT " + word()
    case 7: return "NEAR(" + word() + " " + word() + ", " + String(random.below(4)) + ")"
    case 8: return "title:(" + question(&random, depth + 1) + ")"
    default: return "\"" + word() + " " + String(word().prefix(1)) + "\"*"
    }
  }

  @Test(arguments: 0..<8)
  func `an index finds and ranks like the judge`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let analyzer = TextAnalyzer(
      stemming: random.chance(1, in: 2) ? .english : .none,
      stopWords: random.chance(1, in: 2) ? .english : .none)
    let fields = random.chance(1, in: 4) ? ["title"] : ["title", "body"]
    let index = TextIndex(analyzer: analyzer, fields: fields)
    var judge = PlainIndex(index)
    let store = MemoryTextStore()
    var writer = try TextIndexWriter(index, store, budget: 1 << 16)
    let rowRange = 20 + random.below(160)
    for step in 0..<40 {
      for _ in 0..<random.below(random.chance(1, in: 6) ? 120 : 8) {
        let row = Int64(random.below(rowRange)) - 50
        if random.chance(1, in: 3) {
          #expect(try writer.remove(row: row) == (judge.rows[row] != nil), "seed \(seed) step \(step) row \(row)")
          judge.remove(row)
        } else {
          let texts = fields.map { _ in random.chance(1, in: 8) ? nil : Self.text(&random, 30) }
          try writer.update(row: row, texts: texts)
          judge.set(row, texts)
        }
      }
      try writer.flush()
      if random.chance(1, in: 5) { try writer.merge(bound: random.below(3000)) }
      if random.chance(1, in: 30) { try writer.mergeAll() }
      if random.chance(1, in: 2) { writer = try TextIndexWriter(index, store, budget: 1 << 16) }
      if step % 4 > 0 { continue }
      let reader = try TextIndexReader(index, store)
      let complaints = reader.verify()
      try #require(complaints.isEmpty, "seed \(seed) step \(step): \(complaints)")
      #expect(reader.statistics.rowCount == judge.rows.count)
      for _ in 0..<12 {
        let text = Self.question(&random)
        guard fields.count == 2 || !text.contains("body:") else { continue }
        let question = try TextQuestion(text, for: index)
        let weights = random.chance(1, in: 2) || fields.count == 1 ? [] : [2, 0.5]
        try compare(reader, judge, question, weights: weights, "seed \(seed) step \(step): \(text)", &random)
      }
    }
  }

  /// Lists of many blocks and chunks, some of them merged in small steps.
  @Test(arguments: 0..<3)
  func `long lists are found like those of the judge`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let index = TextIndex(analyzer: TextAnalyzer(), fields: ["title", "body"])
    var judge = PlainIndex(index)
    let store = MemoryTextStore()
    for part in 0..<10 {
      let writer = try TextIndexWriter(index, store)
      for row in 0..<(part == 0 ? 1000 : 70) {
        let row = Int64(part * 5000 - row)
        let texts = [Self.text(&random, 4), Self.text(&random, 30)]
        try writer.add(row: row, texts: texts)
        judge.set(row, texts)
      }
      for row in judge.rows.keys.sorted() where random.chance(1, in: 40) {
        try writer.remove(row: row)
        judge.remove(row)
      }
      try writer.flush()
      while try writer.merge(bound: 3000) {}
      if seed == 2, part == 9 { try writer.mergeAll() }
    }
    let reader = try TextIndexReader(index, store)
    #expect(reader.verify().isEmpty, "seed \(seed)")
    for _ in 0..<12 {
      let text = Self.question(&random)
      try compare(reader, judge, TextQuestion(text, for: index), weights: [], "seed \(seed): \(text)", &random)
    }
  }

  /// Frequent words in blocks without a gap, and texts of more words than a phrase marks in bits.
  @Test(arguments: 0..<3)
  func `phrases are found in long texts like those of the judge`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let index = TextIndex(analyzer: TextAnalyzer(), fields: seed == 0 ? ["body"] : ["title", "body"])
    var judge = PlainIndex(index)
    let store = MemoryTextStore()
    let writer = try TextIndexWriter(index, store)
    for row in 0..<400 {
      let texts = index.fields.map { _ in
        let most = random.chance(1, in: 40) ? 5000 : random.chance(1, in: 4) ? 200 : 12
        return (0..<random.below(most)).map { _ in
          String(UnicodeScalar(UInt8(97 + min(random.below(8), random.below(8), random.below(8)))))
        }.joined(separator: " ")
      }
      try writer.add(row: Int64(row), texts: texts)
      judge.set(Int64(row), texts)
    }
    try writer.flush()
    let reader = try TextIndexReader(index, store)
    #expect(reader.verify().isEmpty, "seed \(seed)")
    for text in [
      "\"a b\"", "\"a a\"", "\"h a\"", "\"a h\"", "\"g h\"", "\"h h\"", "\"a b h\"", "\"h g f\"", "\"h g\" a",
    ] {
      try compare(reader, judge, TextQuestion(text, for: index), weights: [], "seed \(seed): \(text)", &random)
    }
  }

  private func compare(
    _ reader: TextIndexReader, _ judge: PlainIndex, _ question: TextQuestion, weights: [Double], _ note: String,
    _ random: inout SplitMix64
  ) throws {
    let expected = judge.search(question)
    let rows = try reader.search(question)
    try #require(rows == expected, "\(note): \(rows.count) rows, \(Set(rows).symmetricDifference(expected))")
    #expect(try reader.count(question) == expected.count, "\(note)")
    let ranked = judge.ranked(question, weights: weights)
    let limit = 1 + random.below(12)
    let found = try reader.searchRanked(question, limit: limit, weights: weights)
    try #require(found.count == min(limit, ranked.count), "\(note)")
    for (one, other) in zip(found, ranked) {
      #expect(abs(one.score - other.score) < 1e-5 * max(1, other.score), "\(note): \(one) and \(other)")
    }
    if let row = expected.first {
      #expect(try reader.isMatch(row: row, question), "\(note)")
      let score = try #require(try reader.score(row: row, question, weights: weights), "\(note)")
      #expect(abs(score - ranked.first { $0.row == row }!.score) < 1e-5 * max(1, score), "\(note)")
    }
  }
}
