import Foundation
import SwiftData
import Testing

@Model final class Reading {
  #Index<Reading>([\.place, \.time])
  var place: String
  var time: Date
  var degrees: Double

  init(place: String, time: Date, degrees: Double) {
    self.place = place
    self.time = time
    self.degrees = degrees
  }
}

@Suite struct PerformanceGuideTests {
  private let context: ModelContext
  private static let start = Date(timeIntervalSinceReferenceDate: 0)

  init() throws {
    context = ModelContext(
      try ModelContainer(for: Reading.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for number in 0..<1000 {
      context.insert(
        Reading(
          place: ["attic", "cellar"][number % 2], time: Self.start + Double(number), degrees: Double(number % 30)))
    }
    try context.save()
  }

  @Test func `an index that also has the order`() throws {
    var latest = FetchDescriptor<Reading>(
      predicate: #Predicate { $0.place == "attic" }, sortBy: [SortDescriptor(\.time, order: .reverse)])
    latest.fetchLimit = 10
    let explanation = try context.explain(latest)
    #expect(explanation.rowsRead == 10)
    #expect(explanation.sorting == .index)
  }

  @Test func `counting makes no models`() throws {
    let fresh = ModelContext(context.container)
    let count = try fresh.fetchCount(FetchDescriptor<Reading>(predicate: #Predicate { $0.place == "attic" }))
    let warmest = try fresh.maximum(of: \Reading.degrees)
    #expect(fresh.statistics.modelsFetched == 0)
    #expect(count == 500 && warmest == 29)
  }

  @Test func `a large import is saved in parts`() throws {
    let start = Self.start
    for number in 0..<2_000 {
      context.insert(Reading(place: "roof", time: start + Double(number), degrees: 20))
      if number % 1_000 == 999 { try context.save() }
    }
    #expect(try context.fetchCount(FetchDescriptor<Reading>(predicate: #Predicate { $0.place == "roof" })) == 2_000)
  }

  @Test func `a loop that reads one by one is found`() throws {
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Reading>())
    let strict = ModelContext(context.container)
    strict.isStrict = true
    var sum = 0.0
    for identifier in identifiers.prefix(20) {
      if let reading = strict.model(for: identifier) as? Reading { sum += reading.degrees }
    }
    #expect(sum == 190)
    #expect(throws: RoostError.self) { try strict.fetchCount(FetchDescriptor<Reading>()) }
  }
}
