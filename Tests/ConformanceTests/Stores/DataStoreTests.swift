import Foundation
import SwiftData
import Synchronization
import Testing

@Model final class Keyword {
  @Attribute(.unique) var word: String

  init(_ word: String) { self.word = word }
}

/// The work of a container with a store of a program's own.
@Suite struct DataStoreTests {
  private let server = Server(seed: 1)

  private func container(_ server: Server) throws -> ModelContainer {
    let schema = Schema([Garden.self, Hut.self])
    return try ModelContainer(
      for: schema, configurations: [RemoteStore.Configuration(schema: schema, server: server)])
  }

  /// Saves two gardens with three beds each, in another container.
  private func fill() throws {
    let context = ModelContext(try container(server))
    for name in ["a", "b"] {
      let garden = Garden(name: name)
      context.insert(garden)
      garden.beds = (1...3).map { Bed($0) }
    }
    try context.save()
    _ = server.takeCalls()
  }

  @Test func `members of a list are loaded together, when one is read`() throws {
    try fill()
    let context = ModelContext(try container(server))
    let garden = try #require(
      try context.fetch(FetchDescriptor<Garden>(predicate: #Predicate { $0.name == "a" })).first)
    #expect(garden.beds.count == 3)
    #expect(server.takeCalls() == ["fetch Garden"])
    #expect(garden.beds.map(\.number) == [1, 2, 3] && garden.beds.allSatisfy { $0.garden === garden })
    #expect(server.takeCalls().count == 1)
  }

  @Test func `an identifier of another run of the program finds its model`() throws {
    try fill()
    let identifier = try #require(try ModelContext(container(server)).fetch(FetchDescriptor<Bed>()).first).id
    let coded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(identifier))
    let context = ModelContext(try container(server))
    _ = server.takeCalls()
    let bed = try #require(context.model(for: coded) as? Bed)
    #expect(bed.number == 1 && bed.persistentModelID == identifier)
    #expect(server.takeCalls() == ["load 1"])
    let unknown = try PersistentIdentifier.identifier(for: "remote", entityName: "Bed", primaryKey: "none")
    #expect(context.model(for: unknown).isDeleted)
  }

  @Test func `a store that fails leaves the context as it was`() throws {
    try fill()
    let context = ModelContext(try container(server))
    server.set(failures: 100)
    #expect(throws: ServerError.unavailable) { try context.fetch(FetchDescriptor<Garden>()) }
    server.set()
    let garden = try #require(try context.fetch(FetchDescriptor<Garden>()).first)
    garden.area = 7
    context.insert(Garden(name: "c"))
    server.set(failures: 100)
    #expect(throws: ServerError.unavailable) { try context.save() }
    #expect(context.insertedModelsArray.count == 1 && context.changedModelsArray.count == 1)
    server.set()
    try context.save()
    let fresh = ModelContext(try container(server))
    let areas = try fresh.fetch(FetchDescriptor<Garden>(sortBy: [SortDescriptor(\.name)])).map(\.area)
    #expect(areas.count == 3 && areas.contains(7))
  }

  @Test func `an unloaded object whose store fails shows a default, and the next save throws`() throws {
    try fill()
    let context = ModelContext(try container(server))
    let garden = try #require(try context.fetch(FetchDescriptor<Garden>()).first)
    let bed = garden.beds[1]
    server.set(failures: 100)
    #expect(bed.number == 0)
    server.set()
    garden.area = 1
    #expect(throws: ServerError.unavailable) { try context.save() }
    context.rollback()
    #expect(bed.number == 2 && garden.area == 0)
  }

  @Test func `a model that another client deleted is gone when it is read`() throws {
    try fill()
    let context = ModelContext(try container(server))
    let garden = try #require(try context.fetch(FetchDescriptor<Garden>()).first)
    #expect(garden.beds.count == 3)
    let other = ModelContext(try container(server))
    let doomed = try #require(other.model(for: garden.beds[1].persistentModelID) as? Bed)
    other.delete(doomed)
    try other.save()
    let gone = garden.beds[1]
    #expect(gone.number == 0 && gone.isDeleted && garden.beds.count == 2)
    garden.area = 2
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Garden>()).first?.beds.map(\.number) == [1, 3])
  }

  @Test func `a limit and an offset count unsaved models`() throws {
    let context = ModelContext(try container(server))
    for number in 1...6 { context.insert(Hut(street: "s", number: number)) }
    try context.save()
    let all = try context.fetch(FetchDescriptor<Hut>(sortBy: [SortDescriptor(\.number)]))
    context.delete(all[0])
    all[1].number = 9
    var descriptor = FetchDescriptor<Hut>(sortBy: [SortDescriptor(\.number)])
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).map(\.number) == [4, 5])
    descriptor.fetchOffset = 3
    #expect(try context.fetch(descriptor).map(\.number) == [6, 9].suffix(1) || context.fetch(descriptor).count == 2)
    #expect(try context.fetchCount(FetchDescriptor<Hut>()) == 5)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Hut>()) == 6)
  }

  @Test func `a store has snapshots of its own kind`() throws {
    let schema = Schema([Sensor.self])
    let container = try ModelContainer(for: schema, configurations: [SensorStore.Configuration(schema: schema)])
    let context = ModelContext(container)
    let sensor = Sensor(name: "north", value: 1.5)
    context.insert(sensor)
    try context.save()
    #expect(sensor.persistentModelID.storeIdentifier == "sensors" && sensor.count == 1)
    sensor.value = .infinity
    sensor.near = sensor
    try context.save()
    #expect(sensor.count == 2)
    let fresh = ModelContext(container)
    let again = try #require(try fresh.fetch(FetchDescriptor<Sensor>()).first)
    #expect(again.value == .infinity && again.name == "north" && again.near === again)
    context.delete(sensor)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Sensor>()) == 0)
  }

  @Test func `stores of several kinds in one container`() throws {
    let gardens = Schema([Garden.self])
    let container = try ModelContainer(
      for: Schema([Garden.self, Sensor.self]),
      configurations: [
        ModelConfiguration("gardens", schema: gardens, isStoredInMemoryOnly: true),
        SensorStore.Configuration(schema: Schema([Sensor.self])),
      ])
    let context = ModelContext(container)
    context.insert(Garden(name: "a"))
    context.insert(Sensor(name: "s", value: 1))
    try context.save()
    let fresh = ModelContext(container)
    #expect(try fresh.fetchCount(FetchDescriptor<Garden>()) == 1 && fresh.fetchCount(FetchDescriptor<Sensor>()) == 1)
    try container.erase()
    #expect(try fresh.fetchCount(FetchDescriptor<Garden>()) == 0 && fresh.fetchCount(FetchDescriptor<Sensor>()) == 0)
  }

  @Test func `each of two stores is asked once in a save, also if one merges a new model`() throws {
    let servers = [Server(seed: 1), Server(seed: 2)]
    let container = try ModelContainer(
      for: Schema([Garden.self, Sensor.self, Keyword.self]),
      configurations: [
        RemoteStore.Configuration(name: "gardens", schema: Schema([Garden.self]), server: servers[0]),
        RemoteStore.Configuration(name: "words", schema: Schema([Keyword.self]), server: servers[1]),
        SensorStore.Configuration(schema: Schema([Sensor.self])),
      ])
    let context = ModelContext(container)
    let (garden, word) = (Garden(name: "a"), Keyword("w"))
    context.insert(garden)
    context.insert(word)
    try context.save()
    for server in servers { _ = server.takeCalls() }
    context.insert(Garden(name: "a", season: .winter))
    context.insert(Keyword("w"))
    context.insert(Sensor(name: "n", value: 1))
    try context.save()
    #expect(servers.map { $0.takeCalls() } == [["save 1 0 0"], ["save 1 0 0"]])
    let fresh = ModelContext(container)
    #expect(try fresh.fetch(FetchDescriptor<Garden>()).map(\.season) == [.winter] && garden.season == .winter)
    #expect(try fresh.fetchCount(FetchDescriptor<Keyword>()) == 1 && fresh.fetchCount(FetchDescriptor<Sensor>()) == 1)
    #expect(!context.hasChanges)
  }

  @Test func `many threads save and fetch beside each other`() async throws {
    let container = try container(server)
    server.set(isSlow: true)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<6 {
        group.addTask {
          let context = ModelContext(container)
          for number in 0..<15 {
            let hut = Hut(street: "s", number: task * 100 + number)
            context.insert(hut)
            try context.save()
            let found = try context.fetch(FetchDescriptor<Hut>())
            #expect(found.contains(hut) && found.count(where: { $0.number / 100 == task }) == number + 1)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Hut>()) == 90)
  }

  #if canImport(Roost)
    @Test func `a temporary identifier finds its model after the save too`() throws {
      let context = ModelContext(try container(server))
      let hut = Hut(street: "s", number: 1)
      context.insert(hut)
      let temporary = hut.persistentModelID
      #expect(temporary.storeIdentifier == nil && context.model(for: temporary) === hut)
      try context.save()
      let lasting = hut.persistentModelID
      #expect(lasting != temporary && lasting.storeIdentifier == "remote")
      #expect(context.model(for: temporary) === hut && context.model(for: lasting) === hut)
      let other = ModelContext(context.container)
      let found = try other.fetch(FetchDescriptor<Hut>(predicate: #Predicate { $0.persistentModelID == lasting }))
      #expect(found.count == 1)
    }

    @Test func `writes that would bypass the store are refused`() throws {
      try fill()
      let context = ModelContext(try container(server))
      #expect(throws: RoostError.self) { try context.update(model: Garden.self) { $0.area = 1 } }
      #expect(throws: RoostError.self) { try context.insert(batch: [Hut(street: "s", number: 1)]) }
      #expect(throws: DataStoreError.unsupportedFeature) { try context.deleteAll(model: Garden.self) }
      #expect(throws: SwiftDataError.self) { try context.fetchHistory(HistoryDescriptor<OtherTransaction>()) }
    }

    @Test func `Roost's own store is one too`() throws {
      let schema = Schema([Garden.self, Hut.self])
      let store = try DefaultStore(ModelConfiguration(schema: schema, isStoredInMemoryOnly: true))
      let container = try ModelContainer(
        for: schema, configurations: [Wrapper.Configuration(schema: schema, store: store)])
      let context = ModelContext(container)
      let garden = Garden(name: "a")
      context.insert(garden)
      garden.beds = [Bed(1), Bed(2)]
      try context.save()
      garden.beds.swapAt(0, 1)
      garden.name = "b"
      try context.save()
      let again = try #require(
        try ModelContext(container).fetch(FetchDescriptor<Garden>(predicate: #Predicate { $0.name == "b" })).first)
      #expect(again.beds.map(\.number) == [2, 1])
      #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 2)
      #expect(try context.deleteAll(model: Bed.self, where: #Predicate { $0.number == 1 }).count == 1)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Bed>()) == 1 && garden.beds.map(\.number) == [2])
    }

    @Test func `the default store merges new models by their unique values as any save`() throws {
      let schema = Schema([Garden.self, Hut.self])
      let store = try DefaultStore(ModelConfiguration(schema: schema, isStoredInMemoryOnly: true))
      let container = try ModelContainer(
        for: schema, configurations: [Wrapper.Configuration(schema: schema, store: store)])
      let garden = Garden(name: "a")
      let context = ModelContext(container)
      context.insert(garden)
      garden.beds = [Bed(1)]
      garden.gardeners = [Gardener("g")]
      try context.save()
      let other = ModelContext(container)
      for number in 2...3 {
        let new = Garden(name: "a")
        other.insert(new)
        new.area = Double(number)
        new.beds = [Bed(number)]
      }
      try other.save()
      let found = try ModelContext(container).fetch(FetchDescriptor<Garden>())
      #expect(found.map(\.persistentModelID) == [garden.persistentModelID])
      #expect(found.first?.area == 3 && found.first?.beds.map(\.number) == [1, 2, 3])
      #expect(found.first?.gardeners.map(\.name) == ["g"])
    }

    @Test func `a store may not use its own container`() throws {
      let schema = Schema([Sensor.self])
      let configuration = SensorStore.Configuration(schema: schema, isRecursive: true)
      let container = try ModelContainer(for: schema, configurations: [configuration])
      SensorStore.used.withLock { $0 = container }
      defer { SensorStore.used.withLock { $0 = nil } }
      let context = ModelContext(container)
      context.insert(Sensor(name: "s", value: 1))
      #expect(throws: RoostError.self) { try context.save() }
      #expect(context.hasChanges)
    }
  #endif
}
