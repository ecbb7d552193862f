import RoostCare
import RoostFile
import RoostPages
import RoostTestSupport
import RoostText
import RoostTrees
import Testing

@testable import RoostRecords

/// Full text indexes in the catalog, in verify, and after damage.
@Suite struct FullTextCareTests {
  private static func catalog() throws -> Catalog {
    var catalog = Catalog()
    try catalog.add(entity: "Note") { (entity) throws(RecordFault) in
      try entity.add("title", .string)
      try entity.add("body", .string, isOptional: true)
      try entity.add("year", .int64)
    }
    try catalog.add(
      textIndex: "title, body", of: "Note", on: ["title", "body"],
      analyzer: TextAnalyzer(stemming: .english, stopWords: .list(["the"])))
    try catalog.add(
      textIndex: "parts", of: "Note", on: ["title"], analyzer: TextAnalyzer(mode: .trigrams), isBuiltLater: true)
    return catalog
  }

  private static func insert(_ writer: RecordWriter, _ numbers: Range<Int>) throws {
    let table = try writer.table("Note")
    for number in numbers {
      let words = (0..<number % 40).map { "word\($0 * number % 97)" }.joined(separator: " ")
      try table.insert([
        "title": .string("title \(number)"), "body": number % 7 == 0 ? .null : .string(words), "year": .int(1977),
      ])
    }
  }

  private static func store() throws -> RecordStore {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { $0 = try catalog() }
      try insert(writer, 0..<200)
    }
    try store.write { try insert($0, 200..<220) }
    return store
  }

  // MARK: The catalog

  @Test func `a catalog with a full text index has the fourth form, and is read back from its bytes`() throws {
    var catalog = try Self.catalog()
    #expect(catalog.encoded.first == 4)
    var again = try Catalog(decoding: catalog.encoded)
    #expect(again == catalog)
    catalog.version = ModelVersion("1.2", parts: [], parked: ["Old"])
    again = try Catalog(decoding: catalog.encoded)
    #expect(again == catalog)
    let index = try #require(catalog.textIndex("title, body", of: "Note"))
    #expect(index.analyzer.stemming == .english && index.builtBelow == nil)
    #expect(catalog.textIndex("parts", of: "Note")?.builtBelow == RowID(0))
    try catalog.remove(textIndex: "parts", of: "Note")
    try catalog.remove(textIndex: "title, body", of: "Note")
    // Without a full text index, an older program can read the store again.
    #expect(catalog.encoded.first == 3)
  }

  @Test func `invalid bytes of full text indexes are refused`() throws {
    let bytes = try Self.catalog().encoded
    for place in bytes.indices {
      for flip in [1, 0x80, 0xFF] as [UInt8] {
        var spoiled = bytes
        spoiled[place] ^= flip
        do throws(StoreError) { _ = try Catalog(decoding: spoiled) } catch {
          #expect(error.code == .damaged || error.code == .futureVersion, "byte \(place): \(error)")
        }
      }
      #expect(throws: StoreError.self) { try Catalog(decoding: Array(bytes[..<place])) }
    }
  }

  @Test func `full text indexes follow their fields`() throws {
    var catalog = try Self.catalog()
    let id = try #require(catalog.textIndex("title, body", of: "Note")?.id)
    try catalog.rename(["body": "text"], of: "Note")
    #expect(catalog.textIndex(id)?.name == "title, text")
    #expect(throws: RecordFault.self) {
      try catalog.change(entity: "Note") { (entity) throws(RecordFault) in try entity.remove("text") }
    }
    // A row without a text then shows the initial value, so the index is filled again.
    let text = try #require(catalog.entity("Note")?.field("text")?.id)
    try catalog.set(field: text, of: "Note", isOptional: false, initial: .string("none"))
    #expect(catalog.textIndex(id) == nil && catalog.textIndex("title, text", of: "Note") != nil)
    for (fields, code) in [
      (["year"], RecordFault.Code.wrongType), (["nothing"], .unknown), ([], .conflict),
      (["title", "title"], .conflict),
    ] {
      #expect(throws: RecordFault.self, "\(code)") {
        try catalog.add(textIndex: "x", of: "Note", on: fields, analyzer: TextAnalyzer())
      }
    }
    try catalog.remove(entity: "Note")
    #expect(catalog.textIndexes == [])
  }

  @Test func `a field that becomes required fills the index again`() throws {
    let store = try Self.store()
    try store.write { writer in
      let body = writer.catalog.entity("Note")!.field("body")!.id
      try writer.change {
        try $0.set(field: body, of: "Note", isOptional: false, initial: .string("nothing yet"))
      }
    }
    #expect(try store.complaints() == [])
    let count = try store.read { reader in
      let text = try #require(try reader.table("Note").texts.first { $0.index.name == "title, body" })
      return try text.count(text.question("body:nothing"))
    }
    #expect(count == (0..<220).count { $0 % 7 == 0 })
  }

  // MARK: Verify

  private func broken(_ body: (RecordWriter) throws -> Void) throws -> [String] {
    let store = try Self.store()
    #expect(try store.complaints() == [])
    try store.write { try body($0) }
    return try store.complaints()
  }

  @Test func `verify finds missing rows, additional rows, and rows with other words`() throws {
    let many = try broken { _ = try $0.table("Note").rows.remove(3) }
    #expect(
      many.contains("index: 219 rows belong in the full text index, which has 220, title, body of Note"), "\(many)")
    let few = try broken { try $0.table("Note").texts[0].remove(RowID(8)) }
    #expect(few.contains("index: 220 rows belong in the full text index, which has 219, title, body of Note"), "\(few)")
    let other = try broken { writer in
      let table = try writer.table("Note")
      try table.texts[0].remove(RowID(8))
      guard try table.load(RowID(9)) else { return }
      try table.texts[0].add(RowID(8), table.old.start) { (_) throws(StoreError) in [] }
    }
    #expect(other == ["index: the full text index has other words than its rows, title, body of Note"], "\(other)")
    let early = try broken { writer in
      let table = try writer.table("Note")
      _ = try table.build(table.texts[1], from: RowID(0), most: 5)
    }
    #expect(early == ["index: 0 rows belong in the full text index, which has 5, parts of Note"], "\(early)")
  }

  @Test(arguments: UInt64(1)...20) func `a damaged entry is found, and searches never trap`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let store = try Self.store()
    var entries: [(key: [UInt8], value: [UInt8])] = []
    try store.write { writer in
      let tree = try writer.table("Note").texts[0].tree()
      var cursor = ByteCursor(tree)
      var isThere = try cursor.first()
      while isThere, let (key, value) = cursor.entry() {
        entries.append(([UInt8](key.bytes), try value.load(tree.view)))
        isThere = try cursor.next()
      }
    }
    #expect(entries.count > 4)
    for _ in 0..<8 {
      let entry = generator.pick(entries)
      var value = entry.value
      var isRemoved = false
      switch generator.below(3) {
      case 0 where !value.isEmpty: value[generator.below(value.count)] ^= UInt8(1 << generator.below(8))
      case 1: value = Array(value.prefix(generator.below(max(1, value.count))))
      default: isRemoved = true
      }
      if value == entry.value, !isRemoved { continue }
      try store.write { writer in
        let text = try writer.table("Note").texts[0]
        try ByteKey.borrowing(entry.key) { (key) throws(StoreError) in
          if isRemoved { _ = try text.draft.remove(key) } else { try text.draft.put(key, value) }
        }
        let table = try writer.reading("Note")
        for word in ["word3", "title", "\"title 7\"", "wo*", "word1 NOT word2"] {
          do {
            let question = try table.texts[0].question(word)
            try table.texts[0].forEach(question) { _ in true }
            _ = try table.texts[0].best(question, 5, weights: [])
          } catch let error as StoreError {
            #expect(error.code == .damaged || error.code == .futureVersion, "seed \(seed): \(error)")
          }
        }
      }
      let findings = try store.verify().findings
      // The size of a segment only decides when it is merged.
      #expect(!findings.isEmpty || entry.key == [1], "seed \(seed): \(entry.key), removed: \(isRemoved)")
      #expect(findings.allSatisfy { $0.kind == .index }, "seed \(seed): \(findings)")
      // The original entry makes the index sound again.
      try store.write { writer in
        let text = try writer.table("Note").texts[0]
        try ByteKey.borrowing(entry.key) { (key) throws(StoreError) in try text.draft.put(key, entry.value) }
      }
      #expect(try store.complaints() == [], "seed \(seed)")
    }
  }

  @Test func `a change of another field does not change the index`() throws {
    let store = try Self.store()
    let before = try store.read { try $0.table("Note").texts[0].entries }
    try store.write { writer in
      for row in 1...50 { try writer.table("Note").update(RowID(UInt64(row)), ["year": .int(2026)]) }
    }
    let after = try store.read { try $0.table("Note").texts[0].entries }
    #expect(after == before)
    #expect(try store.complaints() == [])
  }

  @Test func `a failed transaction does not change the index`() throws {
    let store = try Self.store()
    struct Undone: Error {}
    for _ in 0..<3 {
      #expect(throws: Undone.self) {
        try store.write { writer in
          try Self.insert(writer, 300..<400)
          _ = try writer.reading("Note").texts[0].count
          throw Undone()
        }
      }
    }
    #expect(try store.complaints() == [])
    let count = try store.read { try $0.table("Note").texts[0].count }
    #expect(count == 220)
  }

  @Test func `an index over all rows is built in steps between other changes`() throws {
    let store = try Self.store()
    var steps = 0
    func step() throws -> Bool {
      try store.write { writer in
        guard let id = writer.catalog.unbuiltIndex else { return false }
        return try !writer.buildStep(id, most: 17)
      }
    }
    while try step() {
      steps += 1
      try store.write { writer in
        try Self.insert(writer, 500..<502)
        try writer.table("Note").update(RowID(UInt64(steps * 9)), ["title": .string("changed \(steps)")])
        try writer.table("Note").delete(RowID(UInt64(steps * 11 + 1)))
      }
      #expect(try store.complaints() == [], "step \(steps)")
      if steps > 100 { break }
    }
    #expect(steps > 5)
    try store.read { reader in
      let table = try reader.table("Note")
      #expect(!table.texts.contains { !$0.isWhole })
      let (count, found) = try (table.texts[1].count, table.texts[1].count(table.texts[1].question("hange")))
      #expect(count == table.count && found > 0)
    }
  }
}
