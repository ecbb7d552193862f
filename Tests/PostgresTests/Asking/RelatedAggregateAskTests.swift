#if Postgres
  import Foundation
  import Roost
  import RoostPostgres
  import RoostTestSupport
  import Testing

  @Model final class Branch {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Till.branch) var tills: [Till] = []
    @Relationship(inverse: \Medal.branches) var badges: [Medal] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Till {
    var number: Int
    var amount: Int
    var tip: Int8?
    var size: UInt64
    var ratio: Double
    var weight: Float?
    var price: Decimal
    var day: Date
    var word: String
    var code: UUID
    var branch: Branch?

    init(_ number: Int, _ random: inout SplitMix64) {
      self.number = number
      amount = random.pick([0, 1, -5, 7, 100])
      tip = random.pick([nil, 1, -128, 127])
      size = random.pick([0, 1, 9_000_000_000])
      ratio = random.pick([0, 0.1, 0.2, 0.3, -1.5, 1e10])
      weight = random.pick([nil, 0.1, 2, .nan])
      price = Decimal(random.pick([1, 2, 30])) / 10
      day = Date(timeIntervalSinceReferenceDate: Double(random.pick([0, 100, -100])))
      word = random.pick(["a", "é", "e\u{301}", "z", ""])
      code = UUID()
    }
  }

  @Model final class Medal {
    var points: Int
    var branches: [Branch] = []

    init(_ points: Int) { self.points = points }
  }

  /// Sums, averages and bounds of related models in predicates.
  @Suite struct RelatedAggregateAskTests {
    private let namespace = PostgresServer.freshNamespace()
    private static let schema = Schema([Branch.self, Till.self, Medal.self])

    private func container() throws -> ModelContainer {
      try ModelContainer(
        for: Self.schema,
        configurations: [
          PostgresConfiguration(PostgresServer.shared().address, schema: Self.schema, namespace: namespace)
        ])
    }

    private func fill(_ seed: UInt64) throws {
      var random = SplitMix64(seed: seed)
      let context = ModelContext(try container())
      let branches = (0..<5).map { Branch("b\($0)") }
      let badges = [3, -3, 10].map { Medal($0) }
      for badge in badges { context.insert(badge) }
      for (number, branch) in branches.enumerated() {
        context.insert(branch)
        branch.badges = Array(badges.prefix(number % 4))
      }
      for number in 0..<60 {
        let till = Till(number, &random)
        context.insert(till)
        // The last branch has none.
        till.branch = random.pick([nil] + branches.prefix(4).map { $0 })
      }
      try context.save()
    }

    private func tally(_ container: ModelContainer) throws -> AskTally {
      try #require(container.dataStores.first as? PostgresStore).tally
    }

    private func check<Model: PersistentModel>(
      _ text: String, _ predicate: Predicate<Model>, in container: ModelContainer, by order: SortDescriptor<Model>
    ) throws {
      let context = ModelContext(container)
      let all = try context.fetch(FetchDescriptor<Model>(sortBy: [order]))
      let expected = try all.filter { try predicate.evaluate($0) }.map(\.persistentModelID)
      let descriptor = FetchDescriptor(predicate: predicate, sortBy: [order])
      #expect(try context.fetch(descriptor).map(\.persistentModelID) == expected, "\(text)")
      #expect(try context.fetchCount(descriptor) == expected.count, "\(text)")
    }

    @Test(arguments: [UInt64(1), 2, 3]) func `the server computes aggregates as Swift does`(seed: UInt64) throws {
      try fill(seed)
      let container = try container()
      let day = Date(timeIntervalSinceReferenceDate: 99)
      try check("sum", #Predicate<Branch> { $0.tills.sum(\.amount) > 50 }, in: container, by: SortDescriptor(\.name))
      try check(
        "sum of none", #Predicate<Branch> { $0.tills.sum(\.amount) == 0 }, in: container, by: SortDescriptor(\.name))
      try check(
        "sum of optionals", #Predicate<Branch> { $0.tills.sum(\.tip) < 0 }, in: container, by: SortDescriptor(\.name))
      try check(
        "sum of unsigned", #Predicate<Branch> { $0.tills.sum(\.size) >= 9_000_000_001 }, in: container,
        by: SortDescriptor(\.name))
      try check(
        "average", #Predicate<Branch> { ($0.tills.average(\.amount) ?? -1) > 20 }, in: container,
        by: SortDescriptor(\.name)
      )
      try check(
        "average of optionals", #Predicate<Branch> { ($0.tills.average(\.tip) ?? 0) <= 0 }, in: container,
        by: SortDescriptor(\.name))
      try check(
        "no average", #Predicate<Branch> { $0.tills.average(\.amount) == nil }, in: container,
        by: SortDescriptor(\.name))
      try check("min", #Predicate<Branch> { $0.tills.min(\.amount) == -5 }, in: container, by: SortDescriptor(\.name))
      try check(
        "max", #Predicate<Branch> { ($0.tills.max(\.tip) ?? 0) == 127 }, in: container, by: SortDescriptor(\.name))
      try check(
        "max of NaN", #Predicate<Branch> { ($0.tills.max(\.weight) ?? 0) == 2 }, in: container,
        by: SortDescriptor(\.name))
      try check(
        "min of texts", #Predicate<Branch> { $0.tills.min(\.word) == "" }, in: container, by: SortDescriptor(\.name))
      try check(
        "max of texts", #Predicate<Branch> { ($0.tills.max(\.word) ?? "") > "y" }, in: container,
        by: SortDescriptor(\.name)
      )
      try check(
        "a filter", #Predicate<Branch> { $0.tills.filter { $0.amount > 0 }.sum(\.amount) > 100 }, in: container,
        by: SortDescriptor(\.name))
      try check(
        "links", #Predicate<Branch> { $0.badges.sum(\.points) == 10 }, in: container, by: SortDescriptor(\.name))
      try check(
        "min of links", #Predicate<Branch> { ($0.badges.min(\.points) ?? 0) < 0 }, in: container,
        by: SortDescriptor(\.name)
      )
      try check(
        "dates", #Predicate<Branch> { ($0.tills.max(\.day) ?? .distantPast) > day }, in: container,
        by: SortDescriptor(\.name))
      let counts = try tally(container)
      #expect(counts.whole + counts.doubted == 16, "\(counts)")
      try check(
        "above the average", #Predicate<Till> { $0.ratio > ($0.branch?.tills.average(\.amount) ?? 0) }, in: container,
        by: SortDescriptor(\.number))
      try check(
        "the greatest", #Predicate<Till> { $0.amount == ($0.branch?.tills.max(\.amount) ?? -1) }, in: container,
        by: SortDescriptor(\.number))
      try check(
        "the first word", #Predicate<Till> { $0.word == ($0.branch?.tills.min(\.word) ?? "none") }, in: container,
        by: SortDescriptor(\.number))
      try check(
        "a share", #Predicate<Till> { $0.amount * 2 > ($0.branch?.tills.sum(\.amount) ?? 0) }, in: container,
        by: SortDescriptor(\.number))
      try check(
        "above the average ratio", #Predicate<Till> { $0.ratio > ($0.branch?.tills.average(\.ratio) ?? 0) },
        in: container, by: SortDescriptor(\.number))
      try check(
        "at most the sum", #Predicate<Till> { $0.ratio <= ($0.branch?.tills.sum(\.ratio) ?? 0.1) }, in: container,
        by: SortDescriptor(\.number))
      try check(
        "ratios with NaN", #Predicate<Till> { $0.ratio < ($0.branch?.tills.average(\.weight) ?? 0) }, in: container,
        by: SortDescriptor(\.number))
    }

    @Test func `a sum that is too large is an error`() throws {
      let context = ModelContext(try container())
      var random = SplitMix64(seed: 1)
      for name in ["large", "small"] {
        let branch = Branch(name)
        context.insert(branch)
        for number in 0..<2 {
          let till = Till(number, &random)
          context.insert(till)
          (till.amount, till.branch) = (name == "large" ? .max : 4, branch)
        }
      }
      try context.save()
      let reader = ModelContext(try container())
      let error = #expect(throws: RoostError.self) {
        try reader.fetch(FetchDescriptor<Branch>(predicate: #Predicate { $0.tills.sum(\.amount) > 3 }))
      }
      #expect("\(error.map { "\($0)" } ?? "")".contains("does not fit"))
      let average = #Predicate<Branch> { ($0.tills.average(\.amount) ?? 0) > 1e18 }
      #expect(try reader.fetch(FetchDescriptor(predicate: average)).map(\.name) == ["large"])
    }

    @Test func `an explanation says which side computes an aggregate`() throws {
      try fill(1)
      let context = ModelContext(try container())
      func told(_ predicate: Predicate<Till>) throws -> String {
        try context.explain(FetchDescriptor(predicate: predicate)).description
      }
      let most = try told(#Predicate { $0.amount == ($0.branch?.tills.max(\.amount) ?? -1) })
      #expect(most.contains("the server tests $0.amount"), "\(most)")
      let ratio = try told(#Predicate { $0.ratio > ($0.branch?.tills.average(\.ratio) ?? 0) })
      #expect(ratio.contains("the server tests, and the program tests rows in doubt"), "\(ratio)")
      let code = UUID()
      let codes = try told(#Predicate { ($0.branch?.tills.min(\.code) ?? code) == code })
      #expect(codes.contains("the program tests"), "\(codes)")
    }
  }
#endif
