#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  private enum Hue: String, Codable { case red, green }

  private enum Plain {
    @Model final class Parcel {
      var code: String
      var closed: Date?
      init(_ code: String, closed: Date? = nil) { (self.code, self.closed) = (code, closed) }
    }
  }
  private enum Ruled {
    @Model final class Parcel {
      #Unique<Parcel>([\.code], where: { $0.closed == nil })
      var code: String
      var closed: Date?
      init(_ code: String, closed: Date? = nil) { (self.code, self.closed) = (code, closed) }
    }
  }
  private enum Renamed {
    @Model final class Parcel {
      #Unique<Parcel>([\.code], where: { $0.ended == nil })
      var code: String
      @Attribute(originalName: "closed") var ended: Date?
      init(_ code: String, ended: Date? = nil) { (self.code, self.ended) = (code, ended) }
    }
  }
  private enum Wider {
    @Model final class Parcel {
      #Unique<Parcel>([\.code])
      var code: String
      var closed: Date?
      init(_ code: String) { self.code = code }
    }
  }
  /// A rule with each kind of test.
  private enum Many {
    @Model final class Crate {
      #Unique<Crate>([\.a], where: { $0.text == "it's \\ é" })
      #Unique<Crate>([\.b], where: { $0.ratio > 0.5 })
      #Unique<Crate>([\.c], where: { $0.ratio != 1 })
      #Unique<Crate>([\.d], where: { $0.hue == Hue.red || ($0.rank ?? 9) >= 3 })
      #Unique<Crate>([\.e], where: { !$0.isLost && $0.text < "m" })
      #Unique<Crate>([\.f], where: { $0.home != nil })
      var a = 0
      var b = 0
      var c = 0
      var d = 0
      var e = 0
      var f = 0
      var number: Int
      var text: String
      var ratio: Double
      var hue: Hue
      var rank: Int?
      var isLost: Bool
      var home: Depot?
      init(_ number: Int, _ random: inout SplitMix64) {
        self.number = number
        text = random.pick(["it's \\ é", "it's \\ e\u{301}", "z", "m", ""])
        ratio = random.pick([0.5, 0.6, 1, .nan, -.infinity, .infinity])
        hue = random.pick([.red, .green])
        rank = random.pick([nil, 2, 3])
        isLost = random.pick([true, false])
        home = nil
      }
    }
    @Model final class Depot {
      var name: String
      var crates: [Crate] = []
      init(_ name: String) { self.name = name }
    }
  }
  private struct Home: Codable { var city: String }
  private enum Refused {
    @Model final class Part {
      #Unique<Part>([\.code], where: { $0.home.city == "x" })
      var code: String
      var home: Home
      init(_ code: String) { (self.code, home) = (code, Home(city: "x")) }
    }
    @Model final class Price {
      #Unique<Price>([\.code], where: { $0.amount > 3 })
      var code: String
      var amount: Decimal
      init(_ code: String) { (self.code, amount) = (code, 0) }
    }
  }

  /// `#Unique` with a condition is a partial index of the database.
  @Suite(.server) struct PartialUniqueTests {
    private let ground: Ground

    init() throws { ground = try Ground() }

    private func definitions() throws -> [String] {
      try ground.sql(
        """
        SELECT indexdef::text FROM pg_indexes
        WHERE schemaname = '\(ground.namespace)' AND tablename = 'parcel' AND indexname <> 'parcel_pkey'
        """
      ).compactMap { $0[0] }
    }

    private func codes(_ context: ModelContext) throws -> [String] {
      try context.fetch(FetchDescriptor<Ruled.Parcel>()).map { $0.code + ($0.closed == nil ? "" : " closed") }.sorted()
    }

    @Test func `only rows inside of the condition conflict`() throws {
      let context = try ground.open(Ruled.Parcel.self)
      let made = try definitions()
      #expect(made.count == 1 && made[0].hasSuffix("WHERE (closed IS NULL)"), "\(made)")
      let first = Ruled.Parcel("a")
      try ground.save(context, [Ruled.Parcel("a", closed: .now), Ruled.Parcel("a", closed: .now), first])
      #expect(try codes(context) == ["a", "a closed", "a closed"])
      // A new model inside of the condition becomes the stored one; others are new rows.
      let other = try ground.open(Ruled.Parcel.self)
      try ground.save(other, [Ruled.Parcel("a"), Ruled.Parcel("a", closed: .now)])
      #expect(try codes(other) == ["a", "a closed", "a closed", "a closed"])
      // Two in one save: the last one stays.
      try ground.save(other, [Ruled.Parcel("b"), Ruled.Parcel("b", closed: .now), Ruled.Parcel("b")])
      #expect(try codes(other).filter { $0.hasPrefix("b") } == ["b", "b closed"])
    }

    @Test func `a row that leaves the condition frees its values`() throws {
      let context = try ground.open(Ruled.Parcel.self)
      let first = Ruled.Parcel("a")
      try ground.save(context, [first])
      first.closed = .now
      try ground.save(context, [Ruled.Parcel("a")])
      #expect(try codes(context) == ["a", "a closed"])
      first.closed = nil
      let error = #expect(throws: RoostError.self) { try context.save() }
      #expect(error?.code == .notUnique)
      context.rollback()
      #expect(try codes(ground.open(Ruled.Parcel.self)) == ["a", "a closed"])
      let report = try context.container.importer(for: Ruled.Parcel.self).run(0..<20) {
        Ruled.Parcel("\($0 % 4)", closed: $0 < 10 ? .now : nil)
      }
      #expect(try codes(ground.open(Ruled.Parcel.self)).count == 2 + 10 + 4, "\(report)")
    }

    @Test func `a rule comes and goes with the models`() throws {
      try ground.save(ground.open(Plain.Parcel.self), [Plain.Parcel("a"), Plain.Parcel("a")])
      let error = #expect(throws: (any Error).self) { _ = try ground.open(Ruled.Parcel.self) }
      let text = error.map { "\($0)" } ?? ""
      #expect(text.contains("the model wants it unique where closed == nil") && text.contains("\"a\""), "\(text)")
      let context = try ground.open(Plain.Parcel.self)
      try context.fetch(FetchDescriptor<Plain.Parcel>())[0].closed = .now
      try context.save()
      // Duplicates outside of the condition are no obstacle.
      _ = try ground.open(Ruled.Parcel.self)
      let made = try definitions()
      #expect(made.count == 1)
      _ = try ground.open(Ruled.Parcel.self)
      #expect(try definitions() == made)
      // The rule follows a new name.
      _ = try ground.open(Renamed.Parcel.self)
      #expect(try definitions().count == 1 && definitions()[0].hasSuffix("WHERE (ended IS NULL)"))
    }

    @Test func `a rule without its condition replaces it`() throws {
      try ground.save(ground.open(Ruled.Parcel.self), [Ruled.Parcel("a", closed: .now), Ruled.Parcel("b")])
      _ = try ground.open(Wider.Parcel.self)
      let definitions = try definitions()
      #expect(definitions.count == 1 && !definitions[0].contains("WHERE"), "\(definitions)")
    }

    /// The database's condition and the program's one must agree: else a save merges too many rows, or
    /// the database refuses one.
    @Test(arguments: [UInt64(1), 2, 3]) func `each test means what it means in Swift`(seed: UInt64) throws {
      var random = SplitMix64(seed: seed)
      let context = try ground.open(Many.Crate.self, Many.Depot.self)
      let depots = ["x", "y"].map { Many.Depot($0) }
      let file = ModelContext(
        try ModelContainer(
          for: Many.Crate.self, Many.Depot.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
      let others = ["x", "y"].map { Many.Depot($0) }
      for depot in depots { context.insert(depot) }
      for depot in others { file.insert(depot) }
      for number in 0..<60 {
        let rule = number % 6
        let crates = (0..<2).map { _ in
          var copy = random
          return Many.Crate(number, &copy)
        }
        _ = random.next()
        let (key, depot) = (number * 7 % 5, random.pick([nil, 0, 1]))
        for (crate, (place, own)) in zip(crates, [(depots, context), (others, file)]) {
          (crate.a, crate.b, crate.c) = (-number, -number, -number)
          (crate.d, crate.e, crate.f) = (-number, -number, -number)
          switch rule {
          case 0: crate.a = 1000 + key
          case 1: crate.b = 1000 + key
          case 2: crate.c = 1000 + key
          case 3: crate.d = 1000 + key
          case 4: crate.e = 1000 + key
          default: crate.f = 1000 + key
          }
          own.insert(crate)
          crate.home = depot.map { place[$0] }
        }
        try context.save()
        try file.save()
      }
      func numbers(_ context: ModelContext) throws -> [Int] {
        try context.fetch(FetchDescriptor<Many.Crate>(sortBy: [SortDescriptor(\.number)])).map(\.number)
      }
      let found = try numbers(ground.open(Many.Crate.self, Many.Depot.self))
      #expect(try found == numbers(file))
      #expect(found.count < 60 && found.count > 30)
    }

    @Test func `a condition that no index can test is refused, with a remedy`() throws {
      for open in [{ _ = try self.ground.open(Refused.Part.self) }, { _ = try self.ground.open(Refused.Price.self) }] {
        let error = #expect(throws: RoostError.self) { try open() }
        #expect(error?.code == .badValue)
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("has a #Unique with a condition that PostgreSQL stores cannot enforce"), "\(text)")
        #expect(text.contains("or keep the model in a file"), "\(text)")
      }
    }
  }
#endif
