#if Postgres
  import Foundation
  import Roost
  import RoostPostgres
  import RoostTestSupport
  import Testing

  @Model private final class Region {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Depot.region) var depots: [Depot] = []
    init(_ name: String) { self.name = name }
  }

  @Model private final class Depot {
    var number: Int
    var region: Region?
    @Relationship(deleteRule: .nullify, inverse: \Crate.depot) var crates: [Crate] = []
    init(_ number: Int, _ region: Region) {
      self.number = number
      self.region = region
    }
  }

  @Model private final class Crate {
    var number: Int
    var word: String
    var depot: Depot?
    init(_ number: Int, _ word: String, _ depot: Depot) {
      self.number = number
      self.word = word
      self.depot = depot
    }
  }

  /// Predicates that determine the zone.
  @Suite(.server) struct ZonePredicateTests {
    private let ground: Ground

    init() throws { ground = try Ground() }

    private static let schema = Schema([Region.self, Depot.self, Crate.self])
    private static let names = ["a", "b", "caf\u{E9}"]

    private func container() throws -> ModelContainer {
      let zone = PostgresZone.properties(.property(\Region.name), .property(\Depot.region), .property(\Crate.depot))
      return try ModelContainer(
        for: Self.schema,
        configurations: [
          PostgresConfiguration(ground.address, zone: zone, schema: Self.schema, namespace: ground.namespace)
        ])
    }

    /// Creates two depots with three crates in each zone. One crate in each zone has lost its
    /// depot.
    private func fill() throws {
      let context = ModelContext(try container())
      for (place, name) in Self.names.enumerated() {
        let region = Region(name)
        context.insert(region)
        for number in 1...2 {
          let depot = Depot(number, region)
          context.insert(depot)
          for crate in 1...3 {
            context.insert(Crate(place * 10 + number * 3 + crate, crate == 1 ? "wood" : "Metal", depot))
          }
        }
      }
      try context.save()
      for depot in try context.fetch(FetchDescriptor<Depot>(predicate: #Predicate { $0.number == 2 })) {
        depot.crates.removeLast()
      }
      try context.save()
    }

    /// The numbers of the crates that the server finds, and the explanation's line about zones.
    private func asked(_ predicate: Predicate<Crate>) throws -> (numbers: [Int], zones: String) {
      let context = ModelContext(try container())
      let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])
      let text = try context.explain(descriptor).description
      let line = text.split(separator: "\n").first { $0.contains("the server looks in") }
      return (
        try context.fetch(descriptor).map(\.number),
        line.map { "\($0.split(separator: "looks in ").last ?? "")" } ?? text
      )
    }

    private func expect(
      _ predicate: Predicate<Crate>, _ numbers: [Int], in zones: String,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let found = try asked(predicate)
      #expect(found.numbers == numbers, sourceLocation: sourceLocation)
      #expect(found.zones == zones, sourceLocation: sourceLocation)
    }

    @Test func `a condition on the property that defines the zone asks one zone`() throws {
      try fill()
      let b = [14, 15, 16, 17, 18]
      try expect(#Predicate { $0.depot?.region?.name == "b" }, b, in: "one zone")
      try expect(#Predicate { $0.depot?.region?.name == "b" && $0.number > 15 }, [16, 17, 18], in: "one zone")
      try expect(#Predicate { $0.number > 15 && "b" == $0.depot?.region?.name }, [16, 17, 18], in: "one zone")
      let some = ["b", "nowhere"]
      try expect(
        #Predicate { $0.depot?.region?.name == "a" || $0.depot?.region?.name == "b" }, [4, 5, 6, 7, 8] + b,
        in: "2 zones")
      let context = ModelContext(try container())
      let regions = FetchDescriptor<Region>(predicate: #Predicate { some.contains($0.name) })
      #expect(try context.explain(regions).description.contains("in 2 zones"))
      #expect(try context.fetch(regions).map(\.name) == ["b"])
    }

    @Test func `a condition on a referenced object asks its zone`() throws {
      try fill()
      let context = ModelContext(try container())
      let depots = try context.fetch(FetchDescriptor<Depot>(sortBy: [SortDescriptor(\.number)]))
      let depot = try #require(depots.first { $0.number == 1 && $0.region?.name == "b" })
      let region = try #require(depot.region)
      let (own, above) = (depot.persistentModelID, region.persistentModelID)
      try expect(#Predicate { $0.depot?.persistentModelID == own }, [14, 15, 16], in: "one zone")
      try expect(#Predicate { $0.depot?.region?.persistentModelID == above }, [14, 15, 16, 17, 18], in: "one zone")
      let crates = try context.fetch(FetchDescriptor<Crate>(predicate: #Predicate { $0.word == "wood" }))
      let (first, all) = (crates[0].persistentModelID, crates.map(\.persistentModelID))
      try expect(#Predicate { $0.persistentModelID == first }, [crates[0].number], in: "one zone")
      try expect(#Predicate { all.contains($0.persistentModelID) }, crates.map(\.number).sorted(), in: "3 zones")
    }

    @Test func `a condition that does not determine the zone asks all zones`() throws {
      try fill()
      try expect(#Predicate { $0.depot?.region?.name != "b" && $0.number < 6 }, [4, 5], in: "all zones")
      try expect(
        #Predicate { $0.depot?.region?.name == "b" || $0.number == 4 }, [4, 14, 15, 16, 17, 18], in: "all zones")
      try expect(#Predicate { $0.depot == nil }, [9, 19, 29], in: "all zones")
      try expect(#Predicate { $0.depot?.number == 1 && $0.number == 14 }, [14], in: "all zones")
    }

    @Test func `a part that may raise an error comes before the zone`() throws {
      try fill()
      let context = ModelContext(try container())
      // In each zone a crate has no depot.
      let first = FetchDescriptor<Crate>(
        predicate: #Predicate { $0.depot!.number > 0 && $0.depot?.region?.name == "b" })
      #expect(try context.explain(first).description.contains("in all zones"))
      let second = FetchDescriptor<Crate>(
        predicate: #Predicate { $0.depot?.region?.name == "b" && $0.depot!.number > 0 })
      #expect(try context.explain(second).description.contains("in one zone"))
      #expect(try context.fetchCount(second) == 5)
    }

    // MARK: Random predicates

    private struct Parts {
      var random: SplitMix64
      let crates: [Crate]
      let depots: [Depot]

      mutating func leaf() -> Predicate<Crate> {
        let number = Int.random(in: 0...30, using: &random)
        let name = (ZonePredicateTests.names + ["none", "cafe\u{301}"]).randomElement(using: &random) ?? ""
        let names = [name, ZonePredicateTests.names.randomElement(using: &random) ?? ""]
        let depot = depots.randomElement(using: &random)?.persistentModelID
        let ids = (0..<2).compactMap { _ in crates.randomElement(using: &random)?.persistentModelID }
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2: return #Predicate { $0.depot?.region?.name == name }
        case 3: return #Predicate { names.contains($0.depot?.region?.name ?? "") }
        case 4: return #Predicate { $0.number > number }
        case 5: return #Predicate { $0.depot?.persistentModelID == depot }
        case 6: return #Predicate { ids.contains($0.persistentModelID) }
        case 7: return #Predicate { $0.depot == nil }
        case 8: return #Predicate { $0.word.localizedStandardContains("metal") }
        case 9: return #Predicate { $0.depot?.region?.name != name }
        case 10: return #Predicate { ($0.depot?.number ?? 0) == 1 }
        default: return #Predicate { name == $0.depot?.region?.name }
        }
      }

      mutating func predicate(_ depth: Int) -> Predicate<Crate> {
        if depth == 0 || Int.random(in: 0..<4, using: &random) == 0 { return leaf() }
        let (one, other) = (predicate(depth - 1), predicate(depth - 1))
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return #Predicate { !one.evaluate($0) }
        case 1, 2: return #Predicate { one.evaluate($0) || other.evaluate($0) }
        default: return #Predicate { one.evaluate($0) && other.evaluate($0) }
        }
      }
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func `the server finds the rows by zone for which the predicate is true`(
      _ seed: UInt64
    ) throws {
      try fill()
      let reader = ModelContext(try container())
      let all = try reader.fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)]))
      var parts = Parts(
        random: SplitMix64(seed: seed), crates: all, depots: try reader.fetch(FetchDescriptor<Depot>()))
      let container = try container()
      for step in 0..<100 {
        let predicate = parts.predicate(3)
        let expected = try all.filter { try predicate.evaluate($0) }.map(\.number)
        var descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])
        let context = ModelContext(container)
        let found = try context.fetch(descriptor).map(\.number)
        let count = try context.fetchCount(descriptor)
        descriptor.fetchLimit = 3
        let first = try context.fetch(descriptor).map(\.number)
        #expect(
          found == expected && count == expected.count && first == Array(expected.prefix(3)),
          "seed \(seed), step \(step)")
      }
      let tally = try #require(container.dataStores.first as? PostgresStore).tally
      #expect(tally.zoned > 30 && tally.zoned < tally.count, "\(tally)")
    }
  }
#endif
