#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  @Model private final class Rack {
    var name: String
    @Relationship(inverse: \Volume.rack) var volumes: [Volume] = []
    init(_ name: String) { self.name = name }
  }

  @Model private final class Volume {
    var number: Int
    var rack: Rack?
    init(_ number: Int) { self.number = number }
  }

  /// Two programs change lists at random. They have not loaded most of the objects in them.
  @Suite(.enabled(if: PostgresServer.missing == nil, "there is no PostgreSQL")) struct UnreadPlayTests {
    /// A program: its context, and the racks that it fetched earlier.
    private final class Program {
      let context: ModelContext
      var racks: [Rack] = []

      init(_ ground: Ground, followsOthers: Bool) throws {
        let schema = Schema([Rack.self, Volume.self])
        var configuration = PostgresConfiguration(ground.address, schema: schema, namespace: ground.namespace)
        configuration.followsOthers = followsOthers
        context = ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
      }

      func fetch() throws { racks = try context.fetch(FetchDescriptor<Rack>(sortBy: [SortDescriptor(\.name)])) }
    }

    /// The rack of each volume, as another program reads it.
    private func places(_ ground: Ground) throws -> [String: String?] {
      let rows = try ground.sql(
        "SELECT v.number::text, r.name FROM @.volume AS v LEFT JOIN @.rack AS r ON r.zone = v.zone AND r.pk = v.rack")
      return Dictionary(uniqueKeysWithValues: rows.map { ($0[0]!, $0[1]) })
    }

    /// Makes one change. Returns the volumes that it mentions.
    private func change(_ program: Program, _ random: inout SplitMix64, next: inout Int) throws -> (
      said: String, of: Set<Int>
    ) {
      let rack = program.racks[Int(random.next() % 3)]
      let other = program.racks[Int(random.next() % 3)]
      switch random.next() % 10 {
      case 0:
        next += 1
        rack.volumes.append(Volume(next))
        return ("append \(next) to \(rack.name)", [next])
      case 1:
        rack.volumes.reverse()
        return ("reverse \(rack.name)", [])
      case 2:
        guard !rack.volumes.isEmpty else { return ("", []) }
        let first = rack.volumes.removeFirst()
        return ("remove the first, \(first.number), from \(rack.name)", [first.number])
      case 3:
        guard let last = rack.volumes.last else { return ("", []) }
        let number = last.number
        program.context.delete(last)
        return ("delete the last, \(number), of \(rack.name)", [number])
      case 4:
        guard let one = rack.volumes.last else { return ("", []) }
        one.rack = nil
        return ("take the last, \(one.number), from \(rack.name)", [one.number])
      case 5:
        guard let one = rack.volumes.first else { return ("", []) }
        one.rack = other
        return ("bring the first, \(one.number), of \(rack.name) to \(other.name)", [one.number])
      case 6:
        guard let one = rack.volumes.first else { return ("", []) }
        if rack !== other { other.volumes.append(one) }
        return ("append \(one.number) of \(rack.name) to \(other.name)", [one.number])
      case 7:
        guard let first = rack.volumes.first else { return ("", []) }
        rack.volumes = Array(rack.volumes.dropFirst())
        return ("assign \(rack.name) without \(first.number)", [first.number])
      case 8:
        let all = rack.volumes + other.volumes
        other.volumes = rack.volumes
        return ("give \(other.name) all of \(rack.name)", Set(all.map(\.number)))
      default:
        next += 1
        rack.volumes.insert(Volume(next), at: 0)
        return ("put \(next) first in \(rack.name)", [next])
      }
    }

    @Test(arguments: [1, 2, 3]) func `two lists are exchanged`(_ count: Int) throws {
      let ground = try Ground()
      let filling = try Program(ground, followsOthers: false)
      for (place, name) in ["a", "b"].enumerated() {
        let rack = Rack(name)
        filling.context.insert(rack)
        for number in 1...count { rack.volumes.append(Volume(place * 10 + number)) }
      }
      try filling.context.save()
      let before = try places(ground)
      let program = try Program(ground, followsOthers: false)
      try program.fetch()
      swap(&program.racks[0].volumes, &program.racks[1].volumes)
      try program.context.save()
      let after = try places(ground)
      #expect(after == before.mapValues { $0 == "a" ? "b" : "a" })
      #expect(program.racks.map(\.volumes.count) == [count, count])
    }

    @Test func `a change of a list moves only the objects that it mentions`() throws {
      let plays = ProcessInfo.processInfo.environment["ROOST_PLAYS"].flatMap(UInt64.init) ?? 12
      let first = ProcessInfo.processInfo.environment["ROOST_PLAY"].flatMap(UInt64.init)
      for seed in first.map({ [$0] }) ?? Array(1...plays) { try play(seed) }
    }

    private func play(_ seed: UInt64) throws {
      var random = SplitMix64(seed: seed)
      let ground = try Ground()
      var next = 0
      let filling = try Program(ground, followsOthers: false)
      for name in ["a", "b", "c"] {
        let rack = Rack(name)
        filling.context.insert(rack)
        for _ in 1...3 {
          next += 1
          rack.volumes.append(Volume(next))
        }
      }
      try filling.context.save()
      let programs = try (0..<2).map { _ in try Program(ground, followsOthers: random.next() % 2 == 0) }
      for program in programs { try program.fetch() }
      var before = try places(ground)
      var story: [String] = []
      for _ in 0..<24 {
        let number = Int(random.next() % 2)
        let program = programs[number]
        if random.next() % 3 == 0 { try program.fetch() }
        let (said, spoken) = try change(program, &random, next: &next)
        story.append("\(number): \(said)")
        do { try program.context.save() } catch let error as RoostError {
          #expect(
            [.deleted, .conflict, .denied].contains(error.code),
            "seed \(seed): \(error)\n\(story.joined(separator: "\n"))")
          story.append("  \(error)")
          program.context.rollback()
          try program.fetch()
        }
        let after = try places(ground)
        for (volume, place) in before where !spoken.contains(Int(volume)!) {
          let now = after[volume]
          #expect(
            now == .some(place),
            "seed \(seed): \(volume) went from \(place ?? "nowhere") to \((now ?? "the end") ?? "nowhere")\n\(story.joined(separator: "\n"))"
          )
          if now != .some(place) { return }
        }
        before = after
      }
    }
  }
#endif
