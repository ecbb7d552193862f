import Foundation
import RoostImport
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

struct JourneyRecord: Encodable {
  var name: String
  var start: Date
}

struct StopRecord: Encodable {
  var place: String
  var journey: String?
}

@Suite struct ComingFromSwiftDataGuideTests {
  @Test func `objects are moved to the last one`() throws {
    let folder = try PageCommands.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (journeyFile, stopFile) = (folder.appending(path: "Journey.jsonl"), folder.appending(path: "Stop.jsonl"))
    let start = Date(timeIntervalSince1970: 1_714_566_600.125)
    do {
      let context = ModelContext(
        try ModelContainer(for: Journey.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
      for number in 0..<500 {
        let journey = Journey(name: "journey \(number), \"ü\"\n", start: start + Double(number) / 7)
        journey.stops = (0..<number % 4).map { Stop("stop \(3 - $0)") }
        context.insert(journey)
      }
      try context.save()
      func write(_ records: some Sequence<some Encodable>, to file: URL) throws {
        var lines = Data()
        for record in records { lines += try JSONEncoder().encode(record) + Data("\n".utf8) }
        try lines.write(to: file)
      }
      let old = try context.fetch(FetchDescriptor<Journey>())
      try write(old.map { JourneyRecord(name: $0.name, start: $0.start) }, to: journeyFile)
      try write(
        old.flatMap { journey in journey.stops.map { StopRecord(place: $0.place, journey: journey.name) } },
        to: stopFile)
    }

    let container = try ModelContainer(
      for: Journey.self, configurations: ModelConfiguration(url: folder.appending(path: "new.roost")))
    try container.importer(for: Journey.self).run(.file(journeyFile))
    let report = try container.importer(for: Stop.self).run(.file(stopFile))
    #expect(report.progress.inserted == 750 && report.faults.isEmpty && report.unresolvedCount == 0)
    let found = try ModelContext(container).fetch(FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.start)]))
    #expect(found.count == 500 && found.last?.name == "journey 499, \"ü\"\n")
    for (number, journey) in found.enumerated() {
      #expect(journey.start == start + Double(number) / 7)
      #expect(journey.stops.map(\.place) == (0..<number % 4).map { "stop \(3 - $0)" })
    }
  }

  @Test func `the same code works the same`() throws {
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
