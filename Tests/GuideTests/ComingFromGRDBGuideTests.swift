import Foundation
import SwiftData
import Testing

@Model final class Gamer {
  #Index<Gamer>([\.score])
  @Attribute(.unique) var name: String
  var score: Int
  var team: Team?

  init(_ name: String, score: Int) {
    self.name = name
    self.score = score
  }
}

@Model final class Team {
  var name: String
  @Relationship(inverse: \Gamer.team) var gamers: [Gamer] = []

  init(_ name: String) { self.name = name }
}

@Suite struct ComingFromGRDBGuideTests {
  @Test func `queries, groups and updates`() throws {
    let container = try ModelContainer(for: Team.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let reds = Team("Reds")
    reds.gamers = [Gamer("a", score: 9), Gamer("b", score: 10), Gamer("c", score: 20)]
    context.insert(reds)
    context.insert(Gamer("d", score: 30))
    try context.save()

    var best = FetchDescriptor<Gamer>(
      predicate: #Predicate { $0.score >= 10 }, sortBy: [SortDescriptor(\.score, order: .reverse)])
    best.fetchLimit = 3
    let winners = try context.fetch(best)
    #expect(winners.map(\.name) == ["d", "c", "b"])

    let values = try container.fetchSnapshots(best)
    #expect(values.map { $0[\.score] } == [30, 20, 10])

    let groups = try context.aggregate(
      Gamer.self, .count, .average(\.score), by: \.team?.name, having: { $0.values.0 > 1 })
    #expect(groups.map(\.key) == ["Reds"] && groups.first?.values.1 == 13)

    try context.update(model: Gamer.self, where: #Predicate { $0.score < 10 }) { $0.score += 1 }
    #expect(try context.fetchCount(best) == 3)
    #expect(reds.gamers.map(\.score) == [10, 10, 20])
  }
}
