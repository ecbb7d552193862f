import Foundation
import SwiftData
import Testing

/// Computed columns, keys and values of aggregates, compared with Swift over the models.
@Suite struct ComputedTests {
  private func filled(_ count: Int = 40) throws -> ModelContext {
    let context = ModelContext(
      try ModelContainer(
        for: Label.self, Disc.self, Cut.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let label = Label("Blue", spot: Site(city: "Berlin", zip: Zip(code: 10, area: nil), open: true))
    for number in 0..<count {
      let disc = Disc("\("abc".dropFirst(number % 3).prefix(1))-\(number)", number: number, label: label)
      disc.released = number % 4 == 0 ? nil : Date(timeIntervalSince1970: Double(number) * 40_000_000)
      disc.small = number % 5 == 0 ? nil : Int8(number)
      if number % 7 == 0 { disc.label = nil }
      context.insert(disc)
    }
    try context.save()
    return ModelContext(context.container)
  }

  private let order = [SortDescriptor(\Disc.number)]
  private let half = Computed(#Expression<Disc, Int> { $0.number / 2 })
  private let smallOrZero = Computed(#Expression<Disc, Int8> { $0.small ?? 0 })
  private let letter = Computed(\Disc.title) { String($0.prefix(1)) }
  private let year = Computed(\Disc.released) { $0.map { Int($0.timeIntervalSince1970 / 31_557_600) + 1970 } }
  private let city = Computed(\Disc.label?.spot.city) { $0?.uppercased() ?? "-" }

  @Test func `columns are computed without models`() throws {
    for isChanged in [false, true] {
      let context = try filled()
      if isChanged { context.insert(Disc("z", number: 99)) }
      let rows = try context.select(
        Disc.self, \.number, \.[half], \.[smallOrZero], \.[letter], \.[year], \.[city], sortBy: order)
      let typed: [(Int, Int, Int8, String, Int?, String)] = rows
      // The position of an unsaved model is found by reading some others.
      if !isChanged { #expect(context.statistics.modelsFetched == 0) }
      let discs = try context.fetch(FetchDescriptor(sortBy: order))
      #expect(typed.map(\.1) == discs.map { $0.number / 2 } && typed.map(\.2) == discs.map { $0.small ?? 0 })
      #expect(typed.map(\.3) == discs.map { String($0.title.prefix(1)) })
      #expect(typed.map(\.4) == discs.map { $0[year] } && typed.map(\.5) == discs.map { $0[city] })
      #expect(typed.contains { $0.5 == "BERLIN" } && typed.contains { $0.5 == "-" } && typed.contains { $0.4 == nil })
    }
  }

  @Test func `groups have computed keys and values`() throws {
    for isChanged in [false, true] {
      let context = try filled()
      if isChanged { context.insert(Disc("z", number: 99)) }
      let discs = try context.fetch(FetchDescriptor(sortBy: order))
      let letters = try context.aggregate(Disc.self, .count, .sum(\.[half]), .max(\.[smallOrZero]), by: \.[letter])
      let expected = Dictionary(grouping: discs) { $0.title.prefix(1) }
      #expect(letters.map(\.key) == expected.keys.map(String.init).sorted())
      for group in letters {
        let own = try #require(expected[Substring(group.key)])
        #expect(group.values.0 == own.count && group.values.1 == own.reduce(0) { $0 + $1.number / 2 })
        #expect(group.values.2 == own.map { $0.small ?? 0 }.max())
      }
      let years = try context.aggregate(Disc.self, .count, by: \.[year], \.[half], having: { $0.values > 1 })
      let pairs = Dictionary(grouping: discs) { [$0[year], $0.number / 2] }.filter { $0.value.count > 1 }
      #expect(years.count == pairs.count && years.first?.key.0 == nil)
      let halves = try context.aggregate(Disc.self, .average(\.[half]), .min(\.[letter]), by: \.isNew)
      let average = Double(discs.reduce(0) { $0 + $1.number / 2 }) / Double(discs.count)
      #expect(halves.first?.values.0 == average && halves.first?.values.1 == "a")
      #expect(
        try context.selectDistinct(Disc.self, \.[letter]) == (isChanged ? ["a", "b", "c", "z"] : ["a", "b", "c"]))
      #expect(try context.aggregate(Disc.self, .countDistinct(\.[half])) == Set(discs.map { $0.number / 2 }).count)
    }
  }

  @Test func `the engine groups by an expression, and a closure needs no models`() throws {
    let context = try filled()
    let byHalf = try context.explain { try $0.aggregate(Disc.self, .count, .sum(\.[smallOrZero]), by: \.[half]) }
    #expect(byHalf.grouping == .rows && !byHalf.makesModels && byHalf.selected.count == 2, "\(byHalf)")
    #expect(byHalf.selected.first?.contains("number / 2") == true, "\(byHalf.selected)")
    let byLetter = try context.explain { try $0.aggregate(Disc.self, .count, by: \.[letter]) }
    #expect(byLetter.grouping == .memory && !byLetter.makesModels && byLetter.selected == ["a value of title"])
    #expect(context.statistics.modelsFetched == 0)
  }

  @Test func `joins, windows and conditions accept computed values`() throws {
    let context = try filled(6)
    let code = Computed(\Label.spot.zip.code) { $0 / 5 }
    let joined = try context.select(
      Disc.self, \.number, joining: .inner(Label.self, on: .equal(\.[half], \.[code]), select: \.name), sortBy: order)
    #expect(joined.map(\.0) == [4, 5])
    let ranges = try context.select(
      Disc.self, \.number, matching: [.exists(Label.self, on: .atLeast(\.[half], \.[code]))], sortBy: order)
    #expect(ranges == [4, 5])
    let ranks = try context.select(Disc.self, \.number, over: .position(per: \.[letter]), sortBy: order)
    #expect(ranks.map(\.1) == [1, 1, 1, 2, 2, 2])
    let totals = try context.select(Disc.self, \.number, over: .running(.sum(\.[half])), sortBy: order)
    #expect(totals.map(\.1) == [0, 0, 1, 2, 4, 6])
  }

  @Test func `a value that cannot be computed is an error`() throws {
    let context = try filled(3)
    let tooLarge = Computed(#Expression<Disc, Int> { $0.number + Int.max })
    for isChanged in [false, true] {
      if isChanged { context.insert(Disc("z", number: 5)) }
      let error = #expect(throws: RoostError.self) { try context.select(Disc.self, \.[tooLarge]) }
      #expect(error?.code == .badCondition, "\(String(describing: error))")
      #expect(throws: RoostError.self) { try context.aggregate(Disc.self, .sum(\.[tooLarge])) }
      #expect(throws: RoostError.self) { try context.aggregate(Disc.self, .count, by: \.[tooLarge]) }
    }
    let code = Computed(\Label.spot.zip.code) { $0 / 5 }
    let inside = #expect(throws: SwiftDataError.self) { try context.select(Disc.self, \.label?[code]) }
    #expect("\(String(describing: inside))".contains("of the whole path"))
    #expect(throws: SwiftDataError.self) { try context.aggregate(Disc.self, .count, by: \.label?[code]) }
    let sorted = #expect(throws: SwiftDataError.self) {
      try context.select(Disc.self, \.number, sortBy: [SortDescriptor(\Disc.[half])])
    }
    #expect("\(String(describing: sorted))".contains("cannot be sorted by"))
  }

  @Test func `a computed value is released with its last key path`() throws {
    weak var weak: Computed<Disc, Int>?
    do {
      let made = Computed(\Disc.number) { $0 + 1 }
      weak = made
      #expect(try filled(2).select(Disc.self, \.[made], sortBy: order) == [1, 2])
    }
    #expect(weak == nil)
  }
}
