import RoostPages
import RoostRecords
import RoostTransfer
import Testing

/// Structs that exist or not, and their parts.
@Suite struct ImportPartsTests {
  private static let stored = #"{"id": 1, "title": "A", "words": [], "place": {"city": "Oslo", "zip": 12}}"#

  /// The city and the zip of a track, after records that update it.
  private static func place(_ records: String..., format: TextFormat = .jsonLines) throws -> [Value?] {
    let store = try ImportTests.store()
    _ = try ImportTests.run(store, stored)
    for record in records { _ = try ImportTests.run(store, record, format) { $0.conflict = .update } }
    let row = try ImportTests.rows(store)[.int(1)]
    return [row?["place"], row?["place.city"], row?["place.zip"]]
  }

  @Test func `a part that is nil is nil`() throws {
    let rome: [Value?] = [.bool(true), .string("Rome"), .null]
    #expect(try Self.place(#"{"id": 1, "place": {"city": "Rome", "zip": null}}"#) == rome)
    #expect(try Self.place(#"{"id": 1, "place": {"zip": null, "city": "Rome"}}"#) == rome)
    #expect(try Self.place("id,place.zip,place.city\n1,,Rome", format: .csv()) == rome)
    // A record that does not mention the struct sets no part of it.
    #expect(try Self.place("id,place.zip,place.city\n1,,", format: .csv()) == [.bool(true), .string("Oslo"), .int(12)])
  }

  @Test func `deleted parts do not come back`() throws {
    let bern: [Value?] = [.bool(true), .string("Bern"), .null]
    #expect(try Self.place(#"{"id": 1, "place": null}"#, #"{"id": 1, "place": {"city": "Bern"}}"#) == bern)
    let gone = try Self.place("id,place\n1,false", format: .csv())
    #expect(gone[0] == .null)
  }

  @Test(arguments: [#"{}"#, #"{"city": null}"#, #"{"zip": 3}"#])
  func `a struct needs its parts`(_ place: String) throws {
    let store = try ImportTests.store()
    let new = "{\"id\": 2, \"title\": \"B\", \"words\": [], \"place\": \(place)}"
    let fault = #expect(throws: TransferFault.self) { try ImportTests.run(store, new) }
    #expect(fault?.code == .missing && fault?.field == "place.city")
    #expect(try ImportTests.rows(store).isEmpty)
    // A row gets a struct that it did not have.
    _ = try ImportTests.run(store, #"{"id": 2, "title": "B", "words": []}"#)
    let update = #expect(throws: TransferFault.self) {
      try ImportTests.run(store, "{\"id\": 2, \"place\": \(place)}") { $0.conflict = .update }
    }
    #expect(update?.code == .missing && update?.field == "place.city")
    #expect(try ImportTests.rows(store)[.int(2)]?["place"] == .null)
  }

  @Test func `structs in missing structs`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "E") { (entity) throws(RecordFault) in
          try entity.add("id", .int64)
          try entity.add("a", .presence, isOptional: true)
          try entity.add("a.n", .int64)
          try entity.add("a.b", .presence, isOptional: true)
          try entity.add("a.b.n", .int64)
        }
      }
    }
    let report = try ImportTests.run(
      store, "id,a,a.n,a.b,a.b.n\n1,,,,\n2,true,3,,\n3,true,3,true,4\n", into: "E", .csv())
    let rows = try ImportTests.rows(store, "E")
    #expect(report.progress.inserted == 3 && rows[.int(1)]?["a"] == .null && rows[.int(2)]?["a.b"] == .null)
    #expect(rows[.int(2)]?["a.n"] == .int(3) && rows[.int(3)]?["a.b.n"] == .int(4))
  }
}
