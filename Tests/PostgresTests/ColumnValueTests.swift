#if Postgres
  import Foundation
  import RoostPostgres
  import SwiftData
  import Testing

  private final class Reverser: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSData.self }
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { Data($0.utf8.reversed()) } }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
      (value as? Data).map { String(decoding: $0.reversed(), as: UTF8.self) }
    }
  }

  private enum Season: String, Codable { case spring, autumn }
  private enum Level: Int, Codable { case low = -1, high = 5 }
  private enum Visit: Codable, Equatable {
    case never
    case on(Date)
  }
  private struct Place: Codable, Equatable {
    var city: String
    var height: Double?
    var tags: [String] = []
  }

  @Model private final class Numbers {
    var order: Int
    var flag = true
    var i8: Int8 = 0
    var i16: Int16 = 0
    var i32: Int32 = 0
    var i64: Int64 = 0
    var u8: UInt8 = 0
    var u16: UInt16 = 0
    var u32: UInt32 = 0
    var u64: UInt64 = 0
    var float: Float = 0
    var double: Double = 0
    var maybe: Int?
    init(_ order: Int) { self.order = order }
  }

  @Model private final class Money {
    var order: Int
    var value: Decimal
    init(_ order: Int, _ value: Decimal) { (self.order, self.value) = (order, value) }
  }

  @Model private final class Moments {
    var order: Int
    var date: Date
    var key: UUID
    init(_ order: Int, _ date: Date, _ key: UUID) { (self.order, self.date, self.key) = (order, date, key) }
  }

  @Model private final class Texts {
    var order: Int
    var text: String
    var data: Data
    var link: URL?
    init(_ order: Int, _ text: String, _ data: Data = Data()) {
      (self.order, self.text, self.data) = (order, text, data)
    }
  }

  @Model private final class Parts {
    var season: Season
    var level: Level?
    var visit = Visit.never
    var place: Place
    var maybe: Place?
    var names: [String: Int] = [:]
    var list: [Int?] = []
    var reals: [Double] = []
    @Attribute(.transformable(by: "PostgresReverser")) var turned: String = ""
    init(_ season: Season, _ place: Place) { (self.season, self.place) = (season, place) }
  }

  /// The column of a property contains the value that other programs expect in SQL, and a fetch
  /// returns it unchanged.
  @Suite(.server) struct ColumnValueTests {
    private let ground: Ground

    init() throws {
      ValueTransformer.setValueTransformer(Reverser(), forName: NSValueTransformerName("PostgresReverser"))
      ground = try Ground()
    }

    /// Saves models, and fetches them with another container.
    private func again<Model: PersistentModel>(
      _ models: [Model], by order: any KeyPath<Model, Int> & Sendable
    ) throws -> [Model] {
      try ground.save(ground.open(Model.self), models)
      return try ground.open(Model.self).fetch(FetchDescriptor<Model>(sortBy: [SortDescriptor(order)]))
    }

    @Test func `whole numbers, at both ends`() throws {
      let (low, high) = (Numbers(0), Numbers(1))
      (low.i8, low.i16, low.i32, low.i64) = (.min, .min, .min, .min)
      (high.i8, high.i16, high.i32, high.i64) = (.max, .max, .max, .max)
      (high.u8, high.u16, high.u32, high.u64) = (.max, .max, .max, .max)
      (low.flag, high.maybe) = (false, 3)
      let found = try again([low, high], by: \.order)
      #expect(found.map(\.i8) == [.min, .max])
      #expect(found.map(\.i16) == [.min, .max])
      #expect(found.map(\.i32) == [.min, .max])
      #expect(found.map(\.i64) == [.min, .max])
      #expect(found.map(\.u8) == [0, .max])
      #expect(found.map(\.u16) == [0, .max])
      #expect(found.map(\.u32) == [0, .max])
      #expect(found.map(\.u64) == [0, .max])
      #expect(found.map(\.flag) == [false, true])
      #expect(found.map(\.maybe) == [nil, 3])
      let texts = try ground.sql(
        "SELECT flag::text, i8::text, i16::text, i32::text, i64::text, u8::text, u16::text, u32::text, u64::text, maybe::text "
          + "FROM @.numbers ORDER BY \"order\"")
      #expect(
        texts == [
          ["false", "-128", "-32768", "-2147483648", "-9223372036854775808", "0", "0", "0", "0", nil],
          [
            "true", "127", "32767", "2147483647", "9223372036854775807", "255", "65535", "4294967295",
            "18446744073709551615", "3",
          ],
        ])
      let types = ["flag", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"].map { try? ground.type("numbers", $0) }
      #expect(
        types == [
          "boolean", "smallint", "smallint", "integer", "bigint", "smallint", "integer", "bigint", "numeric",
        ])
    }

    @Test func `floating-point numbers, including NaN and infinity`() throws {
      let values: [Double] = [
        0.1, -0.0, .infinity, -.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -1.5,
      ]
      let models = values.enumerated().map { at, value in
        let model = Numbers(at)
        (model.double, model.float) = (value, Float(value))
        return model
      }
      let found = try again(models, by: \.order)
      #expect(found.map { $0.double.bitPattern } == values.map(\.bitPattern))
      #expect(found.map { $0.float.bitPattern } == values.map { Float($0).bitPattern })
      let texts = try ground.sql("SELECT double::text, \"float\"::text FROM @.numbers ORDER BY \"order\"")
      #expect(
        texts.map { $0[0] } == [
          "0.1", "-0", "Infinity", "-Infinity", "NaN", "1.7976931348623157e+308", "5e-324", "-1.5",
        ])
      #expect(texts[0][1] == "0.1")
    }

    @Test func `decimal numbers`() throws {
      let texts = [
        "12345678901234567890123456789012345678", "-12345678901234567890123456789012345678", "0", "0.001", "-0.1",
        "1000000000000000000000000000000", "99.99", "10000", "0.00000000000000000000000000000000000001",
      ]
      let values = try texts.map { try #require(Decimal(string: $0)) } + [Decimal.nan]
      let found = try again(values.enumerated().map { Money($0, $1) }, by: \.order)
      #expect(found.dropLast().map(\.value) == values.dropLast())
      #expect(found.last?.value.isNaN == true)
      let columns = try ground.sql("SELECT value::text, (value * 2)::text FROM @.money ORDER BY \"order\"")
      #expect(columns.map { $0[0] } == texts + ["NaN"])
      #expect(columns[6][1] == "199.98")
    }

    @Test func `dates and identifiers`() throws {
      let key = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
      let dates = [
        Date.distantPast, Date.distantFuture, Date(timeIntervalSinceReferenceDate: 0.125),
        Date(timeIntervalSinceReferenceDate: -1),
      ]
      let found = try again(dates.enumerated().map { Moments($0, $1, key) }, by: \.order)
      #expect(found.map(\.date) == dates)
      #expect(found.allSatisfy { $0.key == key })
      let texts = try ground.sql(
        "SELECT date::text, key::text, (timestamp '2001-01-01' + date * interval '1 second')::text FROM @.moments "
          + "ORDER BY \"order\"")
      #expect(texts[2] == ["0.125", "00112233-4455-6677-8899-aabbccddeeff", "2001-01-01 00:00:00.125"])
    }

    @Test func `texts and bytes`() throws {
      let texts = [
        "", "a'b\"c\\d", "👩‍👩‍👧‍👦 🇩🇪", "e\u{301} \u{E9}", "\u{FEFF}\u{202E}x\n\t", String(repeating: "long ", count: 100_000),
      ]
      let models = texts.enumerated().map { Texts($0, $1, Data((0..<$0 * 100).map { UInt8(truncatingIfNeeded: $0) })) }
      models[1].data = Data(repeating: 0, count: 3_000_000)
      models[2].link = URL(string: "https://example.org/a?b=c")
      let found = try again(models, by: \.order)
      #expect(found.map { Array($0.text.unicodeScalars) } == texts.map { Array($0.unicodeScalars) })
      #expect(found.map(\.data) == models.map(\.data))
      #expect(found[2].link == models[2].link)
      let columns = try ground.sql(
        "SELECT left(text, 20), octet_length(data)::text, link FROM @.texts ORDER BY \"order\"")
      #expect(columns[0] == ["", "0", nil])
      #expect(columns[1] == [texts[1], "3000000", nil])
      #expect(columns[2] == [texts[2], "200", "https://example.org/a?b=c"])
    }

    @Test func `the character NUL is refused, with the object and the property`() throws {
      let context = try ground.open(Texts.self)
      context.insert(Texts(1, "a\u{0}b"))
      let error = #expect(throws: RoostError.self) { try context.save() }
      #expect(error?.code == .badValue)
      #expect("\(String(describing: error))".contains("Texts.text"))
      let other = try ground.open(Parts.self)
      let parts = Parts(.spring, Place(city: "a\u{0}", height: nil))
      other.insert(parts)
      let second = #expect(throws: RoostError.self) { try other.save() }
      #expect("\(String(describing: second))".contains("Parts.place"))
      // A backslash and the letters of the escape are not a NUL character.
      parts.place.city = "a\\u0000"
      try other.save()
      #expect(try ground.value("SELECT place->>'city' FROM @.parts") == "a\\u0000")
    }

    @Test func `enumerations, structs, lists and transformed values`() throws {
      let one = Parts(.autumn, Place(city: "Köln", height: 53.5, tags: ["a\"b"]))
      (one.level, one.visit) = (.low, .on(Date(timeIntervalSinceReferenceDate: 7)))
      (one.maybe, one.names, one.list) = (Place(city: "x", height: nil), ["k": 1, "": 2], [1, nil, 3])
      (one.reals, one.turned) = ([.infinity, .nan, -0.5], "abc")
      let two = Parts(.spring, Place(city: "", height: nil))
      try ground.save(ground.open(Parts.self), [one, two])
      let found = try ground.open(Parts.self).fetch(FetchDescriptor<Parts>())
      let again = try #require(found.first { $0.season == .autumn })
      #expect(again.level == .low && again.visit == one.visit && again.place == one.place && again.maybe == one.maybe)
      #expect(again.names == one.names && again.list == one.list && again.turned == "abc")
      #expect(again.reals.map(\.bitPattern) == one.reals.map(\.bitPattern))
      let other = try #require(found.first { $0.season == .spring })
      #expect(other.level == nil && other.maybe == nil && other.visit == .never && other.place == two.place)
      let texts = try ground.sql(
        """
        SELECT season, level::text, place->>'city', (place->'height')::text, (maybe IS NULL)::text, \
        jsonb_typeof(names), (names->'k')::text, convert_from(turned, 'UTF8') FROM @.parts ORDER BY season
        """)
      #expect(texts[0].prefix(3) == ["autumn", "-1", "Köln"])
      #expect(texts[0][3] == "53.5")
      #expect(texts[0][4] == "false")
      #expect(texts[0][5...7] == ["object", "1", "cba"])
      #expect(texts[1].prefix(3) == ["spring", nil, ""])
      #expect(texts[1][4] == "true")
    }

    @Test func `a value that does not fit the Swift type is an error that names the object and the property`() throws {
      try ground.save(ground.open(Numbers.self), [Numbers(1)])
      try ground.sql("UPDATE @.numbers SET i8 = 300")
      let error = #expect(throws: RoostError.self) {
        try ground.open(Numbers.self).fetch(FetchDescriptor<Numbers>())
      }
      #expect(error?.code == .unreadable)
      #expect("\(String(describing: error))".contains("Numbers.i8"))
    }
  }
#endif
