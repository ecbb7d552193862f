import Foundation
import RoostImport
import RoostTestSupport
import SwiftData
import Testing

@Model final class Mate {
  @Attribute(.unique) var name: String
  @Relationship(.mutual) var spouse: Mate?
  @Relationship(.mutual) var friends: [Mate] = []
  var heroes: [Mate] = []

  init(_ name: String) { self.name = name }
}

/// Imports of relationships that are their own inverse.
@Suite struct ImportMutualTests {
  static func container() throws -> ModelContainer {
    try ModelContainer(for: Mate.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  static let byName = FetchDescriptor<Mate>(sortBy: [SortDescriptor(\.name)])

  static func lines(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(byName).map { mate in
      "\(mate.name) \(mate.spouse?.name ?? "-") \(mate.friends.map(\.name)) \(mate.heroes.map(\.name))"
    }
  }

  private func import_(
    _ container: ModelContainer, _ lines: [String], _ conflict: ImportOptions.Conflict = .update, chunk: Int = 5000
  ) throws -> ImportReport {
    var importer = try container.importer(for: Mate.self)
    (importer.options.chunk, importer.options.conflict) = (chunk, conflict)
    return try importer.run(.text(lines.joined(separator: "\n"), .jsonLines))
  }

  @Test(arguments: [1, 2, 5000]) func `both sides of a relationship are set`(_ chunk: Int) throws {
    let container = try Self.container()
    let context = ModelContext(container)
    _ = try import_(
      container,
      [
        #"{"name": "a"}"#, #"{"name": "b", "spouse": "a", "friends": ["a"]}"#,
        #"{"name": "c", "spouse": "d", "friends": ["d", "a"]}"#, #"{"name": "d"}"#,
      ], chunk: chunk)
    #expect(
      try Self.lines(container) == [
        #"a b ["b", "c"] []"#, #"b a ["a"] []"#, #"c d ["d", "a"] []"#, #"d c ["c"] []"#,
      ])
    // Contexts see both sides.
    let all = try context.fetch(Self.byName)
    #expect(all.map { $0.spouse?.name } == ["b", "a", "d", "c"])
    // A spouse who marries another person leaves two alone; a person without friends is in no list.
    let report = try import_(
      container, [#"{"name": "a", "spouse": "c", "friends": []}"#, #"{"name": "d", "friends": ["b"]}"#], chunk: chunk)
    #expect(report.progress.updated == 2)
    let wanted = [#"a c [] []"#, #"b - ["d"] []"#, #"c a [] []"#, #"d - ["b"] []"#]
    #expect(try Self.lines(container) == wanted)
    _ = try context.fetchCount(Self.byName)
    #expect(all.map { $0.spouse?.name } == ["c", nil, "a", nil] && all[1].friends.map(\.name) == ["d"])
    _ = try import_(container, [#"{"name": "c", "spouse": null}"#], .merge, chunk: chunk)
    #expect(try Self.lines(container) == wanted)
    _ = try import_(container, [#"{"name": "c", "spouse": null}"#], chunk: chunk)
    #expect(try ModelContext(container).fetch(Self.byName).allSatisfy { $0.spouse == nil })
  }

  @Test func `two that wait for each other, and two for one`() throws {
    let container = try Self.container()
    let report = try import_(
      container,
      [
        #"{"name": "a", "spouse": "b"}"#, #"{"name": "c", "spouse": "d"}"#, #"{"name": "e", "spouse": "d"}"#,
        #"{"name": "b", "spouse": "a"}"#, #"{"name": "d"}"#,
      ], chunk: 1)
    #expect(report.unresolvedCount <= 1)
    let context = ModelContext(container)
    for mate in try context.fetch(Self.byName) {
      #expect(mate.spouse.map { $0.spouse === mate } ?? true, "\(mate.name)")
    }
    #expect(try Self.lines(container).prefix(2) == ["a b [] []", "b a [] []"])
  }

  /// For any chunk size, and whatever part of it is stored when a record is read.
  @Test(arguments: [1, 2, 3, 9]) func `a later record empties a list that an earlier one filled`(
    _ chunk: Int
  ) throws {
    let container = try Self.container()
    let lines = [#"{"name": "t"}"#, #"{"name": "a", "friends": ["t"]}"#, #"{"name": "t", "friends": []}"#]
    #expect(try import_(container, lines, chunk: chunk).unresolvedCount == 0)
    #expect(try Self.lines(container) == ["a - [] []", "t - [] []"])
  }

  /// An import stores the same as a program that sets the same properties and saves.
  @Test(arguments: 0..<40) func `by seed, texts and snapshots store the same as a save`(_ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let names = ["a", "b", "c", "d", "e", "f"]
    let containers = try (0..<3).map { _ in try Self.container() }
    let contexts = containers.map { ModelContext($0) }
    for context in contexts {
      for name in names { context.insert(Mate(name)) }
      try context.save()
    }
    let all = try contexts.map { try $0.fetch(Self.byName) }
    for step in 0..<25 {
      let (one, isSpouse) = (random.below(6), random.chance(1, in: 2))
      let partner = random.chance(1, in: 4) ? nil : random.below(6)
      let friends = Array((0..<6).shuffled(using: &random).prefix(random.below(4)))
      for place in [0, 1] {
        if isSpouse {
          all[place][one].spouse = partner.map { all[place][$0] }
        } else {
          all[place][one].friends = friends.map { all[place][$0] }
        }
      }
      try contexts[0].save()
      let snapshot = all[1][one].snapshot
      contexts[1].rollback()
      try containers[1].importer(for: Mate.self).run(snapshots: [snapshot])
      _ = try contexts[1].fetchCount(Self.byName)
      let value =
        isSpouse
        ? "\"spouse\": " + (partner.map { "\"\(names[$0])\"" } ?? "null")
        : "\"friends\": [" + friends.map { "\"\(names[$0])\"" }.joined(separator: ", ") + "]"
      _ = try import_(containers[2], ["{\"name\": \"\(names[one])\", \(value)}"])
      let lines = try containers.map(Self.lines)
      #expect(lines[1] == lines[0], "seed \(seed), step \(step), snapshots")
      #expect(lines[2] == lines[0], "seed \(seed), step \(step), texts")
    }
  }

  @Test(arguments: [1, 3, 5000]) func `snapshots that reference each other keep the order of their lists`(
    _ chunk: Int
  ) throws {
    let other = ModelContext(try Self.container())
    let mates = (0..<6).map { Mate("m\($0)") }
    for mate in mates { other.insert(mate) }
    mates[0].friends = [mates[3], mates[1], mates[5]]
    mates[2].friends = [mates[5], mates[0], mates[4], mates[1]]
    mates[1].heroes = [mates[4], mates[0], mates[5], mates[2]]
    mates[4].spouse = mates[1]
    try other.save()
    let container = try Self.container()
    var importer = try container.importer(for: Mate.self)
    importer.options.chunk = chunk
    let report = try importer.run(snapshots: try other.fetchSnapshots(Self.byName))
    #expect(report.unresolvedCount == 0 && report.progress.inserted == 6)
    #expect(try Self.lines(container) == Self.lines(other.container))
  }
}
