import RoostFile
import RoostPages
import Testing

@testable import RoostRecords

/// Indexes with forms and conditions, in the catalog and beside rows.
@Suite struct IndexFormTests {
  private static func catalog() throws -> Catalog {
    var catalog = Catalog()
    try catalog.add(entity: "Task") { (entity) throws(RecordFault) in
      try entity.add("name", .string)
      try entity.add("size", .int64, isOptional: true)
      try entity.add("ratio", .double)
      try entity.add("tags", .array(.optional(.plain(.string))), isOptional: true)
    }
    return catalog
  }

  private static func field(_ name: String, _ catalog: Catalog) throws -> FieldID {
    try #require(catalog.entity("Task")?.field(name)).id
  }

  @Test func `only a catalog with them has the sixth form`() throws {
    var catalog = try Self.catalog()
    let (name, size) = (try Self.field("name", catalog), try Self.field("size", catalog))
    try catalog.add(index: "old", of: "Task", on: ["name"], tests: [.isNotNull(size), .equals(name, .string("a"))])
    #expect(catalog.encoded.first == 1)
    var formed = catalog
    try formed.add(index: "lower", of: "Task", parts: [Index.Part(name, isDescending: true, form: .lowercased)])
    #expect(formed.encoded.first == 6 && formed.indexes[1].parts[0].isDescending == false)
    var tested = catalog
    try tested.add(
      index: "some", of: "Task", parts: [Index.Part(size)],
      tests: [.any([.compares(size, .less, .int(4)), .isNull(size)]), .compares(name, .notEqual, .string(""))])
    #expect(tested.encoded.first == 6)
    for catalog in [formed, tested] {
      #expect(try Catalog(decoding: catalog.encoded) == catalog)
      // With the number of an older form, these bytes are not a catalog.
      var bytes = catalog.encoded
      bytes[0] = 5
      #expect(throws: StoreError.self) { try Catalog(decoding: bytes) }
      // No changed byte ends the process.
      for place in bytes.indices.dropFirst() {
        var damaged = catalog.encoded
        damaged[place] ^= 0x2D
        _ = try? Catalog(decoding: damaged)
      }
    }
  }

  @Test func `indexes of folded texts, keys and parts of dates need the seventh form`() throws {
    var catalog = Catalog()
    try catalog.add(entity: "Card") { (entity) throws(RecordFault) in
      try entity.add("name", .string)
      try entity.add("sent", .date)
      try entity.add("labels", .dictionary(.plain(.string), .plain(.int64)), isOptional: true)
      try entity.add("bags", .dictionary(.plain(.data), .plain(.int64)))
    }
    func field(_ name: String) throws -> FieldID { try #require(catalog.entity("Card")?.field(name)).id }
    let (name, sent, labels) = (try field("name"), try field("sent"), try field("labels"))
    for (id, form) in [(name, Index.Form.folded), (labels, .keys), (sent, .year), (sent, .hour)] {
      var one = catalog
      try one.add(index: "one", of: "Card", parts: [Index.Part(id, form: form)])
      #expect(one.encoded.first == 7)
      #expect(try Catalog(decoding: one.encoded) == one)
      var bytes = one.encoded
      bytes[0] = 6
      #expect(throws: StoreError.self) { try Catalog(decoding: bytes) }
      bytes[0] = 8
      let error = #expect(throws: StoreError.self) { try Catalog(decoding: bytes) }
      #expect(error?.code == .futureVersion)
      for place in bytes.indices.dropFirst() {
        var damaged = one.encoded
        damaged[place] ^= 0x2D
        _ = try? Catalog(decoding: damaged)
      }
    }
    for (id, form) in [(sent, Index.Form.folded), (name, .keys), (name, .month), (labels, .elements)] {
      #expect(throws: RecordFault.self) {
        var one = catalog
        try one.add(index: "wrong", of: "Card", parts: [Index.Part(id, form: form)])
      }
    }
    let error = #expect(throws: RecordFault.self) {
      var one = catalog
      try one.add(index: "two", of: "Card", parts: [Index.Part(labels, form: .keys), Index.Part(labels, form: .keys)])
    }
    #expect(error.map { "\($0)".contains("elements or keys of two collections") } ?? false)
  }

  @Test func `the names of indexes follow their properties`() throws {
    var catalog = try Self.catalog()
    let (name, size) = (try Self.field("name", catalog), try Self.field("size", catalog))
    let parts = [Index.Part(name, form: .lowercased), Index.Part(size, isDescending: true)]
    let tests: [Index.Test] = [.isNotNull(size), .any([.equals(name, .string("a")), .compares(size, .less, .int(4))])]
    let index = Index(IndexID(0), of: try #require(catalog.entity("Task")).id, "", parts: parts, tests: tests)
    let entity = try #require(catalog.entity("Task"))
    let text = index.definition(in: entity)
    #expect(text == #"lowercased of name, size descending where size != nil && (name == "a" || size < 4)"#)
    try catalog.add(index: text, of: "Task", parts: parts, tests: tests)
    try catalog.add(index: text + " 2", of: "Task", parts: parts, tests: tests)
    try catalog.add(index: "by hand", of: "Task", parts: parts)
    try catalog.rename(["name": "title", "size": "weight"], of: "Task")
    let renamed = #"lowercased of title, weight descending where weight != nil && (title == "a" || weight < 4)"#
    #expect(catalog.indexes.map(\.name) == [renamed, renamed + " 2", "by hand"])
  }

  @Test func `invalid definitions of indexes are refused`() throws {
    var catalog = try Self.catalog()
    let (name, size) = (try Self.field("name", catalog), try Self.field("size", catalog))
    let (ratio, tags) = (try Self.field("ratio", catalog), try Self.field("tags", catalog))
    func refuse(_ parts: [Index.Part], tests: [Index.Test] = [], isUnique: Bool = false) {
      #expect(throws: RecordFault.self) {
        try catalog.add(index: "wrong", of: "Task", parts: parts, isUnique: isUnique, tests: tests)
      }
    }
    refuse([])
    refuse([Index.Part(tags)])
    refuse([Index.Part(size, form: .lowercased)])
    refuse([Index.Part(name, form: .elements)])
    refuse([Index.Part(ratio, form: .count)])
    refuse([Index.Part(tags, form: .elements), Index.Part(tags, form: .elements)])
    refuse([Index.Part(name, form: .lowercased)], isUnique: true)
    refuse([Index.Part(name)], tests: [.compares(size, .less, .string("4"))])
    refuse([Index.Part(name)], tests: [.compares(tags, .notEqual, .array([]))])
    refuse([Index.Part(name)], tests: [.isNull(FieldID(99))])
    refuse([Index.Part(name)], tests: [.any([])])
    refuse([Index.Part(name)], tests: [.any([.any([.isNull(size)])])])
    refuse([Index.Part(name)], tests: Array(repeating: .isNull(size), count: 65))
    #expect(catalog.indexes.isEmpty && catalog.nextNumbers.index == 1)
  }

  @Test func `rows enter and leave, and verify finds a wrong entry`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        catalog = try Self.catalog()
        let (size, ratio) = (try Self.field("size", catalog), try Self.field("ratio", catalog))
        let (name, tags) = (try Self.field("name", catalog), try Self.field("tags", catalog))
        try catalog.add(
          index: "low", of: "Task", parts: [Index.Part(name, form: .lowercased)],
          tests: [.compares(ratio, .lessOrEqual, .double(0)), .compares(size, .notEqual, .int(3))])
        try catalog.add(index: "tags", of: "Task", parts: [Index.Part(tags, form: .elements)])
      }
      let table = try writer.table("Task")
      let tags = Value.array([.string("a"), .null, .string("b"), .string("a")])
      try table.insert(["name": .string("A"), "ratio": .double(-0.0), "tags": tags])
      try table.insert(["name": .string("B"), "ratio": .double(.nan), "tags": .null])
      try table.insert(["name": .string("C"), "ratio": .double(-1), "size": .int(3), "tags": .array([])])
      try table.insert(["name": .string("D"), "ratio": .double(-1), "size": .int(4), "tags": .array([.null])])
    }
    func counts() throws -> [Int] { try store.read { try $0.table("Task").indexes.map(\.count) } }
    #expect(try counts() == [2, 2] && store.verify().findings.isEmpty)
    try store.write { writer in
      let table = try writer.table("Task")
      try table.update(RowID(1), ["ratio": .double(0.1), "tags": .array([.string("c")])])
      try table.update(RowID(3), ["size": .null])
      try table.delete(RowID(4))
    }
    #expect(try counts() == [1, 1] && store.verify().findings.isEmpty)
  }
}
