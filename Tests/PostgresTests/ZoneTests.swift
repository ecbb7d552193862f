#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  /// Objects that are divided into zones by a value, or by the object that they belong to.
  @Suite(.server) struct ZoneTests {
    private typealias Tenant = Freight.Tenant
    private typealias Parcel = Freight.Parcel
    private typealias Sticker = Freight.Sticker
    private typealias Seal = Freight.Seal
    private typealias Invoice = Freight.Invoice

    private let ground: Ground

    init() throws { ground = try Ground() }

    private func container(_ zone: PostgresZone = Freight.zone, of schema: Schema = Freight.schema) throws
      -> ModelContainer
    {
      try Freight.container(ground, zone: zone, schema: schema)
    }

    private func open() throws -> ModelContext { ModelContext(try container()) }

    private func fill(_ names: [String] = ["a", "b"]) throws { try Freight.fill(open(), names) }

    private func tenant(_ name: String, _ context: ModelContext) throws -> Tenant {
      try #require(try context.fetch(FetchDescriptor<Tenant>(predicate: #Predicate { $0.name == name })).first)
    }

    private func counts(_ table: String) throws -> [String] {
      try ground.sql("SELECT zone || ' ' || count(*) FROM @.\(table) GROUP BY zone ORDER BY zone").map { $0[0] ?? "" }
    }

    private func badValue(_ body: () throws -> Void) -> String {
      let error = #expect(throws: RoostError.self) { try body() }
      #expect(error?.code == .badValue)
      return error.map { "\($0)" } ?? ""
    }

    // MARK: Zones of rows

    @Test func `rows are in the zone of the value, or of the object that defines it`() throws {
      try fill()
      #expect(try counts("tenant") == ["a 1", "b 1"])
      #expect(try counts("parcel") == ["a 3", "b 3"])
      #expect(try counts("sticker") == ["a 2", "b 2"])
      #expect(try counts("seal") == ["a 1", "b 1"])
      #expect(try counts("parcel_stickers") == ["a 6", "b 6"])
    }

    @Test func `a fetch without a zone finds the objects of all zones`() throws {
      try fill()
      let context = try open()
      let parcels = try context.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.number)]))
      #expect(parcels.map(\.number) == [1, 1, 2, 2, 3, 3])
      for parcel in parcels {
        let name = try #require(parcel.tenant?.name)
        #expect(parcel.stickers.map(\.word) == ["red \(name)", "blue \(name)"])
        #expect(parcel.seal?.code == (parcel.number == 1 ? name : nil))
      }
      #expect(try context.fetchCount(FetchDescriptor<Parcel>()) == 6)
      var first = FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.number, order: .reverse)])
      first.fetchLimit = 3
      #expect(try context.fetch(first).map(\.number) == [3, 3, 2])
      #expect(try tenant("a", context).parcels.map(\.number) == [1, 2, 3])
      #expect(try tenant("b", context).stickers.flatMap(\.parcels).count == 6)
    }

    @Test func `texts that are equal are one zone`() throws {
      let context = try open()
      let (one, other) = (Tenant("caf\u{E9}"), Tenant("cafe\u{301}"))
      context.insert(one)
      context.insert(other)
      for number in 1...2 { context.insert(Parcel(number, number == 1 ? one : other)) }
      try context.save()
      #expect(try ground.value("SELECT count(DISTINCT zone)::text FROM @.tenant") == "1")
      let name = "cafe\u{301}"
      let reader = try open()
      #expect(try reader.fetchCount(FetchDescriptor<Tenant>(predicate: #Predicate { $0.name == name })) == 2)
      #expect(try reader.fetchCount(FetchDescriptor<Parcel>(predicate: #Predicate { $0.tenant?.name == name })) == 2)
    }

    @Test func `the empty text is a zone`() throws {
      try fill(["", "a"])
      let context = try open()
      #expect(try tenant("", context).parcels.count == 3)
      #expect(try context.fetchCount(FetchDescriptor<Parcel>(predicate: #Predicate { $0.tenant?.name == "" })) == 3)
    }

    // MARK: Changes within a zone

    @Test func `lists, links and partners change within each zone`() throws {
      try fill()
      let context = try open()
      for name in ["a", "b"] {
        let tenant = try tenant(name, context)
        tenant.parcels.swapAt(0, 2)
        tenant.parcels.insert(Parcel(9), at: 1)
        let parcel = try #require(tenant.parcels.last)
        parcel.stickers.removeFirst()
        parcel.seal = nil
        tenant.parcels[0].seal = Seal("new \(name)")
      }
      try context.save()
      let reader = try open()
      for name in ["a", "b"] {
        let tenant = try tenant(name, reader)
        #expect(tenant.parcels.map(\.number) == [3, 9, 2, 1])
        #expect(tenant.parcels.map { $0.stickers.count } == [2, 0, 2, 1])
        #expect(tenant.parcels.map { $0.seal?.code } == ["new \(name)", nil, nil, nil])
      }
      #expect(try counts("parcel") == ["a 4", "b 4"])
    }

    @Test func `a cascade deletes the objects of its zone, and no others`() throws {
      try fill()
      let context = try open()
      context.delete(try tenant("a", context))
      try context.save()
      #expect(try counts("tenant") == ["b 1"])
      #expect(try counts("parcel") == ["b 3"])
      #expect(try counts("parcel_stickers") == ["b 6"])
    }

    @Test func `an object that loses the object that defines its zone stays in the zone`() throws {
      try fill()
      let context = try open()
      context.delete(try tenant("a", context))
      try context.save()
      let reader = try open()
      let left = try reader.fetch(FetchDescriptor<Sticker>(predicate: #Predicate { $0.tenant == nil }))
      #expect(left.count == 2)
      #expect(try counts("sticker") == ["a 2", "b 2"])
      left[0].word = "changed"
      try reader.save()
      #expect(try ground.value("SELECT zone FROM @.sticker WHERE word = 'changed'") == "a")
    }

    @Test func `a rule that refuses a deletion refuses it in its zone alone`() throws {
      try fill()
      let context = try open()
      context.insert(Invoice(5, try tenant("a", context)))
      try context.save()
      context.delete(try tenant("b", context))
      try context.save()
      context.delete(try tenant("a", context))
      #expect(throws: (any Error).self) { try context.save() }
      #expect(try counts("tenant") == ["a 1"])
    }

    @Test func `a unique value is unique in its zone`() throws {
      try fill()
      let context = try open()
      let parcel = Parcel(2, try tenant("b", context))
      parcel.weight = 7
      context.insert(parcel)
      try context.save()
      #expect(try counts("parcel") == ["a 3", "b 3"])
      #expect(
        try ground.value("SELECT string_agg(weight::text, ' ' ORDER BY zone) FROM @.parcel WHERE number = 2") == "0 7")
      let reader = try open()
      let other = try #require(try tenant("a", reader).parcels.first)
      other.number = 3
      let error = #expect(throws: RoostError.self) { try reader.save() }
      #expect(error?.code == .notUnique)
      #expect(try ground.value("SELECT count(*)::text FROM @.parcel WHERE number = 3") == "2")
    }

    // MARK: Across zones

    @Test func `a relationship to another zone is refused, and nothing is saved`() throws {
      try fill()
      let context = try open()
      let (one, other) = (try tenant("a", context), try tenant("b", context))
      let parcel = try #require(one.parcels.first)
      parcel.weight = 5
      parcel.stickers.append(try #require(other.stickers.first))
      let text = badValue { try context.save() }
      #expect(
        text.contains("Parcel") && text.contains("Sticker") && text.contains("'a'") && text.contains("'b'"), "\(text)")
      #expect(try ground.value("SELECT sum(weight)::text FROM @.parcel") == "0")
      context.rollback()
      parcel.weight = 6
      try context.save()
      #expect(try ground.value("SELECT sum(weight)::text FROM @.parcel") == "6")
    }

    @Test func `the zone of a stored object stays`() throws {
      try fill()
      let context = try open()
      let (one, other) = (try tenant("a", context), try tenant("b", context))
      one.name = "c"
      var text = badValue { try context.save() }
      #expect(text.contains("Tenant") && text.contains("'c'") && text.contains("insert a new one"), "\(text)")
      context.rollback()
      one.parcels[0].tenant = other
      text = badValue { try context.save() }
      #expect(text.contains("'b'") && text.contains("insert a new one"), "\(text)")
      context.rollback()
      #expect(one.name == "a" && one.parcels.count == 3)
      try context.save()
      #expect(try counts("parcel") == ["a 3", "b 3"])
    }

    @Test func `a new object without a zone is refused`() throws {
      let context = try open()
      context.insert(Parcel(1))
      let text = badValue { try context.save() }
      #expect(text.contains("Parcel.tenant tells the zone, and is nil"), "\(text)")
    }

    // MARK: Rules

    @Test func `rules that cannot define the zone are refused`() throws {
      func refused(_ zone: PostgresZone) -> String {
        let error = #expect(throws: RoostError.self) { _ = try container(zone) }
        return error.map { "\($0)" } ?? ""
      }
      #expect(refused(.property(\Tenant.parcels)).contains("Tenant.parcels cannot tell the zone"))
      #expect(refused(.property(\Tenant.name)).contains("no rule tells the zone of"))
      #expect(refused(.properties(Freight.zone, .property(\Tenant.name))).contains("two rules tell the zone of Tenant"))
      #expect(refused(.property(\Link.next)).contains("Link.next, which is not stored"))
    }

    @Test func `subclasses are in the zones of their superclass`() throws {
      let schema = Schema([Wagon.self, Tanker.self])
      let error = #expect(throws: RoostError.self) { _ = try container(.property(\Tanker.volume), of: schema) }
      #expect(error.map { "\($0)".contains("because a Wagon has none") } == true)
      let context = ModelContext(try container(.property(\Wagon.line), of: schema))
      for line in ["x", "y"] {
        context.insert(Wagon(line))
        context.insert(Tanker(line, volume: 5))
      }
      try context.save()
      #expect(try counts("wagon") == ["x 2", "y 2"])
      let tankers = FetchDescriptor<Tanker>(predicate: #Predicate { $0.line == "x" && $0.volume > 1 })
      #expect(try context.explain(tankers).description.contains("in one zone"))
      #expect(try context.fetch(tankers).map(\.line) == ["x"])
      #expect(try context.fetchCount(FetchDescriptor<Wagon>(predicate: #Predicate { $0.line == "y" })) == 2)
    }

    @Test func `values of each type that may define the zone are found in it`() throws {
      let samples = [Sample(1), Sample(2)]
      let (id, url) = (samples[0].id, samples[0].url)
      let cases: [(PostgresZone, Predicate<Sample>)] = [
        (.property(\Sample.id), #Predicate { $0.id == id }), (.property(\Sample.flag), #Predicate { $0.flag == true }),
        (.property(\Sample.small), #Predicate { $0.small == -1 }),
        (.property(\Sample.large), #Predicate { $0.large == 1 }),
        (.property(\Sample.url), #Predicate { $0.url == url }),
        (.property(\Sample.word), #Predicate { $0.word == "word 1" }),
      ]
      for (zone, predicate) in cases {
        let schema = Schema([Sample.self])
        let container = try Freight.container(Ground(), zone: zone, schema: schema)
        let context = ModelContext(container)
        for number in 1...2 {
          let sample = Sample(number)
          if number == 1 { sample.id = id }
          context.insert(sample)
        }
        try context.save()
        let descriptor = FetchDescriptor(predicate: predicate)
        #expect(try context.explain(descriptor).description.contains("in one zone"), "\(predicate)")
        #expect(try context.fetch(descriptor).map(\.large) == [1], "\(predicate)")
      }
      for zone in [PostgresZone.property(\Sample.share), .property(\Sample.day)] {
        let error = #expect(throws: RoostError.self) {
          _ = try Freight.container(Ground(), zone: zone, schema: Schema([Sample.self]))
        }
        #expect(error?.code == .badValue)
      }
    }

    @Test func `rules that form a circle are refused`() throws {
      let circle = PostgresZone.properties(.property(\Link.next), .property(\Hook.link))
      let error = #expect(throws: RoostError.self) { _ = try container(circle, of: Schema([Link.self, Hook.self])) }
      #expect(error?.code == .badValue)
      #expect(error.map { "\($0)".contains("Link.next") } == true)
    }

    @Test func `a program with other zones is refused`() throws {
      try fill()
      for zone in [
        PostgresZone.single,
        .properties(
          .property(\Tenant.name), .property(\Parcel.number), .property(\Sticker.tenant), .property(\Seal.parcel),
          .property(\Invoice.tenant)),
      ] {
        let error = try #require(refusal { _ = try container(zone) })
        #expect(error.code == .otherZones)
        #expect(error.detail.contains(zone == .single ? "\\Tenant.name" : "\\Parcel.tenant"), "\(error)")
      }
      #expect(try open().fetchCount(FetchDescriptor<Parcel>()) == 6)
    }

    @Test func `a program with zones is refused if all objects are in one`() throws {
      let context = ModelContext(try container(.single))
      context.insert(Tenant("a"))
      try context.save()
      let error = try #require(refusal { _ = try container() })
      #expect(error.code == .otherZones)
      #expect(error.detail.contains(".single"))
      #expect(try ModelContext(container(.single)).fetchCount(FetchDescriptor<Tenant>()) == 1)
    }

    // MARK: The history

    @Test func `the history has the changes of all zones`() async throws {
      try fill()
      let context = try open()
      for name in ["a", "b"] { try tenant(name, context).parcels[0].weight = 3 }
      try context.save()
      // Open transactions of other tests delay the newest changes for a moment.
      var all: [PostgresHistoryTransaction] = []
      _ = try await eventually {
        all = try context.fetchHistory(HistoryDescriptor<PostgresHistoryTransaction>())
        return all.count >= 2
      }
      #expect(all.count == 2)
      let changed = try #require(all.last).changes.map(\.changedPersistentIdentifier)
      #expect(Set(changed) == Set(try ["a", "b"].map { try tenant($0, context).parcels[0].persistentModelID }))
      #expect(try counts("roost_change").count == 2)
    }

    @Test func `contexts follow changes of all zones`() async throws {
      try fill()
      let (writer, reader) = (try open(), try open())
      let seen = try ["a", "b"].map { try tenant($0, reader).parcels[0] }
      for name in ["a", "b"] { try tenant(name, writer).parcels[0].weight = 4 }
      try writer.save()
      _ = try await eventually {
        try reader.save()
        return seen.allSatisfy { $0.weight == 4 }
      }
      #expect(seen.map(\.weight) == [4, 4])
    }
  }

  @Model private class Wagon {
    var line: String
    init(_ line: String) { self.line = line }
  }

  @Model private final class Tanker: Wagon {
    var volume: Int
    init(_ line: String, volume: Int) {
      self.volume = volume
      super.init(line)
    }
  }

  @Model private final class Sample {
    var id = UUID()
    var flag: Bool
    var small: Int8
    var large: UInt64
    var url: URL
    var word: String?
    var share: Double
    var day = Date()

    init(_ number: Int) {
      flag = number == 1
      small = Int8(-number)
      large = UInt64(number)
      url = URL(fileURLWithPath: "/\(number)")
      word = "word \(number)"
      share = Double(number)
    }
  }

  @Model private final class Link {
    var next: Link?
    init() {}
  }

  @Model private final class Hook {
    var link: Link?
    init() {}
  }
#endif
