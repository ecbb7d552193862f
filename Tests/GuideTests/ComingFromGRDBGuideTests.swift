import Foundation
import RoostImport
import SwiftData
import Testing

@Model final class Gamer {
  #Index<Gamer>([\.score])
  @Attribute(.unique) var name: String
  var score: Int
  var joined: Date?
  var photo: Data?
  var team: Team?

  init(_ name: String, score: Int) {
    self.name = name
    self.score = score
  }
}

@Model final class Team {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Gamer.team) var gamers: [Gamer] = []

  init(_ name: String) { self.name = name }
}

@Suite struct ComingFromGRDBGuideTests {
  /// Rows as GRDB stores them: a date is a text in UTC.
  private static let game = """
    CREATE TABLE team (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL, joined DATETIME,
      photo BLOB, teamId INTEGER REFERENCES team(id));
    INSERT INTO team VALUES (1, 'Reds'), (7, 'Blues, "the"'), (9, '');
    INSERT INTO player VALUES (1, 'Ann', 9, '2024-05-01 12:30:00.125', x'000102FF', 7), (2, 'Grüße; x', -1, NULL, NULL, NULL),
      (3, 'Cem', 5, '1969-12-31 23:59:59.000', NULL, 9);
    WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO player SELECT i, 'player ' || i, i, '2024-05-01 12:30:00.000', NULL, 1 FROM n;
    """

  @Test(.enabled(if: PageCommands.hasSQLite, "there is no sqlite3"))
  func `a database is moved to the last row`() throws {
    let folder = try PageCommands.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try PageCommands.run("sqlite3 game.sqlite", in: folder, input: Self.game)
    for block in try PageCommands.blocks("ComingFromGRDB", "sh") { try PageCommands.run(block, in: folder) }
    let container = try ModelContainer(
      for: Team.self, configurations: ModelConfiguration(url: folder.appending(path: "new.roost")))
    try container.importer(for: Team.self).run(.file(folder.appending(path: "Team.csv")))
    let report = try container.importer(for: Gamer.self).run(.file(folder.appending(path: "Gamer.csv")))
    #expect(report.progress.inserted == 1000 && report.faults.isEmpty && report.unresolvedCount == 0)
    let context = ModelContext(container)
    for gamer in try context.fetch(FetchDescriptor<Gamer>()) {
      gamer.photo = try? Data(contentsOf: folder.appending(path: "photos").appending(path: gamer.name))
    }
    try context.save()

    let noon = Date(timeIntervalSince1970: 1_714_566_600)
    let gamers = try ModelContext(container).fetch(FetchDescriptor<Gamer>(sortBy: [SortDescriptor(\.score)]))
    #expect(gamers.count == 1000)
    for gamer in gamers.suffix(991) {
      #expect(gamer.name == "player \(gamer.score)" && gamer.joined == noon && gamer.team?.name == "Reds")
    }
    let ann = try #require(try context.first(Gamer.self, where: \.name, is: "Ann"))
    #expect(ann.joined == noon + 0.125 && ann.photo == Data([0, 1, 2, 255]) && ann.team?.name == "Blues, \"the\"")
    let cem = try #require(try context.first(Gamer.self, where: \.name, is: "Cem"))
    #expect(cem.joined == Date(timeIntervalSince1970: -1) && cem.team?.name == "" && cem.photo == nil)
    #expect(gamers[0].name == "Grüße; x" && gamers[0].joined == nil && gamers[0].team == nil)
  }

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
