import RoostPages
import RoostQuery
import RoostRecords
import RoostTransfer
import Testing

/// Values that an export cannot write in a form that an import reads back.
@Suite struct ExportMistakesTests {
  @Test func `a table cannot contain NUL, but objects can`() throws {
    let store = try ImportTests.store()
    try store.write { try $0.table("Album").insert(["title": .string("a\0b"), "year": .int(1)]) }
    let fault = #expect(throws: TransferFault.self) { try ExportTests.exported(store, Query("Album"), .csv()) }
    #expect(fault?.code == .encoding && fault?.field == "title" && fault?.detail.contains("row 3") == true)
    #expect(try ExportTests.exported(store, Query("Album"), .csv(names: ["year"])) == "year\n\n\n1\n")
    let other = try RecordStore(inMemory: StoreOptions())
    try other.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Album") { (entity) throws(RecordFault) in
          try entity.add("title", .string)
          try entity.add("year", .int16, isOptional: true)
        }
      }
    }
    let text = try ExportTests.exported(store, Query("Album"), .json)
    _ = try ImportTests.run(other, text, into: "Album", .json)
    #expect(try ImportTests.rows(other, "Album", by: "title")[.string("a\0b")]?["year"] == .int(1))
  }

  @Test(arguments: [TextFormat.csv(), .json, .jsonLines])
  func `a cancelled export does not look complete`(_ format: TextFormat) throws {
    let store = try ImportTests.store()
    try store.write { writer in
      let title = String(repeating: "x", count: 3000)
      for number in 0..<100 { try writer.table("Album").insert(["title": .string("\(title) \(number)")]) }
    }
    let output = MemoryOutput()
    #expect(throws: CancellationError.self) {
      try store.read { try Exporter($0, format).write(Query("Album"), to: output, isCancelled: { true }) }
    }
    #expect(output.bytes.count > 60_000 && output.bytes.count < 200_000)
    if format == .json { #expect(!String(decoding: output.bytes, as: UTF8.self).hasSuffix("]\n")) }
  }

  @Test func `a value that is unique among some rows identifies no other row`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        var kind = FieldID(0)
        let work = try catalog.add(entity: "Work") { (entity) throws(RecordFault) in
          try entity.add("title", .string)
          kind = try entity.add("kind", .int64)
        }
        try catalog.add(
          index: "by title", of: "Work", on: ["title"], isUnique: true, tests: [.equals(kind, .int(1))])
        try catalog.add(entity: "Review") { (entity) throws(RecordFault) in
          try entity.add("work", .reference(work), isOptional: true)
        }
        try catalog.add(reference: "work", of: "Review")
      }
      for kind in [2, 1] { try writer.table("Work").insert(["title": .string("7"), "kind": .int(Int64(kind))]) }
      try writer.table("Review").insert(["work": .reference(RowID(1))])
    }
    let text = try ExportTests.exported(store, Query("Review"), .jsonLines)
    #expect(text == "{\"work\": \"#1\"}\n")
    _ = try ImportTests.run(store, text, into: "Review")
    #expect(try store.read { try $0.table("Review").values(RowID(2))?["work"] } == .reference(RowID(1)))
  }

  @Test func `the classes of a family are not separate entities`() throws {
    let store = try ImportTests.store()
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Vehicle") { (entity) throws(RecordFault) in
          try entity.add("id", .int64)
          try entity.add("@class", .uint32, isOptional: true)
        }
        try catalog.add(entity: "Taxi")
      }
    }
    let text = [#"{"id": 1, "@class": "Taxi"}"#, #"{"id": 2, "@class": "Vehicle"}"#, #"{"id": 3, "@class": "Album"}"#]
    let report = try ImportTests.run(store, text.joined(separator: "\n"), into: "Vehicle") {
      $0.badRecords = .skip(most: 1)
    }
    #expect(report.progress.inserted == 2 && report.faults.first?.line == 3 && report.faults.first?.code == .unknown)
    let fault = #expect(throws: TransferFault.self) { try ExportTests.exported(store, Query("Taxi"), .json) }
    #expect(fault?.code == .unknown && fault?.detail.contains("inherits") == true)
  }

  @Test func `digits in quotes are not a time`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "E") { (entity) throws(RecordFault) in try entity.add("day", .date) }
      }
    }
    try store.read { reader in
      let entity = try #require(reader.catalog.id(of: "E"))
      for text in ["day >= \"20240501\"", "day == \"12.5\"", "day < date(\"20240501\")"] {
        #expect(throws: QuestionFault.self) {
          try TypedQuestion.condition(text, of: RowClass(entity, reader.catalog), reader.catalog)
        }
      }
      for text in ["day >= 20240501", "day == 12.5", "day < \"2024-05-01\"", "day == 5"] {
        #expect(throws: Never.self) {
          try TypedQuestion.condition(text, of: RowClass(entity, reader.catalog), reader.catalog)
        }
      }
    }
  }

  /// An update with an export stores the exported values: also for rows without a key, and for keys
  /// that look like row numbers.
  @Test(arguments: [TextFormat.csv(), .json, .jsonLines], [FieldType.string, .int64])
  func `rows without a key have names that an import finds again`(_ format: TextFormat, _ type: FieldType) throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        let node = try catalog.add(entity: "Node") { (entity) throws(RecordFault) in
          try entity.add("key", type, isOptional: true)
        }
        try catalog.add(index: "by key", of: "Node", on: ["key"], isUnique: true)
        try catalog.add(entity: "Edge") { (entity) throws(RecordFault) in
          try entity.add("id", .int64)
          try entity.add("to", .reference(node), isOptional: true)
        }
        try catalog.add(index: "by id", of: "Edge", on: ["id"], isUnique: true)
        try catalog.add(reference: "to", of: "Edge")
        try catalog.add(links: .init("over", isOrdered: true), of: "Edge", to: "Node", inverse: .init("edges"))
      }
      let texts: [String?] = [nil, "#1", "#2", "[#1]", "[\"#1\"]", "x", nil, "#x", "", "[#"]
      for (number, text) in texts.enumerated() {
        let key: Value = text.map { type == .string ? .string($0) : .int(Int64(number)) } ?? .null
        try writer.table("Node").insert(["key": key])
      }
      let count = UInt64(texts.count)
      for number in 1...count {
        let row = try writer.table("Edge").insert(["id": .int(Int64(number)), "to": .reference(RowID(number))])
        try writer.links("over", of: "Edge").replace(
          [number, count + 1 - number].map { RowID($0) }.reversed(), of: row)
      }
    }
    let before = try ImportTests.rows(store, "Edge")
    func lists() throws -> [[RowID]] {
      try store.read { reader in try (1...10).map { try reader.links("over", of: "Edge").rows(of: RowID($0)) } }
    }
    let listed = try lists()
    let text = try ExportTests.exported(store, Query("Edge"), format)
    let report = try ImportTests.run(store, text, into: "Edge", format) { $0.conflict = .update }
    #expect(report.progress.updated == 10 && report.unresolvedCount == 0 && report.progress.bad == 0, "\(text)")
    #expect(try ImportTests.rows(store, "Edge") == before && lists() == listed, "\(text)")
    // The result is equal if the rows with these numbers do not exist when they are read.
    try store.write { writer in for number in [1, 7] { try writer.table("Node").delete(RowID(UInt64(number))) } }
    let open = try ImportTests.run(store, text, into: "Edge", format) { $0.conflict = .update }
    #expect(open.unresolvedCount == 6 && open.unresolved.allSatisfy { $0.key.contains("#1") || $0.key.contains("#7") })
  }
}
