import Foundation
import SwiftData
import Testing

/// Applies snapshots of several processes, and many that reference each other.
@Suite struct SnapshotSourceTests {
  private func context() throws -> ModelContext {
    ModelContext(try makeContainer())
  }

  private func decode<Model: PersistentModel>(_ type: Model.Type, _ text: String) throws -> ModelSnapshot<Model> {
    try JSONDecoder().decode(ModelSnapshot<Model>.self, from: Data(text.utf8))
  }

  private func artist(_ process: Int?, _ name: String, _ number: Int = 1) throws -> ModelSnapshot<Artist> {
    let source = process.map { #""process":\#($0),"# } ?? ""
    return try decode(
      Artist.self,
      """
      {"model":"Artist","id":{"entity":"Artist","temporary":\(number)},\(source)
       "values":{"name":"\(name)","address":{"street":"s"}}}
      """)
  }

  @Test func `models of different processes are different ones`() throws {
    let context = try context()
    let made = try context.apply(contentsOf: [try artist(1, "a"), try artist(2, "b"), try artist(nil, "c")])
    #expect(made.map(\.name) == ["a", "b", "c"] && Set(made.map(ObjectIdentifier.init)).count == 3)
    // Within one process they are one model, which gets the values of the last snapshot.
    let same = try context.apply(contentsOf: [try artist(1, "d"), try artist(1, "e"), try artist(1, "f", 2)])
    #expect(same[0] === same[1] && same[0] !== same[2] && same[0].name == "e")
  }

  @Test func `an unsaved model here is not the one of another process`() throws {
    let context = try context()
    let here = Artist("here")
    let own = here.snapshot
    guard case let text = String(decoding: try JSONEncoder().encode(own), as: UTF8.self), text.contains("temporary")
    else { return }
    context.insert(here)
    let number = try #require(text.firstMatch(of: /"temporary",(\d+)/).flatMap { Int($0.1) })
    let made = try context.apply(contentsOf: [try artist(3, "foreign", number), own])
    #expect(made[0] !== here && made[1] === here && here.name == "here" && made[0].name == "foreign")
    let back = try JSONDecoder().decode(ModelSnapshot<Artist>.self, from: Data(text.utf8))
    #expect(try context.apply(back) === here)
  }

  @Test func `links refer to the models of their own process`() throws {
    let context = ModelContext(
      try ModelContainer(for: Vehicle.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    func vehicle(_ process: Int, _ plate: String, _ number: Int, tows: Int?) throws -> ModelSnapshot<Vehicle> {
      let other = tows.map { #"{"entity":"Vehicle","temporary":\#($0)}"# } ?? "null"
      return try decode(
        Vehicle.self,
        """
        {"model":"Vehicle","id":{"entity":"Vehicle","temporary":\(number)},"process":\(process),
         "values":{"plate":"\(plate)","weight":1,"isOld":false,"tows":\(other)}}
        """)
    }
    let made = try context.apply(contentsOf: [
      try vehicle(1, "a1", 1, tows: 2), try vehicle(1, "a2", 2, tows: nil), try vehicle(2, "b1", 1, tows: 2),
      try vehicle(2, "b2", 2, tows: nil),
    ])
    #expect(made.map { $0.tows?.plate } == ["a2", nil, "b2", nil])
    let error = #expect(throws: RoostError.self) { try context.apply(vehicle(3, "c", 1, tows: 2)) }
    #expect(error?.code == .foreign)
  }

  @Test func `a snapshot contains no deleted model, like the getter`() throws {
    let container = try ModelContainer(
      for: Team.self, Player.self, Badge.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let (context, other) = (ModelContext(container), ModelContext(container))
    let player = Player("a", points: 1, goals: 1)
    context.insert(player)
    try context.save()
    do {
      let team = Team(size: 1)
      context.insert(team)
      try context.save()
      player.team = team
      context.delete(team)
      try context.save()
    }
    #expect(player.team == nil && player.snapshot.team == nil)
    // Another context deletes the team of a model that was changed here.
    player.team = Team(size: 2)
    try context.save()
    player.points = 2
    try other.delete(model: Team.self)
    try other.save()
    #expect(try context.fetchSnapshots(FetchDescriptor<Player>()).map(\.team) == [nil])
    #expect(player.team == nil && player.snapshot.team == nil && player.snapshot.points == 2)
  }

  @Test(arguments: [false, true]) func `a long chain is applied in any order`(_ isReversed: Bool) throws {
    func container() throws -> ModelContext {
      ModelContext(
        try ModelContainer(for: Vehicle.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    }
    let (here, there) = (try container(), try container())
    let count = 5000
    var last: Vehicle?
    for number in 0..<count {
      let vehicle = Vehicle("\(number)", weight: number)
      here.insert(vehicle)
      vehicle.tows = last
      last = vehicle
    }
    try here.save()
    let order: SortOrder = isReversed ? .reverse : .forward
    let all = try here.fetchSnapshots(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.weight, order: order)]))
    // A small stack, as threads have: recursion would overflow it.
    try onSmallStack {
      // One invalid reference refuses all of them and releases them.
      let error = #expect(throws: RoostError.self) { try there.apply(contentsOf: all.filter { $0.weight != 0 }) }
      #expect(error?.code == .foreign && !there.hasChanges)
      let made = try there.apply(contentsOf: all)
      #expect(made.count == count)
      try there.save()
    }
    let found = try there.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.weight)]))
    #expect(found.count == count && zip(found, found.dropFirst()).allSatisfy { $1.tows === $0 })
  }

  private func onSmallStack(_ body: @escaping () throws -> Void) throws {
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) var failure: (any Error)?
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      do { try body() } catch { failure = error }
      done.signal()
    }
    thread.stackSize = 1 << 18
    thread.start()
    done.wait()
    if let failure { throw failure }
  }
}
