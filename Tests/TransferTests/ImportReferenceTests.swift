import RoostPages
import RoostRecords
import RoostTestSupport
import RoostTransfer
import Testing

/// References to rows that come later, are deleted, or cannot be referenced.
@Suite struct ImportReferenceTests {
  private struct Wrong: Error {}

  /// Nodes with a parent that is a node too, and may be required.
  private static func nodes(isOptional: Bool = true, isSingle: Bool = false) throws -> RecordStore {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      let id = try nodes(writer)
      try writer.change { catalog in
        try catalog.change(entity: "Node") { (entity) throws(RecordFault) in
          try entity.add("parent", .reference(id), isOptional: isOptional)
        }
        try catalog.add(reference: "parent", of: "Node", inverse: .init("children", isSingle: isSingle))
      }
    }
    return store
  }

  private static func nodes(_ writer: RecordWriter) throws -> EntityID {
    var id: EntityID?
    try writer.change { catalog in
      id = try catalog.add(entity: "Node") { (entity) throws(RecordFault) in try entity.add("id", .int64) }
      try catalog.add(index: "by id", of: "Node", on: ["id"], isUnique: true)
    }
    return try #require(id)
  }

  private static func import_(
    _ store: RecordStore, _ text: String, _ change: (inout TextImportOptions) -> Void = { _ in }
  ) throws -> TextImportReport { try ImportTests.run(store, text, into: "Node", .jsonLines, change) }

  private static func parent(_ store: RecordStore, _ id: Int64) throws -> Value? {
    guard let value = try ImportTests.rows(store, "Node")[.int(id)]?["parent"] else { return nil }
    guard case .reference(let row) = value else { return value }
    return try store.read { try $0.table("Node").values(row)?["id"] }
  }

  // MARK: Lists

  @Test func `a list that contains a row twice is refused, and nothing of its record is stored`() throws {
    for list in [#"["jazz", "jazz"]"#, #"["nobody", "nobody"]"#, #"["nobody", "jazz", "jazz"]"#] {
      let store = try ImportTests.store()
      let record = "{\"id\": 1, \"title\": \"A\", \"words\": [], \"tags\": \(list)}"
      let report = try ImportTests.run(store, record) { $0.badRecords = .skip(most: 9) }
      #expect(report.progress.bad == 1 && report.progress.inserted == 0 && report.unresolvedCount == 0)
      #expect(try ImportTests.rows(store).isEmpty)
    }
  }

  @Test func `a list is replaced, whether its keys are known or not`() throws {
    let store = try ImportTests.store()
    _ = try ImportTests.run(store, #"{"id": 1, "title": "A", "words": [], "tags": ["jazz"]}"#)
    let report = try ImportTests.run(store, #"{"id": 1, "tags": ["folk", "nobody"]}"#) { $0.conflict = .update }
    #expect(try ImportTests.tags(store, of: 1) == [.string("folk")])
    #expect(report.unresolvedCount == 1 && report.progress.updated == 1)
    // The last record that sets the list decides.
    let later = #"{"id": 1, "tags": ["folk", "later"]}"# + "\n" + #"{"id": 1, "tags": ["jazz"]}"#
    for chunk in [1, 100] {
      let report = try ImportTests.run(store, later) { ($0.conflict, $0.chunk) = (.update, chunk) }
      #expect(try ImportTests.tags(store, of: 1) == [.string("jazz")] && report.unresolvedCount == 0)
    }
  }

  // MARK: References

  /// The result does not depend on what the reading thread has seen.
  @Test(arguments: [1, 2, 5]) func `the records of a deleted row do not change another row`(_ chunk: Int) throws {
    let store = try ImportTests.store()
    // Its key looks like the number of the deleted row.
    try store.write { try $0.table("Album").insert(["title": .string("#1")]) }
    var options = TextImportOptions(into: "Track")
    options.chunk = chunk
    let lines = (1...40).map { "{\"id\": \($0), \"title\": \"t\", \"words\": [], \"album\": \"Blue\"}" }
    let importer = Importer(
      store, options, progress: { _ in try? store.write { _ = try $0.table("Album").delete(RowID(1)) } })
    let report = try importer.run(MemoryInput(Array(lines.joined(separator: "\n").utf8)), .jsonLines)
    let rows = try ImportTests.rows(store)
    #expect(rows.count == 40 && rows.values.allSatisfy { $0["album"] != .reference(RowID(3)) })
    #expect(report.unresolvedCount == 40 - chunk)
  }

  @Test(arguments: [1, 2, 100])
  func `the last record that sets a reference decides`(_ chunk: Int) throws {
    let store = try Self.nodes()
    let text = [#"{"id": 1, "parent": 2}"#, #"{"id": 2}"#, #"{"id": 1, "parent": null}"#].joined(separator: "\n")
    _ = try Self.import_(store, text) { ($0.conflict, $0.chunk) = (.update, chunk) }
    #expect(try Self.parent(store, 1) == .null)
    // In a merge nil sets nothing, and a key that comes later does.
    let more = [#"{"id": 1, "parent": 2}"#, #"{"id": 1, "parent": 3}"#, #"{"id": 1, "parent": null}"#, #"{"id": 3}"#]
    _ = try Self.import_(store, more.joined(separator: "\n")) { ($0.conflict, $0.chunk) = (.merge, chunk) }
    #expect(try Self.parent(store, 1) == .int(3))
    let waits = [#"{"id": 7, "parent": 8}"#, #"{"id": 7, "parent": null}"#, #"{"id": 8}"#].joined(separator: "\n")
    let report = try Self.import_(store, waits) { ($0.conflict, $0.chunk) = (.merge, chunk) }
    #expect(try Self.parent(store, 7) == .int(8) && report.unresolvedCount == 0)
  }

  @Test func `a reference that another program sets meanwhile stays`() throws {
    let store = try Self.nodes()
    _ = try Self.import_(store, #"{"id": 9}"#)
    var options = TextImportOptions(into: "Node")
    (options.chunk, options.name) = (2, "nodes")
    let text = [#"{"id": 1, "parent": 5}"#, #"{"id": 2, "parent": 5}"#, #"{"id": 5}"#].joined(separator: "\n")
    var isFirst = true
    let importer = Importer(
      store, options,
      progress: { _ in
        guard isFirst else { return }
        isFirst = false
        try? store.write { writer in
          let table = try writer.table("Node")
          let row = try #require(try table.row(unique: "by id", [.int(1)]))
          let other = try #require(try table.row(unique: "by id", [.int(9)]))
          try table.update(row, ["parent": .reference(other)])
        }
      })
    let report = try importer.run(MemoryInput(Array(text.utf8)), .jsonLines)
    #expect(try Self.parent(store, 1) == .int(9) && Self.parent(store, 2) == .int(5))
    #expect(report.unresolvedCount == 1 && report.unresolved.first?.reason == .changed)
  }

  /// In both endings, references to existing rows are set at once, and the rest waits for the run
  /// that continues.
  @Test(arguments: [true, false]) func `an interrupted import with a name sets the references that it can`(
    _ isCancelled: Bool
  ) throws {
    let store = try Self.nodes()
    var options = TextImportOptions(into: "Node")
    (options.chunk, options.name) = (1, "nodes")
    let first = [#"{"id": 1, "parent": 3}"#, #"{"id": 2, "parent": 9}"#, #"{"id": 3}"#]
    func input(_ last: String) -> MemoryInput { MemoryInput(Array((first + [last]).joined(separator: "\n").utf8)) }
    let cancellation = ImportCancellation()
    let importer = Importer(
      store, options, cancellation: cancellation,
      progress: { if isCancelled, $0.records == 3 { cancellation.cancel() } })
    if isCancelled {
      let report = try importer.run(input(#"{"id": 4}"#), .jsonLines)
      #expect(report.isCancelled && report.unresolvedCount == 0)
    } else {
      #expect(throws: TransferFault.self) { try importer.run(input("x"), .jsonLines) }
    }
    #expect(try Self.parent(store, 1) == .int(3) && Self.parent(store, 2) == .null)
    let report = try Importer(store, options).run(input(#"{"id": 9}"#), .jsonLines)
    #expect(report.progress.resumed == 3 && report.unresolvedCount == 0)
    #expect(try Self.parent(store, 1) == .int(3) && Self.parent(store, 2) == .int(9))
  }

  /// A record finds the records before it, independent of the threads.
  @Test(arguments: [1, 3, 100])
  func `a required reference finds earlier records`(_ chunk: Int) throws {
    let store = try Self.nodes(isOptional: false)
    try store.write { writer in
      // The first one references itself.
      try writer.table("Node").insert(["id": .int(0), "parent": .reference(RowID(1))])
    }
    let lines = (1...200).map { "{\"id\": \($0), \"parent\": \($0 - 1)}" } + [#"{"id": 500, "parent": 501}"#]
    let report = try Self.import_(store, lines.joined(separator: "\n")) {
      ($0.chunk, $0.badRecords) = (chunk, .skip(most: 9))
    }
    #expect(report.progress.inserted == 200 && report.progress.bad == 1)
    #expect(report.faults.first?.code == .unknown && report.faults.first?.field == "parent")
    for id in 1...200 { #expect(try Self.parent(store, Int64(id)) == .int(Int64(id) - 1)) }
  }

  /// The last record with a parent decides, in chunks of any size, interrupted and continued.
  @Test(arguments: 1...40)
  func `references by seed`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let store = try Self.nodes()
    var expected: [Int64: Int64?] = [:]
    var lines: [String] = []
    for _ in 0..<Int.random(in: 0...60, using: &random) {
      let (id, parent) = (Int64.random(in: 0...15, using: &random), Int64.random(in: 0...25, using: &random))
      switch Int.random(in: 0...3, using: &random) {
      case 0:
        lines.append("{\"id\": \(id)}")
        expected[id] = .some(expected[id] ?? nil)
      case 1:
        lines.append("{\"id\": \(id), \"parent\": null}")
        expected[id] = .some(nil)
      default:
        lines.append("{\"id\": \(id), \"parent\": \(parent)}")
        expected[id] = parent
      }
    }
    var options = TextImportOptions(into: "Node")
    (options.conflict, options.name) = (.update, "nodes")
    let bytes = Array(lines.joined(separator: "\n").utf8)
    var isDone = false
    while !isDone {
      options.chunk = Int.random(in: 1...20, using: &random)
      let cancellation = ImportCancellation()
      var pieces = Int.random(in: 1...5, using: &random)
      let report = try Importer(
        store, options, cancellation: cancellation,
        progress: { _ in
          pieces -= 1
          if pieces == 0 { cancellation.cancel() }
        }
      ).run(MemoryInput(bytes), .jsonLines)
      isDone = !report.isCancelled
      let lost = expected.values.count { parent in parent.map { expected[$0] == nil } ?? false }
      if isDone { #expect(report.unresolvedCount == lost, "seed \(seed)") }
    }
    #expect(try ImportTests.rows(store, "Node").count == expected.count, "seed \(seed)")
    for (id, parent) in expected {
      let wanted: Value = parent.flatMap { expected[$0] == nil ? nil : .int($0) } ?? .null
      #expect(try Self.parent(store, id) == wanted, "seed \(seed), node \(id)")
    }
    #expect(try lines.isEmpty || ImportTests.rows(store, "@import reference", by: "row").isEmpty, "seed \(seed)")
  }

  @Test func `a reference that collides is reported, and the others are set`() throws {
    let store = try Self.nodes(isSingle: true)
    let text = [#"{"id": 1, "parent": 3}"#, #"{"id": 2, "parent": 3}"#, #"{"id": 3, "parent": 4}"#, #"{"id": 4}"#]
    let report = try Self.import_(store, text.joined(separator: "\n")) { options in
      options.name = "people"
      options.badRecords = .skip(most: 100)
    }
    #expect(report.progress.inserted == 4 && report.unresolvedCount == 1)
    guard case .refused(let why)? = report.unresolved.first?.reason else { throw Wrong() }
    #expect(why.contains("unique"))
    #expect(try Self.parent(store, 1) == .int(3) && Self.parent(store, 2) == .null && Self.parent(store, 3) == .int(4))
    #expect(try ImportTests.rows(store, "@import", by: "name").isEmpty)
    #expect(try ImportTests.rows(store, "@import reference", by: "row").isEmpty)
  }

  @Test func `the index of a reference does not identify the row of a record`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        let ware = try catalog.add(entity: "Ware") { (entity) throws(RecordFault) in try entity.add("name", .string) }
        try catalog.add(index: "by name", of: "Ware", on: ["name"], isUnique: true)
        for (name, isUnique) in [("Seal", true), ("Stamp", false)] {
          try catalog.add(entity: name) { (entity) throws(RecordFault) in
            try entity.add("number", .int64)
            try entity.add("ware", .reference(ware), isOptional: true)
          }
          if isUnique { try catalog.add(index: "by number", of: name, on: ["number"], isUnique: true) }
          try catalog.add(reference: "ware", of: name, inverse: .init("one \(name)", isSingle: true))
        }
      }
    }
    _ = try ImportTests.run(store, #"{"name": "a"}"#, into: "Ware")
    _ = try ImportTests.run(store, #"{"number": 1, "ware": "a"}"#, into: "Seal")
    for (conflict, number) in [(TextImportOptions.Conflict.update, Int64(2)), (.merge, 3), (.skip, 4)] {
      // Each record is a separate row, which takes the ware from the row before.
      _ = try ImportTests.run(store, "{\"number\": \(number), \"ware\": \"a\"}", into: "Seal") {
        $0.conflict = conflict
      }
      let seals = try ImportTests.rows(store, "Seal", by: "number")
      #expect(Set(seals.keys) == Set((1...number).map { .int($0) }))
      #expect(seals.filter { $0.value["ware"] != .null }.keys.map { $0 } == [.int(number)])
      // If nothing else is unique, the import does not begin.
      let none = #expect(throws: TransferFault.self) {
        try ImportTests.run(store, "no object", into: "Stamp") { $0.conflict = conflict }
      }
      #expect(none?.code == .unknown && none?.detail.contains("unique") == true)
    }
    let named = #expect(throws: TransferFault.self) {
      try ImportTests.run(store, "", into: "Seal") { ($0.conflict, $0.uniqueIndex) = (.update, "by nothing") }
    }
    #expect(named?.detail.contains("by nothing") == true)
  }
}
