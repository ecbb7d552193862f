import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// Ranks, positions and running totals, compared with Swift over arrays.
@Suite struct WindowTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Label.self, Disc.self, Cut.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test func `rows have ranks, positions and totals`() throws {
    let context = ModelContext(try container())
    let label = Label("Blue", spot: Site(city: "Berlin", zip: Zip(code: 10, area: nil), open: true))
    for (number, title) in ["d", "c", "b", "a"].enumerated() {
      let disc = Disc(title, number: [3, 1, 3, 2][number], label: number < 2 ? label : nil)
      (disc.price, disc.length, disc.small) = (Decimal(number) / 8, Double(number) / 4, number == 1 ? nil : 5)
      context.insert(disc)
    }
    let order = [SortDescriptor(\Disc.number), SortDescriptor(\.title)]
    let byNumber = [SortDescriptor(\Disc.number, order: .reverse)]
    for isStored in [false, true] {
      if isStored { try context.save() }
      let reader = isStored ? ModelContext(context.container) : context
      let positions: [(String, Int)] = try reader.select(Disc.self, \.title, over: .position(), sortBy: order)
      #expect(positions.map { "\($0.0)\($0.1)" } == ["c1", "a2", "b3", "d4"])
      let ranks = try reader.select(Disc.self, \.number, over: .rank(), sortBy: byNumber)
      #expect(ranks.map { "\($0.0) \($0.1)" } == ["3 1", "3 1", "2 3", "1 4"])
      let own = try reader.select(Disc.self, \.title, over: .position(per: \.label?.name), sortBy: order)
      #expect(own.map { "\($0.0)\($0.1)" } == ["c1", "a1", "b2", "d2"])
      let best = try reader.select(Disc.self, \.title, over: .position(per: \.label?.name), atMost: 1, sortBy: order)
      #expect(best.map(\.0) == ["c", "a"])
      let totals: [(String, Decimal)] = try reader.select(
        Disc.self, \.title, over: .running(.sum(\.price)), sortBy: order)
      #expect(totals.map(\.1) == [0.125, 0.5, 0.75, 0.75])
      let lengths = try reader.select(
        Disc.self, \.title, over: .running(.average(\.length), per: \.label?.name), sortBy: order)
      #expect(lengths.map(\.1) == [0.25, 0.75, 0.625, 0.125])
      let counts = try reader.select(Disc.self, \.title, over: .running(.count), sortBy: order)
      #expect(counts.map(\.1) == [1, 2, 3, 4])
      let known = try reader.select(Disc.self, \.title, over: .running(.count(\.small)), sortBy: order)
      #expect(known.map(\.1) == [0, 1, 2, 3])
      let largest: [(String, String?)] = try reader.select(
        Disc.self, \.title, over: .running(.max(\.title)), sortBy: order, offset: 1, limit: 2)
      #expect(largest.map(\.1) == ["c", "c"])
      if isStored { #expect(reader.statistics.modelsFetched == 0) }
    }
    #expect(throws: RoostError.self) { _ = try context.select(Disc.self, \.title, over: .rank(), sortBy: []) }
    #expect(throws: RoostError.self) {
      _ = try context.select(Disc.self, \.title, over: .rank(), atMost: 0, sortBy: order)
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>) func `windows equal what Swift computes`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func below(_ bound: UInt64) -> Int { Int(random.next() % bound) }
    let context = ModelContext(try container())
    func fill(_ disc: Disc) {
      disc.number = below(6)
      disc.title = ["a", "é", "e\u{301}", "Z"][below(4)]
      disc.length = [0, -0.0, 1, .nan, 3][below(5)]
      disc.mood = Feeling.allCases[below(3)]
      disc.small = below(3) == 0 ? nil : Int8(below(9))
    }
    for _ in 0..<80 {
      let disc = Disc("", number: 0)
      fill(disc)
      context.insert(disc)
    }
    try context.save()
    for round in 0..<6 {
      let least = below(4)
      let descriptor = FetchDescriptor<Disc>(
        predicate: #Predicate { $0.number >= least },
        sortBy: below(2) == 0 ? [SortDescriptor(\.number), SortDescriptor(\.title)] : [SortDescriptor(\.length)])
      let discs = try context.fetch(descriptor)
      let isByNumber = descriptor.sortBy.count == 2
      func isTied(_ one: Disc, _ other: Disc) -> Bool {
        if isByNumber { return one.number == other.number && one.title == other.title }
        return one.length == other.length || one.length.isNaN && other.length.isNaN
      }
      var (ranks, totals): ([String], [String]) = ([], [])
      var groups: [Feeling: (count: Int, rank: Int, last: Disc, total: Int)] = [:]
      for disc in discs {
        var group = groups[disc.mood] ?? (0, 0, disc, 0)
        group.count += 1
        if group.count == 1 || !isTied(group.last, disc) { group.rank = group.count }
        group.last = disc
        group.total += Int(disc.small ?? 0)
        groups[disc.mood] = group
        if group.count <= 5 { ranks.append("\(disc.key) \(group.rank)") }
        totals.append("\(disc.key) \(group.total)")
      }
      let place: Comment = "seed \(seed), round \(round)"
      let foundRanks = try context.select(
        Disc.self, \.key, over: .rank(per: \.mood), atMost: 5, where: descriptor.predicate, sortBy: descriptor.sortBy)
      #expect(foundRanks.map { "\($0.0) \($0.1)" } == ranks, place)
      let foundTotals = try context.select(
        Disc.self, \.key, over: .running(.sum(\.small), per: \.mood), where: descriptor.predicate,
        sortBy: descriptor.sortBy)
      #expect(foundTotals.map { "\($0.0) \($0.1)" } == totals, place)
      if below(3) == 0 { try context.save() } else { for disc in discs.prefix(3) { fill(disc) } }
    }
  }
}
