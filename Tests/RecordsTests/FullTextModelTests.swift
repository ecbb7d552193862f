import RoostFile
import RoostPages
import RoostTestSupport
import RoostText
import RoostTrees
import Testing

@testable import RoostRecords

/// Full text indexes over rows that change at random, compared with plain dictionaries.
@Suite struct FullTextModelTests {
  private typealias Rows = [UInt64: [String: Value]]

  private static func options() -> StoreOptions {
    var options = StoreOptions()
    options.checkpointing = .inline
    options.segmentBytes = 32768
    options.logBytes = 200_000
    options.draftBytes = 200 * 4096
    options.fanoutLimit = 8
    return options
  }

  private static func make(_ store: RecordStore) throws {
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Note") { (entity) throws(RecordFault) in
          try entity.add("title", .string)
          try entity.add("year", .int64)
          try entity.add("body", .string, isOptional: true)
        }
        try catalog.add(textIndex: "words", of: "Note", on: ["title", "body"], analyzer: TextAnalyzer())
      }
    }
  }

  private static func values(_ generator: inout SplitMix64) -> [String: Value] {
    // Some bodies are too large for their row.
    let most = generator.chance(1, in: 12) ? 400 : 12
    return [
      "title": .string(PlainQuestion.text(&generator, most: 3)), "year": .int(Int64(generator.below(9))),
      "body": generator.chance(1, in: 6) ? .null : .string(PlainQuestion.text(&generator, most: most)),
    ]
  }

  private static func fill(_ builder: inout RowBuilder, _ values: [String: Value], table: TableWriter) throws {
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { try builder.set(table.slot(name), value) }
  }

  private struct Undone: Error {}

  private static func change(
    _ writer: RecordWriter, _ rows: inout Rows, generator: inout SplitMix64, depth: Int = 0
  ) throws {
    let table = try writer.table("Note")
    switch generator.below(12) {
    case 0...4:
      let values = values(&generator)
      var builder = table.makeBuilder()
      try fill(&builder, values, table: table)
      rows[try table.insert(&builder).number] = values
    case 5...7:
      guard let row = rows.keys.sorted().randomElement(using: &generator) else { return }
      var changes = values(&generator)
      for name in changes.keys.sorted() where generator.chance(1, in: 2) { changes[name] = nil }
      try table.update(RowID(row)) { builder in try fill(&builder, changes, table: table) }
      rows[row]?.merge(changes) { $1 }
    case 8:
      guard let row = rows.keys.sorted().randomElement(using: &generator) else { return }
      try table.delete(RowID(row))
      rows[row] = nil
    case 9:
      // A reader of the transaction sees its changes.
      try check(writer.reading("Note"), rows, generator: &generator, questions: 1)
    default:
      if depth > 1 { return }
      var inner = rows
      let isKept = generator.chance(1, in: 2)
      do {
        try writer.savepoint {
          for _ in 0..<generator.below(5) {
            try change(writer, &inner, generator: &generator, depth: depth + 1)
          }
          if !isKept { throw Undone() }
        }
        rows = inner
      } catch is Undone {}
    }
  }

  /// Runs random queries, and compares the rows with those of the judge.
  private static func check(
    _ table: TableReader, _ rows: Rows, generator: inout SplitMix64, questions: Int = 6, context: String = ""
  ) throws {
    guard let text = table.texts.first, text.isWhole else { return }
    #expect(try text.count == rows.count, "\(context)")
    for _ in 0..<questions {
      let plain = PlainQuestion.random(&generator, fields: ["title", "body"])
      let question = try text.question(plain.text)
      let wanted = rows.filter { plain.matches(texts($0.value)) }.keys.sorted()
      var found: [UInt64] = []
      try text.forEach(question) { row in
        found.append(row.number)
        return true
      }
      #expect(found.sorted() == wanted, "\(context) \(plain.text)")
      #expect(try text.count(question) == wanted.count, "\(context) \(plain.text)")
      let ranked = try text.best(question, .max, weights: [2, 1])
      #expect(ranked.map(\.row.number).sorted() == wanted, "\(context) \(plain.text) by rank")
      for (one, next) in zip(ranked, ranked.dropFirst()) {
        #expect((-one.score, one.row) < (-next.score, next.row), "\(context) \(plain.text) in order")
      }
      for one in ranked.prefix(5) {
        #expect(try text.score(one.row, question, weights: [2, 1]) == one.score, "\(context) \(plain.text)")
      }
      let few = try text.best(question, 3, weights: [2, 1])
      #expect(few.map(\.row) == ranked.prefix(3).map(\.row), "\(context) \(plain.text), three of them")
      for row in rows.keys.sorted().prefix(4) {
        let texts = ["title", "body"].map { name -> String? in
          if case .string(let text) = rows[row]?[name] { text } else { nil }
        }
        #expect(question.matches(texts) == wanted.contains(row), "\(context) \(plain.text) of texts")
      }
    }
  }

  private static func texts(_ row: [String: Value]) -> [String: String] {
    row.compactMapValues { if case .string(let text) = $0 { text } else { nil } }
  }

  @Test(arguments: UInt64(1)...12) func `random changes and queries agree with dictionaries`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    var store = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
    try Self.make(store)
    var rows: Rows = [:]
    for round in 0..<25 {
      let context = "seed \(seed), round \(round)"
      var working = rows
      // Mostly a change or two; sometimes enough changes for a new segment.
      let changes = generator.chance(1, in: 6) ? 120 : 1 + generator.below(6)
      let isAbandoned = generator.chance(1, in: 8)
      do {
        try store.write(.relaxed) { writer in
          for _ in 0..<changes { try Self.change(writer, &working, generator: &generator) }
          if isAbandoned { throw Undone() }
        }
        rows = working
      } catch is Undone {}
      try store.read { try Self.check($0.table("Note"), rows, generator: &generator, context: context) }
      if generator.chance(1, in: 5) { try store.store.checkpoint() }
      if generator.chance(1, in: 5) {
        // The log is replayed.
        try store.write { _ = try $0.table("Note").reading }
        let image = fileSystem.crashImage(.all)
        fileSystem.stopAfter(step: 0)
        try? store.close()
        image.recordsSteps = false
        fileSystem = image
        store = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
        try store.read { reader in
          try Self.check(reader.table("Note"), rows, generator: &generator, context: context + ", replayed")
        }
      }
      if round % 5 == 4 { #expect(try store.complaints() == [], "\(context)") }
      if generator.chance(1, in: 8) { try Self.changeCatalog(store, &generator) }
    }
    #expect(try store.complaints() == [], "seed \(seed)")
    try store.close()
  }

  /// Makes the index again, at once or in steps, or changes other parts of the models.
  private static func changeCatalog(_ store: RecordStore, _ generator: inout SplitMix64) throws {
    let choice = generator.below(3)
    try store.write { writer in
      try writer.change { catalog in
        if choice == 2 {
          try catalog.change(entity: "Note") { (entity) throws(RecordFault) in
            try entity.add("x\(entity.fields.count)", .int64, initial: .int(1))
          }
        } else {
          try catalog.remove(textIndex: "words", of: "Note")
          try catalog.add(
            textIndex: "words", of: "Note", on: ["title", "body"], analyzer: TextAnalyzer(), isBuiltLater: choice == 1)
        }
      }
    }
    if choice == 1 { try store.buildIndexes(rowsAtOnce: 1 + generator.below(40)) }
  }
}
