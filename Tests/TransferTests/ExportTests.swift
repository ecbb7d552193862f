import RoostPages
import RoostQuery
import RoostRecords
import RoostTestSupport
import RoostTransfer
import Testing

/// Rows that become text, and rows again.
@Suite struct ExportTests {
  static func exported(_ store: RecordStore, _ query: Query, _ format: TextFormat) throws -> String {
    let output = MemoryOutput()
    _ = try store.read { try Exporter($0, format).write(query, to: output) }
    return String(decoding: output.bytes, as: UTF8.self)
  }

  private static func filled() throws -> RecordStore {
    let store = try ImportTests.store()
    _ = try ImportTests.run(
      store,
      #"""
      {"id": 1, "title": "A, \"B\"", "rating": 4.5, "place": {"city": "Oslo"}, "words": ["x"], "album": "Blue", "tags": ["jazz", "folk"]}
      {"id": 2, "title": "", "words": []}
      """#)
    return store
  }

  @Test func `the text of an export`() throws {
    let store = try Self.filled()
    let lines = try Self.exported(store, Query("Track"), .jsonLines)
    #expect(
      lines == #"""
        {"id": 1, "title": "A, \"B\"", "rating": 4.5, "plays": 7, "place": {"city": "Oslo", "zip": null}, "words": ["x"], "album": "Blue", "tags": ["jazz","folk"]}
        {"id": 2, "title": "", "rating": null, "plays": 7, "place": null, "words": [], "album": null, "tags": []}

        """#)
    let table = try Self.exported(store, Query("Track"), .csv())
    #expect(
      table == #"""
        id,title,rating,plays,place,place.city,place.zip,words,album,tags
        1,"A, ""B""",4.5,7,true,Oslo,,"[""x""]",Blue,"[""jazz"",""folk""]"
        2,"",,7,,,,[],,[]

        """#)
    #expect(
      try Self.exported(store, Query("Track", limit: 1), .csv(delimiter: UInt8(ascii: ";"), names: ["plays", "id"]))
        == "plays;id\n7;1\n")
    #expect(try Self.exported(store, Query("Tag", limit: 0), .json) == "[]\n")
    let fault = #expect(throws: TransferFault.self) { try Self.exported(store, Query("Track"), .csv(names: ["no"])) }
    #expect(fault?.code == .unknown)
    #expect(throws: TransferFault.self) { try Self.exported(store, Query("No"), .json) }
  }

  @Test(arguments: [TextFormat.csv(), .json, .jsonLines])
  func `another store gets the same rows`(_ format: TextFormat) throws {
    let (store, other) = (try Self.filled(), try ImportTests.store())
    let text = try Self.exported(store, Query("Track"), format)
    let report = try ImportTests.run(other, text, format)
    #expect(report.progress.inserted == 2 && report.unresolvedCount == 0)
    #expect(try ImportTests.rows(other) == ImportTests.rows(store))
    #expect(try ImportTests.tags(other, of: 1) == ImportTests.tags(store, of: 1))
    #expect(try Self.exported(other, Query("Track"), format) == text)
  }

  /// Entities of random fields and rows.
  @Test(arguments: 1...80)
  func `every type by seed`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let fields = (0..<Int.random(in: 1...8, using: &random)).map { number in
      (name: "f\(number)", type: ValueTextTests.type(&random, depth: 2), isOptional: Bool.random(using: &random))
    }
    let (store, other) = (try RecordStore(inMemory: StoreOptions()), try RecordStore(inMemory: StoreOptions()))
    for store in [store, other] {
      try store.write { writer in
        try writer.change { catalog in
          try catalog.add(entity: "E") { (entity) throws(RecordFault) in
            for field in fields { try entity.add(field.name, field.type, isOptional: field.isOptional) }
          }
        }
      }
    }
    try store.write { writer in
      let table = try writer.table("E")
      for _ in 0..<10 {
        var builder = table.makeBuilder()
        for field in fields {
          let isNil = field.isOptional && Bool.random(using: &random)
          try builder.set(table.slot(field.name), isNil ? .null : ValueTextTests.value(&random, field.type))
        }
        _ = try table.insert(&builder)
      }
    }
    let format = [TextFormat.csv(), .json, .jsonLines][Int(seed % 3)]
    let text = try Self.exported(store, Query("E"), format)
    let report = try ImportTests.run(other, text, into: "E", format) { $0.chunk = 3 }
    #expect(report.progress.inserted == 10, "seed \(seed)")
    for row in 1...10 {
      let (one, two) = try (
        store.read { try $0.table("E").values(RowID(UInt64(row))) },
        other.read { try $0.table("E").values(RowID(UInt64(row))) }
      )
      #expect(one == two && one != nil, "seed \(seed)")
    }
    #expect(try Self.exported(other, Query("E"), format) == text, "seed \(seed)")
  }

  @Test func `through a frame`() throws {
    let store = try Self.filled()
    let packed = MemoryOutput()
    _ = try store.read { try Exporter($0, .json).write(Query("Track"), to: PackedOutput(packed)) }
    let other = try ImportTests.store()
    let input = try UnpackedInput(MemoryInput(packed.bytes))
    let report = try Importer(other, TextImportOptions(into: "Track")).run(input, .json)
    #expect(report.progress.inserted == 2)
    #expect(try ImportTests.rows(other) == ImportTests.rows(store))
  }
}
