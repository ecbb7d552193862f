#if Postgres
  import Foundation
  import RoostPostgres
  import SwiftData
  import Testing

  private enum V1 {
    @Model final class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }
  private enum Added {
    @Model final class Item {
      var name: String
      var note: String?
      var count: Int = 7
      var tags: [String] = ["a"]
      var maybe: Int? = 5
      init(_ name: String) { self.name = name }
    }
  }
  private enum Needed {
    @Model final class Item {
      var name: String
      var count: Int
      init(_ name: String, _ count: Int) { (self.name, self.count) = (name, count) }
    }
  }
  private enum Renamed {
    @Model final class Item {
      @Attribute(.unique, originalName: "name") var title: String
      init(_ title: String) { self.title = title }
    }
  }
  private enum Loose {
    @Model final class Item {
      var name: String?
      var count: Int?
      init(_ name: String?, _ count: Int?) { (self.name, self.count) = (name, count) }
    }
  }
  private enum Defaulted {
    @Model final class Item {
      var name: String = "none"
      var count: Int
      init(_ name: String, _ count: Int) { (self.name, self.count) = (name, count) }
    }
  }
  private enum Pair {
    @Model final class Item {
      var first: String
      var second: String
      init(_ first: String, _ second: String) { (self.first, self.second) = (first, second) }
    }
  }
  private enum Exchanged {
    @Model final class Item {
      @Attribute(originalName: "second") var first: String
      @Attribute(originalName: "first") var second: String
      init(_ first: String, _ second: String) { (self.first, self.second) = (first, second) }
    }
  }
  private enum Unique {
    @Model final class Item {
      @Attribute(.unique) var name: String
      init(_ name: String) { self.name = name }
    }
  }
  private enum Alike {
    @Model final class Item {
      var firstName: String
      var first_name: String
      init(_ one: String, _ two: String) { (firstName, first_name) = (one, two) }
    }
  }
  private enum AlikeTurned {
    @Model final class Item {
      var first_name: String
      var firstName: String
      init(_ one: String, _ two: String) { (firstName, first_name) = (one, two) }
    }
  }

  @Suite(.server) struct ColumnShapeTests {
    private let ground: Ground

    init() throws { ground = try Ground() }

    @Test func `new properties have their defaults in old rows`() throws {
      try ground.save(ground.open(V1.Item.self), [V1.Item("a"), V1.Item("b")])
      let context = try ground.open(Added.Item.self)
      let items = try context.fetch(FetchDescriptor<Added.Item>())
      #expect(items.count == 2)
      #expect(items.allSatisfy { $0.note == nil && $0.count == 7 && $0.tags == ["a"] && $0.maybe == 5 })
      #expect(try ground.isNullable("item", "note") == true)
      #expect(try ground.isNullable("item", "count") == false)
      try ground.save(context, [Added.Item("c")])
      #expect(try ground.value("SELECT count(*)::text FROM @.item WHERE tags = '[\"a\"]'") == "3")
    }

    @Test func `a new required property without a default is refused if there are rows`() throws {
      let first = try ground.open(V1.Item.self)
      #expect(throws: Never.self) { try ground.open(Needed.Item.self) }
      #expect(try ground.isNullable("item", "count") == false)
      _ = first
    }

    @Test func `a new required property without a default names the rows that lack it`() throws {
      try ground.save(ground.open(V1.Item.self), [V1.Item("a"), V1.Item("b")])
      let error = refusal { _ = try ground.open(Needed.Item.self) }
      #expect(error?.code == .needsMigration)
      #expect(error?.detail.contains("Item.count") == true)
      #expect(error?.detail.contains("2 rows") == true)
      // The tables have not changed.
      #expect(try ground.isNullable("item", "count") == nil)
      #expect(try ground.open(V1.Item.self).fetchCount(FetchDescriptor<V1.Item>()) == 2)
    }

    @Test func `a renamed property keeps its values and a removed name becomes free`() throws {
      try ground.save(ground.open(V1.Item.self), [V1.Item("a")])
      let context = try ground.open(Renamed.Item.self)
      #expect(try context.fetch(FetchDescriptor<Renamed.Item>()).map(\.title) == ["a"])
      #expect(try ground.isNullable("item", "name") == nil)
      #expect(try ground.rules("item").contains("item_title_key"))
      // A second start changes nothing.
      #expect(try ground.open(Renamed.Item.self).fetch(FetchDescriptor<Renamed.Item>()).map(\.title) == ["a"])
    }

    @Test func `a rule of uniqueness follows a renamed property`() throws {
      try ground.save(ground.open(Unique.Item.self), [Unique.Item("a")])
      #expect(try ground.rules("item").contains("item_name_key"))
      let context = try ground.open(Renamed.Item.self)
      try ground.save(context, [Renamed.Item("a"), Renamed.Item("b")])
      #expect(try context.fetchCount(FetchDescriptor<Renamed.Item>()) == 2)
    }

    @Test func `two properties exchange their names once`() throws {
      try ground.save(ground.open(Pair.Item.self), [Pair.Item("one", "two")])
      for _ in 1...3 {
        let found = try ground.open(Exchanged.Item.self).fetch(FetchDescriptor<Exchanged.Item>())
        #expect(found.map(\.first) == ["two"])
        #expect(found.map(\.second) == ["one"])
      }
    }

    @Test func `a required property becomes optional`() throws {
      try ground.save(ground.open(Needed.Item.self), [Needed.Item("a", 1)])
      let context = try ground.open(Loose.Item.self)
      try ground.save(context, [Loose.Item(nil, nil)])
      #expect(Set(try context.fetch(FetchDescriptor<Loose.Item>()).map(\.count)) == [1, nil])
    }

    @Test func `an optional property becomes required if each row has a value or there is a default`() throws {
      try ground.save(ground.open(Loose.Item.self), [Loose.Item("a", 1), Loose.Item(nil, 2)])
      let context = try ground.open(Defaulted.Item.self)
      #expect(Set(try context.fetch(FetchDescriptor<Defaulted.Item>()).map(\.name)) == ["a", "none"])
      #expect(try ground.isNullable("item", "name") == false)
      #expect(try ground.isNullable("item", "count") == false)
    }

    @Test func `an optional property does not become required while rows have nil`() throws {
      try ground.save(ground.open(Loose.Item.self), [Loose.Item("a", nil), Loose.Item("b", nil), Loose.Item("c", 1)])
      let error = refusal { _ = try ground.open(Defaulted.Item.self) }
      #expect(error?.code == .needsMigration)
      #expect(error?.detail.contains("Item.count") == true)
      #expect(error?.detail.contains("2 rows") == true)
    }

    @Test func `a removed property stays, and comes back with its values`() throws {
      try ground.save(ground.open(Needed.Item.self), [Needed.Item("a", 1)])
      let between = try ground.open(V1.Item.self)
      #expect(try ground.isNullable("item", "count") == true)
      try ground.save(between, [V1.Item("b")])
      let error = refusal { _ = try ground.open(Needed.Item.self) }
      #expect(error?.code == .needsMigration)
      #expect(error?.detail.contains("1 row") == true)
      let later = try ground.open(Loose.Item.self)
      #expect(Set(try later.fetch(FetchDescriptor<Loose.Item>()).map(\.count)) == [1, nil])
    }

    @Test func `names that are similar in SQL keep their columns in any order`() throws {
      try ground.save(ground.open(Alike.Item.self), [Alike.Item("one", "two")])
      let found = try ground.open(AlikeTurned.Item.self).fetch(FetchDescriptor<AlikeTurned.Item>())
      #expect(found.map(\.firstName) == ["one"])
      #expect(found.map(\.first_name) == ["two"])
    }

    @Test func `uniqueness is added and removed`() throws {
      try ground.save(ground.open(V1.Item.self), [V1.Item("a"), V1.Item("b")])
      _ = try ground.open(Unique.Item.self)
      #expect(try ground.rules("item") == ["item_pkey", "item_name_key"])
      // These models are the older ones now, so they change nothing.
      _ = try ground.open(V1.Item.self)
      #expect(try ground.rules("item").contains("item_name_key"))
      let context = try ground.open(Added.Item.self)
      #expect(try ground.rules("item") == ["item_pkey"])
      try ground.save(context, [Added.Item("a")])
      #expect(try context.fetchCount(FetchDescriptor<Added.Item>()) == 3)
    }

    @Test func `uniqueness is refused while rows have equal values`() throws {
      let names = ["a", "a", "a", "cafe\u{301}", "caf\u{E9}", "b"]
      try ground.save(ground.open(V1.Item.self), names.map { V1.Item($0) })
      let error = refusal { _ = try ground.open(Unique.Item.self) }
      #expect(error?.code == .needsMigration)
      #expect(error?.detail.contains("2 values") == true)
      #expect(error?.detail.contains("\"a\" in 3 rows") == true)
    }
  }
#endif
