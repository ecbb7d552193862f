#if Postgres
  import Foundation
  import RoostPostgres
  import SwiftData
  import Testing

  private enum Bytes {
    @Model final class Item {
      var number: Int8
      var real: Float
      init(_ number: Int8, _ real: Float) { (self.number, self.real) = (number, real) }
    }
  }
  private enum Shorts {
    @Model final class Item {
      var number: Int16
      var real: Double
      init(_ number: Int16, _ real: Double) { (self.number, self.real) = (number, real) }
    }
  }
  private enum Words {
    @Model final class Item {
      var number: Int32
      var real: Double
      init(_ number: Int32, _ real: Double) { (self.number, self.real) = (number, real) }
    }
  }
  private enum Longs {
    @Model final class Item {
      var number: Int
      var real: Double
      init(_ number: Int, _ real: Double) { (self.number, self.real) = (number, real) }
    }
  }
  private enum Unsigned {
    @Model final class Item {
      var number: UInt64
      var real: Double
      init(_ number: UInt64, _ real: Double) { (self.number, self.real) = (number, real) }
    }
  }
  private enum Decimals {
    @Model final class Item {
      var number: Decimal
      var real: Double
      init(_ number: Decimal, _ real: Double) { (self.number, self.real) = (number, real) }
    }
  }
  private enum Texts {
    @Model final class Item {
      var number: String
      var real: Double
      init(_ number: String, _ real: Double) { (self.number, self.real) = (number, real) }
    }
  }
  private enum Dates {
    @Model final class Item {
      var number: Int8
      var real: Date
      init(_ number: Int8, _ real: Date) { (self.number, self.real) = (number, real) }
    }
  }

  @Suite(.server) struct TypeShapeTests {
    private let ground: Ground

    init() throws { ground = try Ground() }

    @Test func `numbers become wider, and narrower again while they fit`() throws {
      try ground.save(ground.open(Bytes.Item.self), [Bytes.Item(-128, .greatestFiniteMagnitude), Bytes.Item(1, 0.1)])
      let shorts = try ground.open(Shorts.Item.self).fetch(FetchDescriptor<Shorts.Item>(sortBy: [.init(\.number)]))
      #expect(shorts.map(\.number) == [-128, 1])
      #expect(shorts.map(\.real) == [Double(Float.greatestFiniteMagnitude), Double(Float(0.1))])
      #expect(try ground.type("item", "real") == "double precision")
      #expect(try ground.open(Words.Item.self).fetchCount(FetchDescriptor<Words.Item>()) == 2)
      #expect(try ground.type("item", "number") == "integer")
      let longs = try ground.open(Longs.Item.self)
      #expect(try ground.type("item", "number") == "bigint")
      try ground.save(longs, [Longs.Item(.min, 1)])
      let wide = try ground.open(Decimals.Item.self).fetch(FetchDescriptor<Decimals.Item>(sortBy: [.init(\.number)]))
      #expect(wide.map(\.number) == [Decimal(Int.min), -128, 1])
      #expect(try ground.type("item", "number") == "numeric")
    }

    @Test func `numbers that do not fit a narrower type are counted`() throws {
      let longs = try ground.open(Longs.Item.self)
      try ground.save(longs, [Longs.Item(40000, 0.1), Longs.Item(-1, 1), Longs.Item(5, 1)])
      let error = refusal { _ = try ground.open(Shorts.Item.self) }
      #expect(error?.code == .needsMigration)
      #expect(error?.detail.contains("Item.number") == true)
      #expect(error?.detail.contains("1 row has a value") == true)
      #expect(refusal { _ = try ground.open(Unsigned.Item.self) }?.detail.contains("1 row has a value") == true)
      try ground.sql("UPDATE @.item SET number = 7 WHERE number < 0 OR number > 30000")
      #expect(
        try ground.open(Unsigned.Item.self).fetch(FetchDescriptor<Unsigned.Item>()).map(\.number).sorted() == [5, 7, 7])
      let shorts = try ground.open(Shorts.Item.self).fetch(FetchDescriptor<Shorts.Item>())
      #expect(shorts.map(\.number).sorted() == [5, 7, 7])
      // Floating-point numbers: 0.1 is not a Float.
      let narrow = refusal { _ = try ground.open(Bytes.Item.self) }
      #expect(narrow?.detail.contains("Item.real") == true)
      try ground.sql("UPDATE @.item SET real = 'NaN' WHERE real = 0.1")
      let bytes = try ground.open(Bytes.Item.self).fetch(FetchDescriptor<Bytes.Item>())
      #expect(bytes.filter { $0.real.isNaN }.count == 1)
    }

    @Test func `decimal numbers become whole ones if they are whole`() throws {
      let decimals = try ground.open(Decimals.Item.self)
      try ground.save(decimals, [Decimals.Item(Decimal(string: "1.5")!, 1), Decimals.Item(Decimal.nan, 1)])
      #expect(refusal { _ = try ground.open(Longs.Item.self) }?.detail.contains("2 rows have values") == true)
      try ground.sql("UPDATE @.item SET number = 2.000")
      #expect(try ground.open(Longs.Item.self).fetch(FetchDescriptor<Longs.Item>()).map(\.number) == [2, 2])
    }

    @Test func `other changes of a type are refused`() throws {
      try ground.save(ground.open(Bytes.Item.self), [Bytes.Item(1, 1)])
      #expect(refusal { _ = try ground.open(Texts.Item.self) }?.code == .needsMigration)
      // The type of the column would stay the same.
      let error = refusal { _ = try ground.open(Dates.Item.self) }
      #expect(error?.code == .needsMigration)
      #expect(error?.detail.contains("Item.real") == true)
    }
  }
#endif
