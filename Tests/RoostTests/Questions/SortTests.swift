import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// Models sorted by the value of any key path.
@Suite struct SortTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Label.self, Disc.self, Cut.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  /// Whether the engine sorts, according to the explanation.
  private func isEngines(_ context: ModelContext, _ sort: SortDescriptor<Disc>) throws -> Bool {
    try !"\(context.explain(FetchDescriptor<Disc>(sortBy: [sort])))".contains("sorted in memory")
  }

  @Test func `a key path is recognized by its components`() throws {
    let context = ModelContext(try container())
    func check(_ sort: SortDescriptor<Disc>, _ expected: Bool = true, _ place: SourceLocation = #_sourceLocation) throws
    {
      #expect(try isEngines(context, sort) == expected, sourceLocation: place)
    }
    try check(SortDescriptor(\.title))
    try check(SortDescriptor(\.isNew))
    try check(SortDescriptor(\.isLive))
    try check(SortDescriptor(\.mood))
    try check(SortDescriptor(\.otherMood))
    try check(SortDescriptor(\.mood.rawValue))
    try check(SortDescriptor(\.otherMood?.rawValue))
    try check(SortDescriptor(\.level))
    try check(SortDescriptor(\.price))
    try check(SortDescriptor(\.label?.name))
    try check(SortDescriptor(\.label?.isOpen))
    try check(SortDescriptor(\.label?.spot.city))
    try check(SortDescriptor(\.label?.spot.zip.code))
    try check(SortDescriptor(\.label?.spot.zip.area))
    try check(SortDescriptor(\.label?.branch?.city))
    try check(SortDescriptor(\.label?.branch?.open))
    try check(SortDescriptor(\.label?.id))
    try check(SortDescriptor(\.label?.persistentModelID))
    try check(SortDescriptor(\.persistentModelID))
    try check(SortDescriptor(\.title, comparator: .localizedStandard))
    try check(SortDescriptor(\.title, comparator: .localized))
    try check(SortDescriptor(\.title, comparator: .lexical))
    try check(SortDescriptor(\.label?.name, comparator: .localizedStandard))
    // Properties that only look like stored ones.
    try check(SortDescriptor(\.shout), false)
    try check(SortDescriptor(\.alias), false)
    try check(SortDescriptor(\.title.count), false)
    try check(SortDescriptor(\.label?.spot.capital), false)
    try check(SortDescriptor(\.label?.name.count), false)
    // No user code runs to classify a key path.
    try check(SortDescriptor(\.firstCut), false)
    let songs = FetchDescriptor<Cut>(sortBy: [SortDescriptor(\.disc.label?.spot.city), SortDescriptor(\.disc.title)])
    #expect(try !"\(context.explain(songs))".contains("sorted in memory"))
  }

  @Test func `a key path that would trap is refused`() throws {
    let context = ModelContext(try container())
    context.insert(Disc("a", number: 1))
    context.insert(Disc("b", number: 2))
    #expect {
      try context.fetch(FetchDescriptor<Disc>(sortBy: [SortDescriptor(\.label!.name)]))
    } throws: { error in
      SwiftDataError.unsupportedSortDescriptor ~= error && "\(error)".contains("write ?. instead of !.")
    }
  }

  @Test func `localized text orders`() throws {
    let names = ["a10", "A2", "a2", "Ä1", "b", "", "a02", "é", "e", "f", "Z", "z\u{0}1", "z", "file 12", "file 2", "١"]
    let context = ModelContext(try container())
    for (number, name) in names.enumerated() { context.insert(Disc(name, number: number)) }
    try context.save()
    func check(_ sort: SortDescriptor<Disc>, _ expected: [String]) throws {
      let stored = try context.fetch(FetchDescriptor<Disc>(sortBy: [sort])).map(\.title)
      #expect(stored == expected)
      #expect(try context.fetch(FetchDescriptor<Disc>()).sorted(using: sort).map(\.title) == expected)
    }
    let standard = [
      "", "Ä1", "a02", "a2", "A2", "a10", "b", "e", "é", "f", "file 2", "file 12", "z", "Z", "z\u{0}1", "١",
    ]
    try check(SortDescriptor(\.title, comparator: .localizedStandard), standard)
    try check(SortDescriptor(\.title, comparator: .localizedStandard, order: .reverse), standard.reversed())
    #expect(names.sorted(using: .localizedStandard) == standard)
    try check(SortDescriptor(\.title, comparator: .localized), names.sorted(using: .localized))
    #expect(["a10", "a2", "B", "a"].sorted(using: .localized) == ["a", "a10", "a2", "B"])
    let comparator = String.StandardComparator.localizedStandard
    #expect(comparator.compare("a2", "a10") == .orderedAscending)
    #expect(try JSONDecoder().decode(LocalizedComparator.self, from: JSONEncoder().encode(comparator)) == comparator)
  }

  // MARK: By seed

  /// Values of each type from a small set, so that many are equal.
  private func fill(_ disc: Disc, _ random: inout SplitMix64, _ labels: [Label]) {
    let titles = ["a", "b10", "b9", "é", "e\u{301}", "", "Zebra", "zebra", String(repeating: "x", count: 600)]
    disc.title = titles[Int(random.next() % 9)]
    disc.number = Int(random.next() % 7) - 3
    disc.small = random.next() % 3 == 0 ? nil : Int8(truncatingIfNeeded: random.next())
    disc.price = Decimal(Int(random.next() % 9)) / 4
    disc.weight = random.next() % 4 == 0 ? nil : [0, -0.0, .nan, 1.5, -.infinity][Int(random.next() % 5)]
    disc.length = [0, -0.0, .nan, 2.5, -7, .infinity][Int(random.next() % 6)]
    disc.released = random.next() % 3 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(random.next() % 5))
    disc.key = UUID(uuidString: "0000000\(random.next() % 4)-8000-0000-0000-000000000000")!
    disc.isLive = [nil, true, false][Int(random.next() % 3)]
    disc.isNew = random.next() % 2 == 0
    disc.mood = Feeling.allCases[Int(random.next() % 3)]
    disc.otherMood = random.next() % 3 == 0 ? nil : Feeling.allCases[Int(random.next() % 3)]
    disc.level = [.low, .middle, .high][Int(random.next() % 3)]
    disc.label = random.next() % 4 == 0 ? nil : labels[Int(random.next() % UInt64(labels.count))]
  }

  private static var sorts: [(String, SortDescriptor<Disc>, (Disc, Disc) -> Int)] {
    func by<Value: Comparable>(_ value: @escaping (Disc) -> Value?) -> (Disc, Disc) -> Int {
      { one, other in
        switch (value(one), value(other)) {
        case (nil, nil): 0
        case (nil, _): -1
        case (_, nil): 1
        case (let one?, let other?): one < other ? -1 : one == other ? 0 : other < one ? 1 : order(one, other)
        }
      }
    }
    // NaN comes last.
    func order<Value>(_ one: Value, _ other: Value) -> Int {
      func isNaN(_ value: Value) -> Int {
        (value as? Double)?.isNaN == true || (value as? Float)?.isNaN == true ? 1 : 0
      }
      return isNaN(one) - isNaN(other)
    }
    return [
      ("title", SortDescriptor(\.title), by { $0.title }), ("number", SortDescriptor(\.number), by { $0.number }),
      ("small", SortDescriptor(\.small), by { $0.small }), ("price", SortDescriptor(\.price), by { $0.price }),
      ("weight", SortDescriptor(\.weight), by { $0.weight }), ("length", SortDescriptor(\.length), by { $0.length }),
      ("released", SortDescriptor(\.released), by { $0.released }), ("key", SortDescriptor(\.key), by { $0.key }),
      ("isLive", SortDescriptor(\.isLive), by { $0.isLive.map { $0 ? 1 : 0 } }),
      ("isNew", SortDescriptor(\.isNew), by { $0.isNew ? 1 : 0 }),
      ("mood", SortDescriptor(\.mood), by { $0.mood.rawValue }),
      ("otherMood", SortDescriptor(\.otherMood), by { $0.otherMood?.rawValue }),
      ("level", SortDescriptor(\.level), by { $0.level.rawValue }),
      ("label.name", SortDescriptor(\.label?.name), by { $0.label?.name }),
      ("label.rating", SortDescriptor(\.label?.rating), by { $0.label?.rating }),
      ("label.isOpen", SortDescriptor(\.label?.isOpen), by { ($0.label?.isOpen).map { $0 ? 1 : 0 } }),
      ("label.city", SortDescriptor(\.label?.spot.city), by { $0.label?.spot.city }),
      ("label.area", SortDescriptor(\.label?.spot.zip.area), by { $0.label?.spot.zip.area }),
      ("label.branch", SortDescriptor(\.label?.branch?.zip.code), by { $0.label?.branch?.zip.code }),
      ("label", SortDescriptor(\.label?.persistentModelID), by { $0.label?.persistentModelID }),
      ("shout", SortDescriptor(\.shout), by { $0.shout }),
    ]
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>) func `the order is Swift's, saved or unsaved`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let context = ModelContext(try container())
    let labels = (0..<6).map { number in
      let spot = Site(
        city: ["Rome", "Oslo", ""][number % 3], zip: Zip(code: number % 2, area: number % 3 == 0 ? nil : "n"),
        open: true)
      let label = Label("label \(5 - number)", spot: spot, rating: [1, .nan, -1][number % 3], isOpen: number % 2 == 0)
      label.branch = number % 2 == 0 ? nil : spot
      return label
    }
    for label in labels { context.insert(label) }
    var discs: [Disc] = []
    for _ in 0..<60 {
      let disc = Disc("", number: 0)
      fill(disc, &random, labels)
      context.insert(disc)
      discs.append(disc)
    }
    try context.save()
    try checkAll(context, discs, &random, "stored")
    for _ in 0..<10 { fill(discs[Int(random.next() % 60)], &random, labels) }
    let late = Disc("late", number: 1, label: labels[0])
    context.insert(late)
    context.delete(discs.removeFirst())
    try checkAll(context, discs + [late], &random, "waiting")
    labels[2].name = "a name that waits"
    labels[3].spot.city = "Aarhus"
    try checkAll(context, discs + [late], &random, "labels wait")
    try context.save()
    try checkAll(context, discs + [late], &random, "saved")
  }

  private func checkAll(
    _ context: ModelContext, _ discs: [Disc], _ random: inout SplitMix64, _ when: String
  ) throws {
    let sorts = Self.sorts
    for round in 0..<40 {
      var chosen = [sorts[round % sorts.count]]
      while random.next() % 2 == 0, chosen.count < 3 { chosen.append(sorts[Int(random.next() % UInt64(sorts.count))]) }
      let flipped = chosen.map { _ in random.next() % 2 == 0 }
      let expected = discs.sorted { one, other in
        for (rule, isFlipped) in zip(chosen, flipped) {
          let result = rule.2(one, other)
          if result != 0 { return (result < 0) != isFlipped }
        }
        let isLess = one.persistentModelID < other.persistentModelID
        return isLess != flipped[0]
      }
      var descriptor = FetchDescriptor<Disc>(
        sortBy: zip(chosen, flipped).map { rule, isFlipped in
          var descriptor = rule.1
          descriptor.order = isFlipped ? .reverse : .forward
          return descriptor
        })
      descriptor.fetchOffset = Int(random.next() % 5)
      descriptor.fetchLimit = random.next() % 2 == 0 ? nil : 1 + Int(random.next() % 50)
      let wanted = expected.dropFirst(descriptor.fetchOffset ?? 0).prefix(descriptor.fetchLimit ?? .max)
      let found = try context.fetch(descriptor)
      let names = zip(chosen, flipped).map { $0.0 + ($1 ? " reverse" : "") }
      let isSame = found.map(\.persistentModelID) == wanted.map(\.persistentModelID)
      #expect(isSame, "\(when), round \(round), by \(names)")
      let isSameByIdentifier = try context.fetchIdentifiers(descriptor) == wanted.map(\.persistentModelID)
      #expect(isSameByIdentifier, "\(when), by \(names)")
    }
  }
}
