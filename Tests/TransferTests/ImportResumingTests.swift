import RoostPages
import RoostRecords
import RoostTransfer
import Testing

/// The owner of an import's data in the store, and the imports that can continue.
@Suite struct ImportResumingTests {
  private struct Full: Error {}

  private static func tracks(_ ids: some Sequence<Int>, _ more: String = "") -> [UInt8] {
    Array(ids.map { "{\"id\": \($0), \"title\": \"t\", \"words\": []\(more)}\n" }.joined().utf8)
  }

  private static func options(_ name: String?, chunk: Int = 2) -> TextImportOptions {
    var options = TextImportOptions(into: "Track")
    (options.name, options.chunk) = (name, chunk)
    return options
  }

  private static func isTidy(_ store: RecordStore) throws -> Bool {
    try ImportTests.rows(store, "@import", by: "name").isEmpty
      && ImportTests.rows(store, "@import reference", by: "row").isEmpty
  }

  /// An import of tracks that is interrupted after its first chunk.
  private static func cutOff(_ store: RecordStore, _ name: String?, _ more: String = "") throws {
    let cancellation = ImportCancellation()
    let report = try Importer(
      store, options(name), cancellation: cancellation, progress: { _ in cancellation.cancel() }
    ).run(MemoryInput(tracks(1...9, more)), .jsonLines)
    #expect(report.isCancelled && report.progress.records == 2)
  }

  // MARK: Owners

  @Test func `an import without a name does not disturb another one that runs at the same time`() throws {
    let store = try ImportTests.store()
    var isFirst = true
    let importer = Importer(
      store, Self.options(nil),
      progress: { _ in
        guard isFirst else { return }
        isFirst = false
        _ = try? ImportTests.run(store, #"{"title": "new"}"#, into: "Album")
        _ = try? ImportTests.run(store, #"{"id": 100, "title": "t", "words": [], "album": "never"}"#)
      })
    let report = try importer.run(MemoryInput(Self.tracks(1...5, #", "album": "new""#)), .jsonLines)
    let rows = try ImportTests.rows(store)
    for id in 1...5 { #expect(rows[.int(Int64(id))]?["album"] == .reference(RowID(3))) }
    #expect(report.unresolvedCount == 0 && rows[.int(100)]?["album"] == .null)
    #expect(try Self.isTidy(store))
  }

  @Test func `an interrupted import without a name sets the references that it can`() throws {
    let store = try ImportTests.store()
    try Self.cutOff(store, nil, #", "album": "new""#)
    #expect(try Self.isTidy(store))
    // The result is equal if it ends with an error.
    let bad = Self.tracks(11...12, #", "tags": ["folk", "no"]"#) + Array("x\n".utf8)
    #expect(throws: TransferFault.self) {
      try Importer(store, Self.options(nil)).run(MemoryInput(bad), .jsonLines)
    }
    #expect(try ImportTests.tags(store, of: 11) == [.string("folk")])
    #expect(try Self.isTidy(store))
  }

  @Test func `the data of an import without a name whose process has ended is removed`() throws {
    let store = try ImportTests.store()
    try store.write { try ImportState.prepare($0) }
    try store.write { writer in
      try writer.table("@import").insert(["name": .string("@run 1 1"), "run": .string("1 1")])
      try writer.table("@import").insert(["name": .string("mine"), "run": .string("1 2")])
      for (place, name) in ["@run 1 1", "mine"].enumerated() {
        try writer.table("@import reference").insert(["name": .string(name), "place": .uint(UInt64(place))])
      }
    }
    _ = try ImportTests.run(store, "")
    #expect(Set(try ImportTests.rows(store, "@import", by: "name").keys) == [.string("mine")])
    #expect(Set(try ImportTests.rows(store, "@import reference", by: "name").keys) == [.string("mine")])
  }

  @Test func `two runs of one name do not run at the same time`() throws {
    let store = try ImportTests.store()
    var second: (any Error)?
    let importer = Importer(
      store, Self.options("nightly"),
      progress: { _ in
        do { _ = try Importer(store, Self.options("nightly")).run(MemoryInput(Self.tracks(1...5)), .jsonLines) } catch {
          second = error
        }
      })
    let report = try importer.run(MemoryInput(Self.tracks(1...5)), .jsonLines)
    #expect((second as? RecordFault)?.code == .conflict && report.progress.inserted == 5)
    #expect(try ImportTests.rows(store).count == 5 && Self.isTidy(store))
  }

  @Test func `a run whose import another run has taken over stores nothing more`() throws {
    let store = try ImportTests.store()
    let importer = Importer(
      store, Self.options("nightly"),
      progress: { _ in
        try? store.write { writer in
          let table = try writer.table("@import")
          try table.update(RowID(1), ["run": .string("another")])
        }
      })
    let fault = #expect(throws: RecordFault.self) {
      try importer.run(MemoryInput(Self.tracks(1...5)), .jsonLines)
    }
    #expect(fault?.code == .conflict)
    #expect(try ImportTests.rows(store).count == 2)
  }

  // MARK: The same input

  @Test(arguments: [5, 1, 0])
  func `another input does not continue where the first one ended`(_ count: Int) throws {
    let store = try ImportTests.store()
    try Self.cutOff(store, "nightly")
    let other = Self.tracks((0..<count).map { 20 + $0 })
    for _ in 0..<2 {
      let fault = #expect(throws: RecordFault.self) {
        try Importer(store, Self.options("nightly")).run(MemoryInput(other), .jsonLines)
      }
      #expect(fault?.code == .conflict && fault?.detail.contains("nightly") == true)
    }
    #expect(try ImportTests.rows(store).count == 2)
    // Other records do not continue either, nor the same ones in another form.
    var albums = Self.options("nightly")
    albums.entity = "Album"
    #expect(throws: RecordFault.self) { try Importer(store, albums).run(MemoryInput([]), .jsonLines) }
    #expect(throws: RecordFault.self) {
      try Importer(store, Self.options("nightly")).run(MemoryInput(Array("id\n1\n2\n".utf8)), .csv())
    }
    // The first input continues, even if its end or its chunks are different.
    let report = try Importer(store, Self.options("nightly", chunk: 3))
      .run(MemoryInput(Self.tracks(1...4).dropLast()), .jsonLines)
    #expect(report.progress.resumed == 2 && report.progress.records == 4)
    #expect(try ImportTests.rows(store).count == 4 && Self.isTidy(store))
  }

  @Test func `names that begin with an at sign are refused`() throws {
    let store = try ImportTests.store()
    #expect(throws: TransferFault.self) { try Importer(store, Self.options("@run 1")).run(MemoryInput([]), .jsonLines) }
  }

  // MARK: Rejects

  @Test func `rejected records may be reported twice, but not never`() throws {
    let store = try ImportTests.store()
    var options = Self.options("nightly", chunk: 9)
    options.badRecords = .skip(most: 9)
    let text = Self.tracks(1...1) + Array("first\nsecond\n".utf8)
    var (told, isFull): ([Int], Bool) = ([], true)
    func run() throws -> TextImportReport {
      try Importer(
        store, options,
        reject: { fault in
          told.append(fault.line ?? 0)
          if isFull { throw Full() }
        }
      ).run(MemoryInput(text), .jsonLines)
    }
    #expect(throws: Full.self) { try run() }
    #expect(told == [2])
    #expect(try ImportTests.rows(store).isEmpty)
    isFull = false
    let report = try run()
    #expect(told == [2, 2, 3] && report.progress.bad == 2 && report.progress.inserted == 1)
  }
}
