import RoostPages
import RoostQuery
import RoostRecords
import RoostTestSupport
import RoostText
import RoostTransfer
import Testing

/// Conditions that a user types.
@Suite struct QuestionTests {
  private static func filled() throws -> RecordStore {
    let store = try ImportTests.store()
    _ = try ImportTests.run(
      store,
      #"""
      {"id": 1, "title": "Amelia", "rating": 4.5, "place": {"city": "Oslo", "zip": 12}, "words": ["x", "yy"], "album": "Hejira", "tags": ["jazz", "folk"]}
      {"id": 2, "title": "River", "words": [], "album": "Blue", "tags": ["folk"], "plays": 3}
      {"id": -3, "title": "Carey \"live\"", "rating": 1, "words": ["x"]}
      """#)
    _ = try ImportTests.run(store, #"{"title": "Blue", "year": 1971}"#, into: "Album") { $0.conflict = .update }
    return store
  }

  private static func ids(_ store: RecordStore, _ text: String, by order: String? = "id") throws -> [Int] {
    try store.read { reader in
      let entity = try #require(reader.catalog.id(of: "Track"))
      let condition = try TypedQuestion.condition(text, of: RowClass(entity, reader.catalog), reader.catalog)
      let orders =
        try order.map { try TypedQuestion.order($0, of: RowClass(entity, reader.catalog), reader.catalog) } ?? []
      let table = try reader.table(entity)
      return try Planner(Ground(reader)).plan(Query("Track", where: condition, by: orders)).rows().map { row in
        guard case .int(let id)? = try table.values(row)?["id"] else { return 0 }
        return Int(id)
      }
    }
  }

  @Test(arguments: [
    ("true", [-3, 1, 2]), ("id == 1", [1]), ("$0.id == 1 || id == -3", [-3, 1]), ("1 < id", [2]), ("rating > 2", [1]),
    ("rating == nil", [2]), ("rating != nil && !(rating > 2)", [-3]), ("!(rating > 2)", [-3, 2]),
    ("rating ?? 9 > 2", [1, 2]),
    ("rating! > 2 && rating != nil || id == 2", []), ("title == \"River\"", [2]), ("title.hasPrefix(\"A\")", [1]),
    ("title.contains('live')", [-3]), ("title.lowercased() == \"river\"", [2]), ("title < \"B\"", [1]),
    ("title.localizedStandardContains(\"RIV\")", [2]), ("`place.city` == \"Oslo\"", [1]),
    ("words.contains(\"x\")", [-3, 1]),
    ("words.isEmpty", [2]), ("words.count >= 2", [1]), ("words.contains { $0.hasPrefix(\"y\") }", [1]),
    ("words[0] == \"x\" && !words.isEmpty || false", []), ("words.first == \"x\"", [-3, 1]),
    ("album?.title == \"Blue\"", [2]),
    ("album.year == 1971", [2]), ("album == nil", [-3]), ("album == #2", [1]), ("album != #2 && album != nil", [2]),
    ("tags.contains { $0.name == \"jazz\" }", [1]), ("tags.allSatisfy { $0.name == \"folk\" }", [-3, 2]),
    ("tags.filter { $0.name != \"jazz\" }.count == 1", [1, 2]), ("[1, 2].contains(id)", [1, 2]),
    ("(1...2).contains(id)", [1, 2]), ("(1..<2).contains(id)", [1]), ("(0...5).contains(rating)", [-3, 1]),
    ("id * 2 + 1 == 5", [2]), ("id % 2 == 0 ? true : id < 0", [-3, 2]), ("plays + 0 == 3", [2]), ("-id > 0", [-3]),
    ("rating * 2 == 9", [1]), ("title.count == 5", [2]), ("((((id))) == 2)", [2]), ("id==2&&!false", [2]),
    ("title == \"Carey \\\"live\\\"\"", [-3]), ("`place.zip` > 3", [1]), ("words.max() == \"yy\"", [1]),
  ])
  func `a typed condition finds the same rows as in Swift`(_ text: String, _ expected: [Int]) throws {
    let store = try Self.filled()
    if text.contains("rating! >") || text.contains("words[0]") {
      // As in Swift, a missing value is an error.
      #expect(throws: ConditionFault.self) { try Self.ids(store, text) }
    } else {
      #expect(try Self.ids(store, text) == expected, "\(text)")
    }
  }

  @Test func `orders`() throws {
    let store = try Self.filled()
    #expect(try Self.ids(store, "true", by: "-id") == [2, 1, -3])
    #expect(try Self.ids(store, "true", by: "album.title, -title") == [-3, 2, 1])
    #expect(try Self.ids(store, "true", by: "rating,id") == [2, -3, 1])
    #expect(throws: QuestionFault.self) { try Self.ids(store, "true", by: "words") }
    #expect(throws: QuestionFault.self) { try Self.ids(store, "true", by: "no") }
  }

  @Test(arguments: [
    ("", 0), ("id =", 3), ("id = 1", 3), ("id == ", 6), ("id == \"x\"", 6), ("nothing == 1", 0), ("id == 1 extra", 8),
    ("(id == 1", 8), ("id == 1)", 7), ("title > 3", 8), ("title", 0), ("id == 99999999999999999999", 6),
    ("title.no()", 5),
    ("id == 1 and true", 8), ("album.no == 1", 5), ("1 < id < 3", 7), ("\"open", 0), ("id & 1", 3), ("$1.id == 1", 0),
    ("words == 3", 9), ("nil == nil", 0), ("id == 1.5", 6), ("tags == 3", 8), ("words.map { $0 }", 5),
    ("date(id) == 3", 0),
    ("title.contains(3)", 15), ("id == #1", 6), ("€", 0), ("\"\\q\"", 1),
  ])
  func `an error is reported with its place`(_ text: String, _ place: Int) throws {
    let store = try Self.filled()
    let fault = #expect(throws: QuestionFault.self, "\(text)") { try Self.ids(store, text) }
    #expect(fault?.place == place, "\(text): \(fault.map { "\($0)" } ?? "")")
    #expect(fault?.lines.count == 2)
  }

  @Test func `a full text search is a condition`() throws {
    let store = try Self.filled()
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(textIndex: "words of Track", of: "Track", on: ["title"], analyzer: TextAnalyzer())
        try catalog.add(textIndex: "words of Album", of: "Album", on: ["title"], analyzer: TextAnalyzer())
      }
    }
    #expect(try Self.ids(store, "matches(\"carey\")") == [-3])
    #expect(try Self.ids(store, "$0.matches(\"ri* OR live\") && id > 0") == [2])
    #expect(try Self.ids(store, "album.matches(\"blue\") || !matches(\"r*\") && id < 0") == [-3, 2])
    for (text, place) in [("matches(\"(x\")", 8), ("matches(id)", 8), ("tags.contains { $0.matches(\"x\") }", 18)] {
      let fault = #expect(throws: QuestionFault.self, "\(text)") { try Self.ids(store, text) }
      #expect(fault?.place == place, "\(text): \(fault as Any)")
    }
  }

  /// Before the fix, users of SQL only got the error "something is too much here".
  @Test(arguments: [
    ("id == 1 and id == 2", "write &&"), ("id == 1 OR id == 2", "write ||"), ("title LIKE \"x\"", "title.contains"),
    ("id is 3", "write =="), ("id in [1, 2]", "contains(number)"), ("id between 1", "contains(number)"),
    ("id = 1", "write =="), ("id <> 1", "write !="), ("id in 1..3", "write (1...3)"), ("id == 1 .. 3", "write (1...3)"),
    ("id desc", "write -id"), ("id asc", "leave it out"), ("id > 3 desc", "an operator such as && or =="),
  ])
  func `an error about words of other languages shows Swift's words`(_ text: String, _ hint: String) throws {
    let store = try Self.filled()
    let fault = #expect(throws: QuestionFault.self) { try Self.ids(store, text) }
    #expect(fault?.detail.contains(hint.replacing("title.", with: "name.")) == true, "\(fault as Any)")
  }

  @Test func `an error about a reference shows how a row is written`() throws {
    let store = try Self.filled()
    let fault = #expect(throws: QuestionFault.self) { try Self.ids(store, "album == \"Blue\"") }
    #expect(fault?.detail.hasSuffix("write the number of its row, as in #12") == true, "\(fault as Any)")
  }

  @Test func `no text ends the program`() throws {
    let store = try Self.filled()
    for text in [
      String(repeating: "(", count: 100_000), String(repeating: "!", count: 100_000),
      String(repeating: "-", count: 100_000),
      "id" + String(repeating: " + id", count: 5000) + " == 1", String(repeating: "a ?? ", count: 50_000) + "a",
      String(repeating: "id == 1 ? ", count: 10_000), String(repeating: "[", count: 100_000),
      "id" + String(repeating: ".a", count: 5000),
    ] {
      #expect(throws: (any Error).self) { try Self.ids(store, text) }
    }
    var random = SplitMix64(seed: 5)
    let parts = [
      "id", "title", "album", "tags", "words", " == ", " && ", "(", ")", "1", "\"x\"", ".count", ".contains(", "{", "}",
      "$0", "!", "?", ":", "nil", "[", "]", ",", "??", "rating", "-", ".",
    ]
    var good = 0
    for _ in 0..<3000 {
      let text = (0..<Int.random(in: 1...9, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined()
      do {
        _ = try Self.ids(store, text)
        good += 1
      } catch is QuestionFault {} catch is ConditionFault {}
    }
    #expect(good > 5)
  }

  @Test func `dates and other words in quotes`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "E") { (entity) throws(RecordFault) in
          try entity.add("id", .int64)
          try entity.add("day", .date)
          try entity.add("key", .uuid, isOptional: true)
          try entity.add("price", .decimal)
          try entity.add("site", .url)
        }
      }
      try writer.table("E").insert([
        "id": .int(1), "day": .date(86_400), "key": .uuid(UUIDNumber(high: 1, low: 2)),
        "price": .decimal(DecimalNumber(mantissa: 125, exponent: -1)), "site": .url("https://a.b"),
      ])
    }
    for text in [
      "day > \"2001-01-01\"", "day == date(\"2001-01-02T00:00:00Z\")",
      "key == \"00000000-0000-0001-0000-000000000002\"",
      "price == 12.5", "price == \"12.50\"", "price > 12", "site == \"https://a.b\"", "day < '2001-01-02T01:00+00:30'",
    ] {
      let found = try store.read { reader in
        let condition = try TypedQuestion.condition(
          text, of: RowClass(#require(reader.catalog.id(of: "E")), reader.catalog), reader.catalog)
        return try Planner(Ground(reader)).count(Query("E", where: condition))
      }
      #expect(found == 1, "\(text)")
    }
  }
}
