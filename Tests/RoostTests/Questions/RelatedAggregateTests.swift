import Foundation
import SwiftData
import Testing

/// Sums, averages and bounds of related models, in predicates and outside of them.
@Suite struct RelatedAggregateTests {
  private func filled(_ count: Int = 60) throws -> ModelContext {
    let context = ModelContext(
      try ModelContainer(
        for: Label.self, Disc.self, Cut.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let labels = (0..<4).map { Label("l\($0)", spot: Site(city: "c", zip: Zip(code: $0, area: nil), open: true)) }
    for label in labels { context.insert(label) }
    for number in 0..<count {
      // The last label has no discs.
      let disc = Disc("t\(number)", number: number, label: number % 4 == 3 ? nil : labels[number % 4])
      disc.length = Double(number * number % 17)
      disc.small = number % 5 == 0 ? nil : Int8(number % 100)
      disc.weight = number % 7 == 0 ? .nan : number % 3 == 0 ? nil : Float(number)
      disc.price = Decimal(number) / 2
      context.insert(disc)
    }
    try context.save()
    return ModelContext(context.container)
  }

  private static let longer = #Predicate<Disc> { $0.length > ($0.label?.discs.average(\.length) ?? 0) }

  /// What a fetch finds, and what plain Swift does.
  private func check(_ context: ModelContext, _ predicate: Predicate<Disc>, test: (Disc) -> Bool) throws {
    let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number).sorted()
    let expected = try context.fetch(FetchDescriptor<Disc>()).filter(test).map(\.number).sorted()
    #expect(found == expected && !found.isEmpty, "\(predicate)")
    #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == expected.count)
    for disc in try context.fetch(FetchDescriptor<Disc>()) { #expect(try predicate.evaluate(disc) == test(disc)) }
  }

  @Test func `rows are compared with a value of related rows`() throws {
    let context = try filled()
    for isChanged in [false, true] {
      if isChanged {
        let label = try #require(try context.fetch(FetchDescriptor<Label>()).first { $0.name == "l1" })
        let disc = Disc("new", number: 500, label: label)
        disc.length = 1000
        context.insert(disc)
      }
      try check(context, Self.longer) { $0.length > ($0.label?.discs.average(\.length) ?? 0) }
      try check(context, #Predicate { ($0.label?.discs.sum(\.number) ?? 0) > 400 }) {
        ($0.label?.discs.sum(\.number) ?? 0) > 400
      }
      try check(context, #Predicate { $0.length == ($0.label?.discs.max(\.length) ?? -1) }) {
        $0.length == ($0.label?.discs.max(\.length) ?? -1)
      }
      try check(context, #Predicate { $0.title == ($0.label?.discs.min(\.title) ?? "none") }) {
        $0.title == ($0.label?.discs.min(\.title) ?? "none")
      }
      try check(context, #Predicate { ($0.label?.discs.sum(\.small) ?? 0) != 0 }) {
        ($0.label?.discs.sum(\.small) ?? 0) != 0
      }
      try check(context, #Predicate { ($0.label?.discs.min(\.weight) ?? 99) < 3 }) {
        ($0.label?.discs.min(\.weight) ?? 99) < 3
      }
      // Foundation adds decimals, so this is tested on models.
      try check(context, #Predicate { $0.price > ($0.label?.discs.average(\.price) ?? 0) }) {
        $0.price > ($0.label?.discs.average(\.price) ?? 0)
      }
      let limit = 20
      try check(context, #Predicate { ($0.label?.discs.filter { $0.number > limit }.average(\.length) ?? -1) >= 5 }) {
        ($0.label?.discs.filter { $0.number > limit }.average(\.length) ?? -1) >= 5
      }
      try check(
        context,
        #Predicate { disc in
          (disc.label?.discs.filter { $0.number < disc.number }.average(\.length) ?? -1) >= 5
        }
      ) { disc in (disc.label?.discs.filter { $0.number < disc.number }.average(\.length) ?? -1) >= 5 }
    }
  }

  @Test func `nothing has no average, and zero as its sum`() throws {
    let context = try filled()
    func names(_ predicate: Predicate<Label>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])).map(\.name)
    }
    #expect(try names(#Predicate { $0.discs.average(\.length) == nil }) == ["l3"])
    #expect(try names(#Predicate { $0.discs.sum(\.number) == 0 && $0.discs.min(\.title) == nil }) == ["l3"])
    let rows = try context.select(
      Label.self, \.name, \.[Self.total], sortBy: [SortDescriptor(\.name)])
    #expect(rows.map(\.1) == [420, 435, 450, 0])
    // Behind `&&` the overflow is not reached.
    let large = try #require(try context.fetch(FetchDescriptor<Disc>()).first { $0.number == 0 })
    large.number = .max
    try context.save()
    let error = #expect(throws: RoostError.self) { try names(#Predicate { $0.discs.sum(\.number) > 0 }) }
    #expect(error?.description.contains("which does not fit") == true, "\(String(describing: error))")
    #expect(try names(#Predicate { $0.name != "l0" && $0.discs.sum(\.number) > 0 }) == ["l1", "l2"])
  }

  private static let total = Computed(#Expression<Label, Int> { $0.discs.sum(\.number) })

  @Test func `a value is computed once for each owner`() throws {
    let context = try filled(400)
    let told = try context.explain(FetchDescriptor(predicate: Self.longer))
    #expect(told.testedOnRows?.contains(".discs.average { ") == true && told.testedInMemory.isEmpty, "\(told)")
    let start = ContinuousClock.now
    #expect(try context.fetchCount(FetchDescriptor(predicate: Self.longer)) > 100)
    // 400 times 100 rows would take longer than this.
    #expect(ContinuousClock.now - start < .seconds(5))
  }

  @Test func `lists of models have the same functions`() throws {
    let discs = try filled().fetch(FetchDescriptor<Disc>())
    #expect(discs.sum(\.number) == 1770 && discs.average(\.number) == 29.5 && discs.max(\.number) == 59)
    #expect([Disc]().average(\.length) == nil && [Disc]().sum(\.price) == 0 && [Disc]().min(\.title) == nil)
    #expect(discs.min(\.small) == 1 && discs.sum(\.price) == 885 && discs.min(\.weight) == 1)
  }
}
