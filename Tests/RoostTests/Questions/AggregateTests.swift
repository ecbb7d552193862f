import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// Counts, sums, averages and bounds, compared with Swift over arrays.
@Suite struct AggregateTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Label.self, Disc.self, Cut.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private static let place = Zip(code: 1, area: nil)

  /// The compiler must find `>` and other members of a group's only key, and of its only value.
  @Test func `groups can be sorted by one key and by one value`() throws {
    let context = ModelContext(try container())
    for number in 0..<12 {
      let disc = Disc("t\(number % 3)", number: number)
      disc.price = Decimal(number * number % 7)
      disc.released = number % 4 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number % 4))
      context.insert(disc)
    }
    try context.save()
    let titles = try context.aggregate(Disc.self, .count, by: \.title, sortedBy: { $0.key > $1.key }, limit: 2)
    #expect(titles.map(\.key) == ["t2", "t1"] && titles.map(\.values) == [4, 4])
    let some = try context.aggregate(Disc.self, .count, .sum(\.price), by: \.title, having: { $0.key.hasSuffix("1") })
    #expect(some.map(\.key) == ["t1"] && some[0].values.0 == 4)
    let prices = try context.aggregate(Disc.self, .sum(\.price), by: \.title, sortedBy: { $0.values > $1.values })
    #expect(prices.map(\.values) == prices.map(\.values).sorted().reversed())
    let dates = try context.aggregate(
      Disc.self, .count, by: \.released,
      sortedBy: { ($0.key ?? .distantPast) > ($1.key ?? .distantPast) })
    #expect(dates.map { $0.key?.timeIntervalSinceReferenceDate } == [3, 2, 1, nil])
    let keys = try context.aggregate(Disc.self, .count, by: \.key, sortedBy: { $0.key > $1.key })
    #expect(keys.map(\.key) == keys.map(\.key).sorted().reversed() && keys.count == 12)
    let live = try context.aggregate(
      Disc.self, .count, by: \.isNew, sortedBy: { $0.key == false && $1.key == true })
    #expect(live.map(\.key) == [false])
  }

  @Test func `sums have the type of their values`() throws {
    let context = ModelContext(try container())
    #expect(try context.sum(of: \Disc.number) == 0)
    #expect(try context.average(of: \Disc.number) == nil)
    #expect(try context.minimum(of: \Disc.title) == nil)
    #expect(try context.aggregate(Disc.self, .count) == 0)
    for number in 1...4 {
      let disc = Disc("disc \(number)", number: number)
      disc.small = number == 2 ? nil : Int8(100)
      disc.price = Decimal(number) / 4
      disc.length = Double(number) / 2
      disc.weight = number == 1 ? nil : Float(number)
      disc.isLive = number == 3 ? nil : number % 2 == 0
      context.insert(disc)
    }
    for isStored in [false, true] {
      if isStored { try context.save() }
      let (count, numbers, small, price) = try context.aggregate(
        Disc.self, .count, .sum(\.number), .sum(\.small), .sum(\.price))
      let typed: (Int, Int, Int, Decimal) = (count, numbers, small, price)
      #expect(typed == (4, 10, 300, Decimal(string: "2.5")!))
      let averages = try context.aggregate(Disc.self, .average(\.number), .average(\.price), .average(\.weight))
      let known: (Double?, Decimal?, Double?) = averages
      let expectedAverages: (Double?, Decimal?, Double?) = (2.5, Decimal(string: "0.625")!, 3)
      #expect(known == expectedAverages)
      let bounds = try context.aggregate(
        Disc.self, where: #Predicate { $0.number > 1 }, .min(\.title), .max(\.title), .min(\.small), .max(\.price))
      let expected: (String?, String?, Int8?, Decimal?) = ("disc 2", "disc 4", 100, 1)
      #expect(bounds == expected)
      #expect(try context.aggregate(Disc.self, .count(\.small), .count(\.isLive)) == (3, 3))
      #expect(try context.sum(of: \Disc.length, where: #Predicate { $0.title != "disc 1" }) == 4.5)
      #expect(try context.maximum(of: \Disc.weight) == 4)
      #expect(try context.minimum(of: \Disc.number) == 1 && context.maximum(of: \Disc.number) == 4)
      // Values that are not stored are read from models.
      #expect(try context.maximum(of: \Disc.shout) == "DISC 4")
      #expect(try context.aggregate(Disc.self, .sum(\.title.count), .count) == (24, 4))
    }
  }

  @Test func `a sum that overflows is an error`() throws {
    let context = ModelContext(try container())
    for _ in 0..<2 { context.insert(Disc("d", number: .max)) }
    let low = Disc("d", number: .min)
    context.insert(low)
    for _ in 0..<2 {
      // The order of additions does not matter.
      #expect(try context.sum(of: \Disc.number) == .max - 1)
      try context.save()
    }
    context.delete(low)
    for _ in 0..<2 {
      #expect {
        try context.sum(of: \Disc.number)
      } throws: { error in
        (error as? RoostError)?.code == .badValue
          && "\(error)".contains("the sum of Disc.number is 18446744073709551614")
      }
      #expect(try context.average(of: \Disc.number) == Double(Int.max))
      try context.save()
    }
  }

  @Test func `a sum of decimals that overflows is an error too`() throws {
    let context = ModelContext(try container())
    for _ in 0..<2 {
      let disc = Disc("d", number: 1)
      disc.price = Decimal.greatestFiniteMagnitude
      context.insert(disc)
    }
    for _ in 0..<2 {
      #expect(throws: RoostError.self) { try context.sum(of: \Disc.price) }
      try context.save()
    }
    try context.fetch(FetchDescriptor<Disc>())[0].price = .nan
    #expect(try context.sum(of: \Disc.price).isNaN)
  }

  @Test func `NaN is one group`() throws {
    let context = ModelContext(try container())
    for number in 0..<6 {
      let disc = Disc("d", number: number)
      disc.length = number < 3 ? .nan : 1
      context.insert(disc)
      if number == 3 { try context.save() }
    }
    for _ in 0..<2 {
      let groups = try context.aggregate(Disc.self, .count, by: \.length)
      #expect(groups.map(\.values) == [3, 3] && groups[0].key == 1 && groups[1].key.isNaN)
      #expect(try context.aggregate(Disc.self, .count) == 6)
      #expect(try context.aggregate(Disc.self, includePendingChanges: false, .count) == context.fetchCount(stored))
      try context.save()
    }
  }

  private var stored: FetchDescriptor<Disc> {
    var descriptor = FetchDescriptor<Disc>()
    descriptor.includePendingChanges = false
    return descriptor
  }

  @Test func `groups have their common values`() throws {
    let context = ModelContext(try container())
    let labels = ["Blue", "Verve"].map { Label($0, spot: Site(city: "C" + $0, zip: Self.place, open: true)) }
    for number in 0..<12 {
      let disc = Disc("disc \(number)", number: number, label: number % 3 == 2 ? nil : labels[number % 3])
      disc.mood = Feeling.allCases[number % 2]
      disc.isNew = number % 4 == 0
      disc.length = Double(number)
      context.insert(disc)
    }
    for isStored in [false, true] {
      if isStored { try context.save() }
      let moods = try context.aggregate(Disc.self, .count, .average(\.length), by: \.mood)
      #expect(moods.map(\.key) == [.angry, .calm])
      #expect(moods.map(\.values.0) == [6, 6] && moods.map(\.values.1) == [6, 5])
      let names = try context.aggregate(Disc.self, .sum(\.number), by: \.label?.name)
      #expect(names.map(\.key) == [nil, "Blue", "Verve"] && names.map(\.values) == [26, 18, 22])
      let cities = try context.aggregate(
        Disc.self, where: #Predicate { $0.number > 3 }, .count, .max(\.title), by: \.label?.spot.city, \.isNew)
      #expect(
        cities.map { "\($0.key.0 ?? "-") \($0.key.1) \($0.values.0) \($0.values.1 ?? "")" }
          == [
            "- false 2 disc 5", "- true 1 disc 8", "CBlue false 2 disc 9", "CVerve false 2 disc 7",
            "CVerve true 1 disc 4",
          ].sorted())
      let wanted = try context.aggregate(
        Disc.self, .count, .min(\.number), by: \.number, having: { $0.key % 2 == 1 },
        sortedBy: { $0.key > $1.key }, limit: 2)
      #expect(wanted.map(\.key) == [11, 9] && wanted.map(\.values.1) == [11, 9])
      let owners = try context.aggregate(Disc.self, .count, by: \.label?.persistentModelID)
      #expect(Set(owners.map(\.key)) == [nil, labels[0].persistentModelID, labels[1].persistentModelID])
      let models = try context.aggregate(Disc.self, .count, by: \.label)
      #expect(models.count == 3 && models.contains { $0.key === labels[0] && $0.values == 4 })
      let computed = try context.aggregate(Disc.self, .count, by: \.title.count)
      #expect(computed.map(\.key) == [6, 7] && computed.map(\.values) == [10, 2])
    }
    #expect(throws: RoostError.self) { try context.aggregate(Disc.self, .count, by: \.number, limit: -1) }
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.maximum(of: \Disc.label!.name) }
    // Unsaved changes of other models count too, unless excluded.
    labels[0].name = "Red"
    #expect(try context.aggregate(Disc.self, .count, by: \.label?.name).map(\.key) == [nil, "Red", "Verve"])
    let before = try context.aggregate(Disc.self, includePendingChanges: false, .count, by: \.label?.name)
    #expect(before.map(\.key) == [nil, "Blue", "Verve"])
  }

  @Test func `bounds are read from an index`() throws {
    let context = ModelContext(try container())
    for number in 0..<2000 {
      let disc = Disc("t\(number % 100)", number: number)
      disc.length = number % 7 == 0 ? .nan : Double(number)
      disc.mood = Feeling.allCases[number % 3]
      context.insert(disc)
    }
    try context.save()
    let other = ModelContext(context.container)
    let numbers: (Int, Int?, Int?) = (2000, 0, 1999)
    #expect(try other.aggregate(Disc.self, .count, .min(\.number), .max(\.number)) == numbers)
    let titles: (String?, String?) = ("t0", "t99")
    #expect(try other.aggregate(Disc.self, .min(\.title), .max(\.title)) == titles)
    let some: (Int?, Int) = (501, 1499)
    #expect(try other.aggregate(Disc.self, where: #Predicate { $0.number > 500 }, .min(\.number), .count) == some)
    let lengths: (Double?, Double?) = (1, 1999)
    #expect(try other.aggregate(Disc.self, .min(\.length), .max(\.length)) == lengths)
    #expect(other.statistics.modelsFetched == 0 && other.statistics.faultsFilled == 0)
  }

  // MARK: By seed

  @Test(arguments: 1...8 as ClosedRange<UInt64>) func `aggregates equal what Swift computes`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let context = ModelContext(try container())
    let labels = (0..<4).map {
      Label("l\($0)", spot: Site(city: "c\($0 % 2)", zip: Self.place, open: true), rating: Double($0))
    }
    for label in labels { context.insert(label) }
    var discs: [Disc] = []
    func fill(_ disc: Disc) {
      disc.number = Int(random.next() % 20) - 10
      disc.title = ["a", "b", "é", "e\u{301}", "Z"][Int(random.next() % 5)]
      disc.small = random.next() % 4 == 0 ? nil : Int8(truncatingIfNeeded: random.next())
      disc.price = Decimal(Int(random.next() % 100)) / 8
      disc.weight = random.next() % 4 == 0 ? nil : [0, .nan, 1.5, -8][Int(random.next() % 4)]
      disc.length = random.next() % 9 == 0 ? .nan : Double(random.next() % 64) / 4
      disc.released = random.next() % 3 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(random.next() % 9))
      disc.mood = Feeling.allCases[Int(random.next() % 3)]
      disc.isLive = [nil, true, false][Int(random.next() % 3)]
      disc.label = random.next() % 4 == 0 ? nil : labels[Int(random.next() % 4)]
    }
    for _ in 0..<120 {
      let disc = Disc("", number: 0)
      fill(disc)
      context.insert(disc)
      discs.append(disc)
    }
    try context.save()
    for round in 0..<4 {
      let least = Int(random.next() % 20) - 10
      try check(context, discs.filter { $0.number >= least }, least, "round \(round)")
      for _ in 0..<8 { fill(discs[Int(random.next() % UInt64(discs.count))]) }
      context.delete(discs.removeLast())
      if round == 1 { labels[1].rating = 17 }
      if round == 2 { try context.save() }
    }
  }

  private func check(_ context: ModelContext, _ discs: [Disc], _ least: Int, _ place: String) throws {
    let wanted = #Predicate<Disc> { $0.number >= least }
    func same(_ one: Double?, _ other: Double?) -> Bool {
      one == other || one?.isNaN == true && other?.isNaN == true
    }
    /// The minimum or maximum; NaN is ignored.
    func bound<Value: Comparable>(_ values: [Value], _ better: (Value, Value) -> Bool) -> Value? {
      let numbers = values.filter { $0 == $0 }
      return numbers.min(by: better) ?? values.first
    }
    let (count, number, small, price, length) = try context.aggregate(
      Disc.self, where: wanted, .count, .sum(\.number), .sum(\.small), .sum(\.price), .sum(\.length))
    #expect(count == discs.count && number == discs.reduce(0) { $0 + $1.number }, "\(place)")
    #expect(small == discs.compactMap(\.small).reduce(0) { $0 + Int($1) }, "\(place)")
    #expect(price == discs.reduce(0) { $0 + $1.price }, "\(place)")
    #expect(same(length, discs.reduce(0) { $0 + $1.length }), "\(place)")
    let weights = discs.compactMap(\.weight)
    let (weight, low, high, date, late) = try context.aggregate(
      Disc.self, where: wanted, .average(\.weight), .min(\.weight), .max(\.length), .min(\.released), .max(\.released))
    let average = weights.isEmpty ? nil : Double(weights.reduce(0, +)) / Double(weights.count)
    #expect(same(weight, average), "\(place)")
    #expect(same(low.map(Double.init), bound(weights, <).map(Double.init)), "\(place)")
    #expect(same(high, bound(discs.map(\.length), >)), "\(place)")
    #expect(date == discs.compactMap(\.released).min() && late == discs.compactMap(\.released).max(), "\(place)")
    let groups = try context.aggregate(
      Disc.self, where: wanted, .count, .sum(\.number), .max(\.title), by: \.label?.rating, \.mood)
    let expected = Dictionary(grouping: discs) { "\($0.label?.rating ?? -1) \($0.mood)" }
    #expect(groups.count == expected.count, "\(place)")
    for group in groups {
      let own = expected["\(group.key.0 ?? -1) \(group.key.1)"] ?? []
      #expect(group.values.0 == own.count && group.values.1 == own.reduce(0) { $0 + $1.number }, "\(place)")
      #expect(group.values.2 == own.map(\.title).max(), "\(place)")
    }
    let order = groups.map { ($0.key.0 ?? -1, $0.key.1.rawValue) }
    #expect(zip(order, order.dropFirst()).allSatisfy { $0 < $1 }, "\(place)")
    let titles = try context.aggregate(Disc.self, where: wanted, .count, by: \.title)
    #expect(
      Dictionary(uniqueKeysWithValues: titles.map { ($0.key, $0.values) })
        == Dictionary(discs.map { ($0.title, 1) }, uniquingKeysWith: +))
    try checkRows(context, discs, wanted, place)
  }

  /// Compares aggregates that the test computes from single rows.
  private func checkRows(
    _ context: ModelContext, _ discs: [Disc], _ wanted: Predicate<Disc>, _ place: String
  ) throws {
    let (titles, weights, moods, numbers, prices, lows) = try context.aggregate(
      Disc.self, where: wanted, .countDistinct(\.title), .countDistinct(\.weight), .countDistinct(\.mood),
      .sum(\.number), .average(\.price), .min(\.small))
    #expect(titles == Set(discs.map(\.title)).count && moods == Set(discs.map(\.mood)).count, "\(place)")
    // All NaN count as one value.
    #expect(weights == Set(discs.compactMap(\.weight).map { $0.isNaN ? 99 : $0 }).count, "\(place)")
    #expect(numbers == discs.reduce(0) { $0 + $1.number } && lows == discs.compactMap(\.small).min(), "\(place)")
    #expect(prices == (discs.isEmpty ? nil : discs.reduce(0) { $0 + $1.price } / Decimal(discs.count)), "\(place)")
    let groups = try context.aggregate(
      Disc.self, where: wanted, .first(\.title, by: \.released), .last(\Disc.label?.name, by: \.number), .count,
      by: \.isLive)
    let typed: [AggregateGroup<(Bool?), (String?, String?, Int)>] = groups
    let expected = Dictionary(grouping: discs, by: \.isLive)
    #expect(groups.count == expected.count, "\(place)")
    for group in typed {
      let own = expected[group.key] ?? []
      let (first, last, count) = group.values
      let earliest = own.compactMap(\.released).min()
      #expect(count == own.count, "\(place)")
      #expect(
        earliest == nil ? first == nil : own.contains { $0.released == earliest && $0.title == first }, "\(place)")
      let highest = own.map(\.number).max()
      #expect(own.contains { $0.number == highest && $0.label?.name == last }, "\(place)")
    }
    let lengths = try context.aggregate(Disc.self, where: wanted, .last(\.number, by: \.length))
    let known = discs.map(\.length).filter { !$0.isNaN }.max()
    #expect(
      discs.isEmpty
        ? lengths == nil : discs.contains { $0.number == lengths && (known == nil || $0.length == known) }, "\(place)")
  }

  @Test func `values are computed from rows without models`() throws {
    let context = ModelContext(try container())
    for number in 0..<6 {
      let disc = Disc("disc \(number % 2)", number: number)
      disc.small = number < 2 ? nil : Int8(number % 3)
      disc.released = number == 5 ? nil : Date(timeIntervalSinceReferenceDate: Double(10 - number))
      context.insert(disc)
    }
    try context.save()
    let reader = ModelContext(context.container)
    let counts = try reader.aggregate(Disc.self, .countDistinct(\.title), .countDistinct(\.small))
    #expect(counts == (2, 3))
    let groups = try reader.aggregate(
      Disc.self, .first(\.number, by: \.released), .last(\.number, by: \.released), .last(\.small, by: \.number),
      by: \.title)
    #expect(groups.map { $0.values.0 } == [4, 3] && groups.map { $0.values.1 } == [0, 1])
    #expect(groups.map { $0.values.2 } == [1, 2])
    // NaN is ignored if there is another value.
    let discs = try context.fetch(FetchDescriptor<Disc>(sortBy: [SortDescriptor(\.number)]))
    for (disc, price) in zip(discs, [Decimal.nan, 3, 1, .nan, 2, .nan]) { disc.price = price }
    for isStored in [false, true] {
      if isStored { try context.save() }
      let ends = try context.aggregate(Disc.self, .first(\.number, by: \.price), .last(\.number, by: \.price))
      #expect(ends.0 == 2 && ends.1 == 1)
    }
    let none = try reader.aggregate(
      Disc.self, where: #Predicate { $0.number > 9 }, .first(\.title, by: \.released), .countDistinct(\.title))
    #expect(none.0 == nil && none.1 == 0)
    let running = try reader.select(
      Disc.self, \.number, over: .running(.countDistinct(\.title)), sortBy: [SortDescriptor(\.number)])
    #expect(running.map(\.1) == [1, 2, 2, 2, 2, 2])
    #expect(reader.statistics.modelsFetched == 0)
  }
}
