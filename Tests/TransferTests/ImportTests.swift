import RoostFile
import RoostPages
import RoostRecords
import RoostTestSupport
import RoostTransfer
import Testing

/// Records that become rows.
@Suite struct ImportTests {
  /// Albums with titles, and tracks that reference albums and tags.
  static func store() throws -> RecordStore {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        let album = try catalog.add(entity: "Album") { (entity) throws(RecordFault) in
          try entity.add("title", .string)
          try entity.add("year", .int16, isOptional: true)
        }
        try catalog.add(index: "by title", of: "Album", on: ["title"], isUnique: true)
        try catalog.add(entity: "Tag") { (entity) throws(RecordFault) in try entity.add("name", .string) }
        try catalog.add(index: "by name", of: "Tag", on: ["name"], isUnique: true)
        try catalog.add(entity: "Track") { (entity) throws(RecordFault) in
          try entity.add("id", .int64)
          try entity.add("title", .string)
          try entity.add("rating", .double, isOptional: true)
          try entity.add("plays", .int32, initial: .int(7))
          try entity.add("place", .presence, isOptional: true)
          try entity.add("place.city", .string)
          try entity.add("place.zip", .int32, isOptional: true)
          try entity.add("words", .array(.plain(.string)))
          try entity.add("album", .reference(album), isOptional: true)
        }
        try catalog.add(index: "by id", of: "Track", on: ["id"], isUnique: true)
        try catalog.add(reference: "album", of: "Track")
        try catalog.add(links: .init("tags", isOrdered: true), of: "Track", to: "Tag", inverse: .init("tracks"))
      }
      for title in ["Blue", "Hejira"] { try writer.table("Album").insert(["title": .string(title)]) }
      for name in ["folk", "jazz"] { try writer.table("Tag").insert(["name": .string(name)]) }
    }
    return store
  }

  static func run(
    _ store: RecordStore, _ text: String, into entity: String = "Track", _ format: TextFormat = .jsonLines,
    _ change: (inout TextImportOptions) -> Void = { _ in }, reject: ((TransferFault) throws -> Void)? = nil
  ) throws -> TextImportReport {
    var options = TextImportOptions(into: entity)
    change(&options)
    return try Importer(store, options, reject: reject).run(MemoryInput(Array(text.utf8), piece: 50), format)
  }

  /// The rows by the values of one of their fields.
  static func rows(_ store: RecordStore, _ entity: String = "Track", by field: String = "id") throws -> [Value: [String:
    Value]]
  {
    try store.read { reader in
      let table = try reader.table(entity)
      var found: [Value: [String: Value]] = [:]
      var cursor = try table.cursor()
      while try cursor.next() {
        let values = try table.values(cursor.row().id) ?? [:]
        found[values[field] ?? .null] = values
      }
      return found
    }
  }

  static func tags(_ store: RecordStore, of id: Int64) throws -> [Value] {
    try store.read { reader in
      let row = try #require(try reader.table("Track").row(unique: "by id", [.int(id)]))
      return try reader.links("tags", of: "Track").rows(of: row).compactMap {
        try reader.table("Tag").values($0)?["name"]
      }
    }
  }

  @Test func `objects with parts, references and lists`() throws {
    let store = try Self.store()
    let report = try Self.run(
      store,
      """
      {"id": 1, "title": "A", "rating": 4.5, "place": {"city": "Oslo", "zip": 12}, "words": ["x", "y"], "album": "Blue", "tags": ["jazz", "folk"]}
      {"title": "B", "id": 2, "place": null, "words": [], "album": null, "plays": 3, "place.city": null}
      {"id": 3, "title": "C", "place.city": "Rome", "words": [], "album": "#2", "tags": []}
      """)
    #expect(report.progress.records == 3 && report.progress.inserted == 3 && report.faults.isEmpty)
    let rows = try Self.rows(store)
    #expect(rows[.int(1)]?["place.city"] == .string("Oslo") && rows[.int(1)]?["place.zip"] == .int(12))
    #expect(
      rows[.int(1)]?["place"] == .bool(true) && rows[.int(2)]?["place"] == .null
        && rows[.int(3)]?["place"] == .bool(true))
    #expect(rows[.int(1)]?["plays"] == .int(7) && rows[.int(2)]?["plays"] == .int(3))
    #expect(rows[.int(1)]?["words"] == .array([.string("x"), .string("y")]) && rows[.int(2)]?["rating"] == .null)
    #expect(rows[.int(1)]?["album"] == .reference(RowID(1)) && rows[.int(2)]?["album"] == .null)
    #expect(try Self.tags(store, of: 1) == [.string("jazz"), .string("folk")])
    // A text that is a key is not a row number.
    #expect(report.unresolvedCount == 1 && rows[.int(3)]?["album"] == .null)
  }

  @Test func `tables`() throws {
    let store = try Self.store()
    let table = """
      id,title,rating,place.city,words,album,tags
      1,A,,Oslo,"[""x"", ""y""]",Blue,"[""jazz""]"
      2,"",1.5,,[],,
      """
    let report = try Self.run(store, table, .csv())
    #expect(report.progress.inserted == 2)
    let rows = try Self.rows(store)
    #expect(rows[.int(1)]?["rating"] == .null && rows[.int(1)]?["place"] == .bool(true))
    #expect(rows[.int(2)]?["title"] == .string("") && rows[.int(2)]?["place"] == .null)
    #expect(try Self.tags(store, of: 1) == [.string("jazz")])
  }

  @Test func `referenced rows may come later`() throws {
    let store = try Self.store()
    var text = (1...50).map {
      "{\"id\": \($0), \"title\": \"t\", \"words\": [], \"album\": \"new \($0 % 7)\", \"tags\": [\"folk\", \"t\($0 % 3)\"]}"
    }
    text.append("{\"id\": 51, \"title\": \"t\", \"words\": [], \"album\": \"never\"}")
    // Tracks first, in small chunks, and the albums by another import while the first one is
    // interrupted.
    var options = TextImportOptions(into: "Track")
    options.chunk = 7
    options.name = "tracks"
    let cancellation = ImportCancellation()
    let bytes = Array(text.joined(separator: "\n").utf8)
    let half = try Importer(
      store, options, cancellation: cancellation,
      progress: { progress in
        if progress.records == 21 { cancellation.cancel() }
      }
    ).run(MemoryInput(bytes), .jsonLines)
    #expect(half.isCancelled && half.progress.inserted == 21)
    #expect(try Self.rows(store).count == 21)
    _ = try Self.run(store, (0..<7).map { "{\"title\": \"new \($0)\"}" }.joined(separator: "\n"), into: "Album")
    _ = try Self.run(store, "name\nt0\nt1\nt2", into: "Tag", .csv())
    let rest = try Importer(store, options).run(MemoryInput(bytes), .jsonLines)
    #expect(rest.progress.resumed == 21 && rest.progress.inserted == 51 && rest.progress.records == 51)
    #expect(
      rest.unresolvedCount == 1 && rest.unresolved.first?.property == "album"
        && rest.unresolved.first?.key == "\"never\"")
    let (tracks, albums) = (try Self.rows(store), try Self.rows(store, "Album", by: "title"))
    #expect(tracks.count == 51 && albums.count == 9)
    for id in 1...50 {
      guard case .reference(let row)? = tracks[.int(Int64(id))]?["album"] else {
        Issue.record("track \(id) leads nowhere")
        continue
      }
      #expect(try store.read { try $0.table("Album").values(row)?["title"] } == .string("new \(id % 7)"))
      #expect(try Self.tags(store, of: Int64(id)) == [.string("folk"), .string("t\(id % 3)")])
    }
    // Nothing of it is kept.
    #expect(
      try Self.rows(store, "@import", by: "name").isEmpty && Self.rows(store, "@import reference", by: "row").isEmpty)
    #expect(try Importer(store, options).run(MemoryInput([]), .jsonLines).progress.resumed == 0)
  }

  @Test(arguments: TextImportOptions.Conflict.allCases)
  func `existing rows`(_ conflict: TextImportOptions.Conflict) throws {
    let store = try Self.store()
    _ = try Self.run(store, #"{"id": 1, "title": "A", "rating": 2, "words": ["a"], "tags": ["jazz"]}"#)
    let text = """
      {"id": 1, "title": "B", "rating": null, "tags": ["folk"]}
      {"id": 2, "title": "C", "words": []}
      {"id": 3, "title": "D"}
      """
    func run() throws -> TextImportReport {
      try Self.run(store, text) { options in
        options.conflict = conflict
        options.badRecords = .skip(most: 10)
      }
    }
    if conflict == .throw {
      let twice = #"{"id": 2, "title": "B", "words": []}"# + "\n" + #"{"id": 1, "title": "B", "words": []}"#
      #expect(throws: RecordFault.self) { try Self.run(store, twice) { $0.conflict = .throw } }
      #expect(try Self.rows(store).count == 1)
      return
    }
    let report = try run()
    let row = try Self.rows(store)[.int(1)]
    // A new row needs all fields without a default.
    let missing = try #require(report.faults.last)
    #expect(missing.code == .missing && missing.line == 3 && missing.field == "words")
    let wanted: (bad: Int, updated: Int, kept: Int, title: String, rating: Value, tag: String) =
      switch conflict {
      case .insert, .throw: (2, 0, 0, "A", .double(2), "jazz")
      case .skip: (1, 0, 1, "A", .double(2), "jazz")
      case .update: (1, 1, 0, "B", .null, "folk")
      case .merge: (1, 1, 0, "B", .double(2), "folk")
      }
    let progress = report.progress
    #expect(
      (progress.bad, progress.updated, progress.kept, progress.inserted) == (wanted.bad, wanted.updated, wanted.kept, 1)
    )
    #expect(row?["title"] == .string(wanted.title) && row?["rating"] == wanted.rating)
    #expect(row?["words"] == .array([.string("a")]) && row?["plays"] == .int(7))
    #expect(try Self.tags(store, of: 1) == [.string(wanted.tag)])
  }

  @Test func `bad records end the import, or are left out and reported`() throws {
    let lines = [
      #"{"id": 1, "title": "A", "words": []}"#, #"{"id": "x", "title": "A", "words": []}"#,
      #"{"id": 3, "title": "A", "#,
      #"{"id": 4, "title": "A", "words": [], "other": 1}"#, #"{"id": 5, "title": "A", "words": [1]}"#,
      #"{"id": 6, "title": "A", "words": [], "title": "B"}"#, #"{"id": 1, "title": "again", "words": []}"#,
      #"{"id": 8, "title": "A", "words": [], "plays": 3000000000}"#, #"{"id": 9, "title": null, "words": []}"#,
      #"{"id": 10, "title": "A", "words": []}"#,
    ]
    let text = lines.joined(separator: "\n")
    let store = try Self.store()
    let first = #expect(throws: TransferFault.self) { try Self.run(store, text) }
    #expect(first?.line == 2 && first?.column == 8 && first?.field == "id" && first?.code == .wrongType)
    #expect(try Self.rows(store).isEmpty)
    let one = #expect(throws: TransferFault.self) { try Self.run(store, text) { $0.chunk = 1 } }
    #expect(one?.line == 2)
    #expect(try Self.rows(store).count == 1)

    let other = try Self.store()
    var rejected: [String] = []
    let report = try Self.run(other, text) {
      $0.badRecords = .skip(most: 8)
    } reject: {
      rejected.append(String(decoding: $0.record, as: UTF8.self))
    }
    #expect(report.progress.bad == 8 && report.progress.inserted == 2)
    let told = report.faults.sorted { $0.line ?? 0 < $1.line ?? 0 }
    #expect(told.map(\.line) == [2, 3, 4, 5, 6, 7, 8, 9])
    #expect(
      told.map(\.code) == [.wrongType, .truncated, .unknown, .wrongType, .duplicate, .duplicate, .outOfRange, .missing])
    #expect(told.map(\.field) == ["id", nil, "other", "words", "title", "id", "plays", "title"])
    // Rejected records can be imported again after they are corrected.
    #expect(Set(rejected.map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }) == Set(lines[1...8]))
    #expect(throws: TransferFault.self) { try Self.run(try Self.store(), text) { $0.badRecords = .skip(most: 7) } }
    let unknown = try Self.run(try Self.store(), text) { options in
      options.badRecords = .skip(most: 8)
      options.ignoresUnknown = true
      options.renames = ["other": "rating"]
    }
    #expect(unknown.progress.inserted == 3)
  }

  /// Before the fix, if the names of two columns differed only in case, each record was refused
  /// because its field occurred twice.
  @Test(arguments: ["title,Title,id,words", "TITLE,Title, title ,title,id,words", "id,words,TITLE,title"])
  func `the exact name counts among columns that differ in case, if unknown ones are left out`(_ header: String) throws
  {
    let columns = header.split(separator: ",")
    let record = columns.map { $0 == "title" ? "right" : $0 == "id" ? "1" : $0 == "words" ? "[]" : "wrong" }
    let text = header + "\n" + record.joined(separator: ",")
    let store = try Self.store()
    let report = try Self.run(store, text, .csv()) { $0.ignoresUnknown = true }
    #expect(report.progress.inserted == 1 && report.progress.bad == 0)
    #expect(try Self.rows(store)[.int(1)]?["title"] == .string("right"))
    // If no column may be left out, one error comes before the first record.
    for change in [{ $0.badRecords = .skip(most: 9) }, { _ in }] as [(inout TextImportOptions) -> Void] {
      let error = #expect(throws: TransferFault.self) { try Self.run(try Self.store(), text, .csv(), change) }
      #expect(error?.code == .duplicate && error?.line == 1)
      for column in columns where column.lowercased().contains("title") {
        #expect(error?.detail.contains("'\(column)'") == true, "\(error?.detail ?? "")")
      }
    }
  }

  @Test func `two columns without an exact name are reported once`() throws {
    let error = #expect(throws: TransferFault.self) {
      try Self.run(try Self.store(), "id,words,TITLE,Title\n1,[],a,b", .csv()) {
        $0.ignoresUnknown = true
        $0.badRecords = .skip(most: 9)
      }
    }
    #expect(error?.code == .duplicate && error?.line == 1)
    #expect(error?.detail.contains("'TITLE', 'Title' are all 'title' of Track") == true, "\(error?.detail ?? "")")
    let store = try Self.store()
    let report = try Self.run(store, "id,words,TITLE,Title\n1,[],a,b", .csv()) {
      $0.renames = ["TITLE": nil, "Title": "title"]
    }
    #expect(try report.progress.inserted == 1 && Self.rows(store)[.int(1)]?["title"] == .string("b"))
  }

  /// Before the fix, leaving out the column `TITLE` left out `title` too.
  @Test func `a rename of another spelling does not change the exact name`() throws {
    for other in [String?.none, "rating"] {
      let store = try Self.store()
      let report = try Self.run(store, "id,words,title,TITLE\n1,[],a,2", .csv()) { $0.renames = ["TITLE": other] }
      let row = try Self.rows(store)[.int(1)]
      #expect(report.progress.inserted == 1 && row?["title"] == .string("a"))
      #expect(row?["rating"] == (other == nil ? Value.null : .double(2)))
    }
  }

  /// Names of objects may differ between records, so each record decides for itself.
  @Test func `the exact name counts among names that differ in case, if unknown ones are left out`() throws {
    let lines = [
      #"{"id": 1, "Title": "a", "words": []}"#,
      #"{"id": 2, "Title": "wrong", "words": [], "title": "b", "place": {"CITY": "wrong", "city": "c"}}"#,
      #"{"title": "c", "TITLE": 7, "id": 3, "words": [], "place": {"CITY": "d"}}"#,
      #"{"id": 4, "TITLE": "x", "Title": "y", "words": []}"#,
      #"{"id": 5, "title": "x", "title": "y", "words": []}"#,
      #"{"RATING": 1, "Rating": 2, "rating": 3, "id": 6, "title": "d", "words": []}"#,
    ]
    let store = try Self.store()
    let report = try Self.run(store, lines.joined(separator: "\n")) {
      $0.ignoresUnknown = true
      $0.badRecords = .skip(most: 9)
    }
    let rows = try Self.rows(store)
    #expect(report.progress.inserted == 4, "\(report.faults)")
    #expect(rows[.int(6)]?["rating"] == .double(3))
    #expect((1...3).map { rows[.int($0)]?["title"] } == ["a", "b", "c"].map { .string($0) })
    #expect((2...3).map { rows[.int($0)]?["place.city"] } == ["c", "d"].map { .string($0) })
    #expect(report.faults.map(\.code) == [.duplicate, .duplicate] && report.faults.map(\.line) == [4, 5])
    #expect(
      report.faults.first?.detail.contains("'TITLE'") == true && report.faults.first?.detail.contains("'Title'") == true
    )
    let strict = try Self.run(try Self.store(), lines.joined(separator: "\n")) { $0.badRecords = .skip(most: 9) }
    #expect(strict.progress.inserted == 1 && strict.faults.map(\.line) == [2, 3, 4, 5, 6])
  }

  @Test func `unknown names`() throws {
    let store = try Self.store()
    let nothing = #expect(throws: TransferFault.self) { try Self.run(store, "{}", into: "Trak") }
    #expect(nothing?.code == .unknown && nothing?.detail.contains("'Track'") == true)
    let column = #expect(throws: TransferFault.self) { try Self.run(store, "id,titel\n", .csv()) }
    #expect(column?.field == "titel")
    let used = #expect(throws: TransferFault.self) { try Self.run(store, "id,titel\n1,x", .csv()) }
    #expect(used?.field == "titel" && used?.detail.contains("'title'") == true)
    let renamed = try Self.run(store, "id,titel,x,words\n1,A,y,[]", .csv()) {
      $0.renames = ["titel": "title", "x": String?.none]
    }
    #expect(renamed.progress.inserted == 1)
  }

  /// Compares an import in chunks of any size, interrupted and continued, with a plain dictionary.
  @Test(arguments: 1...25)
  func `imports by seed`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let store = try Self.store()
    var expected: [Int64: (title: String, rating: Double?)] = [:]
    for round in 0..<4 {
      var lines: [String] = []
      let conflict: TextImportOptions.Conflict = [.skip, .update, .merge].randomElement(using: &random)!
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        let id = Int64.random(in: 0...40, using: &random)
        let (title, rating) = (
          "t\(random.next() % 1000)", Bool.random(using: &random) ? Double(random.next() % 10) : nil
        )
        lines.append(
          "{\"id\":\(id),\"title\":\"\(title)\",\"rating\":\(rating.map { "\($0)" } ?? "null"),\"words\":[]}")
        switch (expected[id], conflict) {
        case (nil, _), (_, .update): expected[id] = (title, rating)
        case (let old?, .merge): expected[id] = (title, rating ?? old.rating)
        default: break
        }
      }
      var options = TextImportOptions(into: "Track")
      options.conflict = conflict
      options.chunk = Int.random(in: 1...20, using: &random)
      options.name = "round \(round)"
      let bytes = Array(("[" + lines.joined(separator: ",\n") + "]").utf8)
      while true {
        let cancellation = ImportCancellation()
        var pieces = Int.random(in: 1...5, using: &random)
        let report = try Importer(
          store, options, cancellation: cancellation,
          progress: { _ in
            pieces -= 1
            if pieces == 0 { cancellation.cancel() }
          }
        ).run(MemoryInput(bytes), .json)
        if report.isCancelled { continue }
        #expect(report.progress.records == lines.count, "seed \(seed)")
        break
      }
      let rows = try Self.rows(store)
      #expect(rows.count == expected.count, "seed \(seed)")
      for (id, one) in expected {
        #expect(rows[.int(id)]?["title"] == .string(one.title), "seed \(seed)")
        #expect(rows[.int(id)]?["rating"] == one.rating.map { .double($0) } ?? .null, "seed \(seed)")
      }
    }
  }
}

@Suite struct TransferCatalogueTests {
  @Test func `each kind of error has a number`() {
    for code in TransferFault.Code.allCases {
      #expect(TransferFault(code, "x").entry?.name == code.rawValue)
    }
    #expect(ErrorCatalogue.all.filter { $0.family == .transfer }.count == TransferFault.Code.allCases.count)
    #expect(ErrorCatalogue.entry(written: "E0801")?.name == "question")
  }
}
