import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// Values of models without the models, compared with Swift over the models.
@Suite struct SelectTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Label.self, Disc.self, Cut.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func filled() throws -> ModelContext {
    let context = ModelContext(try container())
    let label = Label("Blue", spot: Site(city: "Berlin", zip: Zip(code: 10, area: nil), open: true))
    label.branch = Site(city: "Bonn", zip: Zip(code: 20, area: "A"), open: false)
    let other = Label("Verve", spot: Site(city: "Paris", zip: Zip(code: 30, area: "B"), open: true))
    for (number, owner) in [label, other, nil].enumerated() {
      let disc = Disc("disc \(number)", number: number, label: owner)
      (disc.mood, disc.level) = (Feeling.allCases[number], .middle)
      disc.price = Decimal(number) / 8
      disc.weight = number == 0 ? nil : Float(number)
      context.insert(disc)
      context.insert(Cut("cut \(number)", seconds: number, disc: disc))
    }
    try context.save()
    return ModelContext(context.container)
  }

  @Test func `values of all kinds are read from rows`() throws {
    let context = try filled()
    let order = [SortDescriptor(\Disc.number, order: .reverse)]
    let titles: [String] = try context.select(Disc.self, \.title, sortBy: order)
    #expect(titles == ["disc 2", "disc 1", "disc 0"])
    let rows = try context.select(
      Disc.self, \.title, \.number, \.weight, \.price, \.mood, \.mood.rawValue, \.otherMood, \.level, sortBy: order)
    let typed: [(String, Int, Float?, Decimal, Feeling, String, Feeling?, Level)] = rows
    #expect(typed.map(\.0) == titles && typed.map(\.1) == [2, 1, 0] && typed.map(\.2) == [2, 1, nil])
    #expect(typed.map(\.3) == [0.25, 0.125, 0] && typed.map(\.4) == [.sad, .angry, .calm])
    #expect(typed.map(\.5) == ["sad", "angry", "calm"] && typed.map(\.6) == [nil, nil, nil])
    #expect(typed.map(\.7) == [.middle, .middle, .middle])
    let joined = try context.select(
      Disc.self, \.label?.name, \.label?.spot.city, \.label?.branch?.zip.area, \.label?.persistentModelID,
      \.persistentModelID, sortBy: order)
    #expect(joined.map(\.0) == [nil, "Verve", "Blue"] && joined.map(\.1) == [nil, "Paris", "Berlin"])
    #expect(joined.map(\.2) == [nil, nil, "A"])
    #expect(
      try context.select(Cut.self, \.disc.label?.spot.zip.code, sortBy: [SortDescriptor(\.seconds)]) == [10, 30, nil])
    // No models were made.
    #expect(context.statistics.modelsFetched == 0 && context.statistics.faultsFilled == 0)
    let discs = try context.fetch(FetchDescriptor(sortBy: order))
    #expect(joined.map(\.3) == discs.map { $0.label?.persistentModelID })
    #expect(joined.map(\.4) == discs.map(\.persistentModelID))
  }

  @Test func `values that are not stored are read from models`() throws {
    let context = try filled()
    let order = [SortDescriptor(\Label.name)]
    let rows = try context.select(Label.self, \.name, \.spot, \.branch, \.spot.capital, sortBy: order)
    #expect(rows.map(\.0) == ["Blue", "Verve"] && rows.map(\.1.city) == ["Berlin", "Paris"])
    #expect(rows.map(\.2?.city) == ["Bonn", nil] && rows.map(\.3) == ["BERLIN", "PARIS"])
    #expect(
      try context.select(Disc.self, \.shout, sortBy: [SortDescriptor(\.number)]) == ["DISC 0", "DISC 1", "DISC 2"])
    #expect(try context.select(Disc.self, \.alias, \.title.count, limit: 1).map(\.1) == [6])
  }

  @Test func `a range of rows is selected`() throws {
    let context = try filled()
    let order = [SortDescriptor(\Disc.number)]
    func titles(_ offset: Int, _ limit: Int?) throws -> [Int] {
      try context.select(Disc.self, \.number, sortBy: order, offset: offset, limit: limit)
    }
    for isChanged in [false, true] {
      if isChanged { context.insert(Disc("new", number: 3)) }
      let all = isChanged ? [0, 1, 2, 3] : [0, 1, 2]
      #expect(try titles(0, nil) == all && titles(1, 2) == [1, 2] && titles(2, .max) == Array(all.dropFirst(2)))
      #expect(try titles(0, 0).isEmpty && titles(9, 1).isEmpty && titles(.max, nil).isEmpty)
      let error = #expect(throws: RoostError.self) { try titles(-1, nil) }
      #expect(error?.code == .badValue)
      #expect(throws: RoostError.self) { try titles(0, -1) }
    }
    let error = #expect(throws: SwiftDataError.self) { _ = try context.select(Disc.self, \.label!.name) }
    #expect(error == .unsupportedKeyPath)
  }

  @Test func `a value that would trap at nil is refused, even before a computed one`() throws {
    let context = try filled()
    let error = #expect(throws: SwiftDataError.self) { _ = try context.select(Disc.self, \.label!.name.count) }
    #expect(error == .unsupportedKeyPath)
    #expect(throws: SwiftDataError.self) { _ = try context.selectDistinct(Disc.self, \.label!.discs.count) }
    #expect(throws: SwiftDataError.self) { _ = try context.maximum(of: \Disc.label!.name.count) }
  }

  @Test func `stored values are not mixed with unsaved ones`() throws {
    let context = try filled()
    let disc = try #require(try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Disc.number)])).first)
    (disc.title, disc.number) = ("changed", 9)
    #expect(
      try context.select(Disc.self, \.title, includePendingChanges: false).sorted() == ["disc 0", "disc 1", "disc 2"])
    let error = #expect(throws: RoostError.self) {
      _ = try context.select(Disc.self, \.number, \.shout, includePendingChanges: false)
    }
    #expect(error?.code == .pendingChanges)
    #expect(throws: RoostError.self) {
      _ = try context.aggregate(Disc.self, includePendingChanges: false, .count, by: \.shout)
    }
  }

  @Test func `each combination is selected once`() throws {
    let context = try filled()
    for (number, title) in ["e\u{301}", "é", "é", "b"].enumerated() {
      context.insert(Disc(title, number: 7, label: nil))
      if number == 2 { try context.save() }
    }
    let wanted = #Predicate<Disc> { $0.number == 7 }
    #expect(try context.selectDistinct(Disc.self, \.title, where: wanted) == ["b", "é"])
    let pairs = try context.selectDistinct(Disc.self, \.number, \.label?.name)
    #expect(pairs.map(\.0) == [0, 1, 2, 7] && pairs.map(\.1) == ["Blue", "Verve", nil, nil])
    #expect(try context.selectDistinct(Disc.self, \.number, limit: 1) == [0])
  }

  @Test func `selected rows are sendable to other actors`() async throws {
    let container = try filled().container
    let rows = try await Task.detached {
      try ModelContext(container).select(Disc.self, \.title, \.label?.name, sortBy: [SortDescriptor(\.title)])
    }.value
    #expect(rows.map(\.1) == ["Blue", "Verve", nil])
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>) func `selections equal what Swift selects`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func below(_ bound: UInt64) -> Int { Int(random.next() % bound) }
    let context = ModelContext(try container())
    var labels = (0..<4).map { number in
      Label("l\(number)", spot: Site(city: "c\(number % 2)", zip: Zip(code: number, area: nil), open: true))
    }
    for label in labels { context.insert(label) }
    var discs: [Disc] = []
    func fill(_ disc: Disc) {
      disc.number = below(20) - 10
      disc.title = ["a", "b", "é", "e\u{301}", "Z", String(repeating: "long ", count: below(900))][below(6)]
      disc.small = below(4) == 0 ? nil : Int8(truncatingIfNeeded: random.next())
      disc.price = Decimal(below(100)) / 8
      disc.weight = below(4) == 0 ? nil : [0, -0.0, 1.5, .infinity][below(4)]
      disc.released = below(3) == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(below(9)))
      disc.mood = Feeling.allCases[below(3)]
      disc.otherMood = below(2) == 0 ? nil : .sad
      disc.isLive = [nil, true, false][below(3)]
      disc.label = below(4) == 0 ? nil : labels[below(UInt64(labels.count))]
    }
    func insert() {
      let disc = Disc("", number: 0)
      context.insert(disc)
      fill(disc)
      discs.append(disc)
    }
    for _ in 0..<60 { insert() }
    try context.save()
    for round in 0..<8 {
      let least = below(20) - 10
      let orders: [[SortDescriptor<Disc>]] = [
        [SortDescriptor(\.number), SortDescriptor(\.key)],
        [SortDescriptor(\.label?.name, order: .reverse), SortDescriptor(\.key)],
        [SortDescriptor(\.title), SortDescriptor(\.key)],
        [SortDescriptor(\.mood.rawValue), SortDescriptor(\.key, order: .reverse)],
      ]
      var descriptor = FetchDescriptor(predicate: #Predicate { $0.number >= least }, sortBy: orders[below(4)])
      descriptor.fetchOffset = below(2) == 0 ? 0 : below(10)
      descriptor.fetchLimit = below(2) == 0 ? nil : 1 + below(20)
      if below(4) == 0 { descriptor.predicate = #Predicate { $0.label?.spot.city == "c1" } }
      let expected = try context.fetch(descriptor).map { disc in
        "\(disc.key) \(disc.title) \(disc.number) \(String(describing: disc.small)) \(disc.price) \(String(describing: disc.weight)) "
          + "\(String(describing: disc.released)) \(disc.mood) \(String(describing: disc.otherMood)) \(String(describing: disc.isLive)) "
          + "\(String(describing: disc.label?.name)) \(String(describing: disc.label?.spot.zip.code))"
      }
      let found = try context.select(
        Disc.self, \.key, \.title, \.number, \.small, \.price, \.weight, \.released, \.mood, \.otherMood, \.isLive,
        \.label?.name, \.label?.spot.zip.code, where: descriptor.predicate, sortBy: descriptor.sortBy,
        offset: descriptor.fetchOffset ?? 0, limit: descriptor.fetchLimit
      ).map {
        "\($0.0) \($0.1) \($0.2) \(String(describing: $0.3)) \($0.4) \(String(describing: $0.5)) "
          + "\(String(describing: $0.6)) \($0.7) \(String(describing: $0.8)) \(String(describing: $0.9)) "
          + "\(String(describing: $0.10)) \(String(describing: $0.11))"
      }
      #expect(found == expected, "seed \(seed), round \(round)")
      switch below(6) {
      case 0: try context.save()
      case 1: context.rollback()
      case 2: labels[below(4)].name = "renamed \(seed) \(round)"
      case 3: insert()
      case 4:
        try context.save()
        context.delete(discs.remove(at: below(UInt64(discs.count))))
      default: for _ in 0..<5 { fill(discs[below(UInt64(discs.count))]) }
      }
      discs = try context.fetch(FetchDescriptor())
      labels = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.name)]))
    }
  }
}
