import Foundation
import SwiftData
import Testing

@Model final class Journey {
  @Attribute(.unique) var name: String
  var start: Date
  @Relationship(deleteRule: .cascade, inverse: \Stop.journey) var stops: [Stop] = []

  init(name: String, start: Date) {
    self.name = name
    self.start = start
  }
}

@Model final class Stop {
  var place: String
  var journey: Journey?

  init(_ place: String) { self.place = place }
}

@Suite struct ComingFromSwiftDataGuideTests {
  @Test func `what is written alike works alike`() throws {
    let context = ModelContext(
      try ModelContainer(for: Journey.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let now = Date(timeIntervalSince1970: 1_000_000)
    let names = ["a", "b", "c"]
    try context.insert(batch: names.lazy.map { Journey(name: $0, start: now) })

    let north = Journey(name: "North", start: now + 60)
    north.stops = [Stop("Bergen"), Stop("Oslo")]
    context.insert(north)
    try context.save()
    let soon = FetchDescriptor<Journey>(
      predicate: #Predicate { $0.start > now && $0.stops.contains { $0.place == "Oslo" } },
      sortBy: [SortDescriptor(\.start)])
    let journeys = try context.fetch(soon)
    #expect(journeys.map(\.name) == ["North"])

    let (count, first) = try context.aggregate(Journey.self, .count, .min(\.start))
    #expect(count == 4 && first == now)
  }
}
