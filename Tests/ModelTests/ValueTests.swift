import RoostGraph
import RoostRecords
import SwiftData
import Testing

/// Values of every type are written to a row and read back.
@Suite struct ValueTests {
  private func again(_ change: (Everything) -> Void) throws -> Everything {
    let one = Everything()
    change(one)
    return try Rows(of: Everything.self).again(one)
  }

  @Test func `defaults`() throws {
    let one = Everything()
    let two = try Rows(of: Everything.self).again(one)
    for property in Everything._$type.properties where property.name != "texts" {
      #expect("\(one[keyPath: property.keyPath]!)" == "\(two[keyPath: property.keyPath]!)", "\(property.name)")
    }
  }

  @Test func `numbers at their ends`() throws {
    let one = try again {
      $0.n8 = .min
      $0.n16 = .max
      $0.n32 = .min
      $0.u8 = .max
      $0.u = .max
      $0.f = .nan
      $0.d = -.infinity
    }
    #expect(one.n8 == .min && one.n16 == .max && one.n32 == .min && one.n64 == .min)
    #expect(one.u8 == .max && one.u == .max && one.u64 == .max && one.f.isNaN && one.d == -.infinity)
  }

  @Test(arguments: [
    "0", "1", "-1", "0.001", "-123456789012345678901234567890.125", "3.4e120", "-3.4e-120",
    "340282366920938463463374607431768211455",
  ])
  func `decimal`(text: String) throws {
    let number = try #require(Decimal(string: text))
    let one = try again {
      $0.dec = number
      $0.optionalDecimal = -number
      $0.money.amount = number
    }
    #expect(one.dec == number && one.optionalDecimal == -number && one.money.amount == number)
    #expect("\(one.dec)" == "\(number)")
    #expect(try again { $0.dec = .nan }.dec.isNaN)
  }

  @Test func `a decimal's bytes are those of a row's number`() throws {
    let one = Everything()
    one.dec = Decimal(string: "-12.5")!
    let rows = try Rows(of: Everything.self)
    #expect(
      try rows.value("dec", rows.encode(one)) == .decimal(DecimalNumber(mantissa: 125, exponent: -1, isNegative: true)))
    one.uuid = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!
    #expect(
      try rows.value("uuid", rows.encode(one))
        == .uuid(UUIDNumber(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)))
  }

  @Test func `enums`() throws {
    let one = try again {
      $0.level = .low
      $0.levelToo = .high
      $0.shape = .named("x", 4)
      $0.shapeToo = .dot
      $0.plain = .one
      $0.levels = [.high, .low, .high]
      $0.shapes = [.dot, .circle(radius: -1)]
      $0.flags = []
    }
    #expect(one.level == .low && one.levelToo == .high && one.shape == .named("x", 4) && one.shapeToo == .dot)
    #expect(one.plain == .one && one.levels == [.high, .low, .high] && one.shapes == [.dot, .circle(radius: -1)])
    #expect(one.flags == [])
  }

  @Test func `structs are stored as their parts`() throws {
    let rows = try Rows(of: Everything.self)
    let names = rows.entity.fields.map(\.name)
    #expect(names.contains("money.amount") && names.contains("trip") && names.contains("trip.cost.currency"))
    #expect(names.contains("trip.back") && names.contains("trip.back.amount") && !names.contains("money"))
    #expect(rows.entity.field("trip")?.type == .presence && rows.entity.field("trip.stops")?.isOptional == false)
    #expect(rows.entity.field("code")?.type == .string && rows.entity.field("tree")?.type == .data)
    let trip = Trip(
      cost: Money(amount: 1, currency: .usd), back: Money(amount: 2, currency: .eur),
      stops: [Money(amount: 3, currency: .usd)], days: 4)
    let one = try again {
      $0.trip = trip
      $0.moneyToo = trip.back
      $0.moneys = trip.stops + [trip.cost]
      $0.moneyBy = ["a": trip.cost, "b": trip.stops[0]]
      $0.code = Code(text: "zwei")
      $0.codeToo = Code(text: "")
    }
    #expect(one.trip == trip && one.moneyToo == trip.back && one.moneys == trip.stops + [trip.cost])
    #expect(one.moneyBy == ["a": trip.cost, "b": trip.stops[0]] && one.code.text == "zwei" && one.codeToo?.text == "")
    #expect(try again { $0.trip = Trip(cost: trip.cost, back: nil, stops: [], days: nil) }.trip?.back == nil)
  }

  @Test func `a struct that contains itself is one value`() throws {
    let leaf = Tree(name: "ä", kids: [], when: Date(timeIntervalSinceReferenceDate: 7))
    let tree = Tree(name: "", kids: [leaf, Tree(name: "b", kids: [leaf])])
    #expect(try again { $0.tree = tree }.tree == tree)
  }

  @Test func `nesting that is too deep is an error, not a crash`() throws {
    var tree = Tree(name: "", kids: [])
    for _ in 0..<100 { tree = Tree(name: "", kids: [tree]) }
    #expect(throws: RecordFault.self) { try again { $0.tree = tree } }
  }

  @Test func `collections`() throws {
    let one = try again {
      $0.list = Array(-100..<100)
      $0.texts = ["x", "é", ""]
      $0.dict = ["": 1, "z": -1]
      $0.deep = ["a": [], "b": [nil, 2]]
      $0.optionalList = []
      $0.array = ["q"]
      $0.bytes = Data()
      $0.big = Data(repeating: 7, count: 3000)
    }
    #expect(one.list == Array(-100..<100) && one.texts == ["x", "é", ""] && one.dict == ["": 1, "z": -1])
    #expect(one.deep == ["a": [], "b": [nil, 2]] && one.optionalList == [] && one.array == ["q"])
    #expect(one.bytes.isEmpty && one.big?.count == 3000)
  }

  @Test func `equal sets have equal bytes`() throws {
    let rows = try Rows(of: Everything.self)
    let (one, other) = (Everything(), Everything())
    other.uuid = one.uuid
    one.texts = Set((0..<50).map { "\($0)" })
    other.texts = Set((0..<50).reversed().map { "\($0)" })
    #expect(try rows.encode(one) == rows.encode(other))
  }

  @Test func `only the wanted properties are written and read`() throws {
    let rows = try Rows(of: Artist.self)
    let first = Artist(name: "a")
    var row = try rows.encode(first)
    let name = try #require(Artist._$type.properties.firstIndex { $0.name == "name" })
    var sink = _RowSink(rows.plan)
    row.withUnsafeBytes { sink.builder.load($0) }
    first.name = "b"
    first.born = .now
    first._$encode(only: _ModelState.bit(name), into: &sink)
    row = try rows.finish(&sink)
    let again = try rows.decode(Artist.self, row)
    #expect(again.name == "b" && again.born == nil)
  }

  @Test func `bytes without a valid value are an error`() throws {
    let rows = try Rows(of: Everything.self)
    let one = Everything()
    one.code = Code(text: "code")
    let row = try rows.encode(one)
    var failures = 0
    for index in rows.layout.bytesStart..<row.count {
      for value: UInt8 in [0, 0xFF, row[index] ^ 0x80, row[index] &+ 1] {
        var wrong = row
        wrong[index] = value
        do { _ = try rows.decode(Everything.self, wrong) } catch { failures += 1 }
      }
    }
    #expect(failures > 50)
  }
}
