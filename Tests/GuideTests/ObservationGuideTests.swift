import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

@Model final class Thermostat {
  @Attribute(.unique) var room: String
  var degrees = 20
  var house: House?

  init(_ room: String) { self.room = room }
}

@Model final class House {
  @Relationship(inverse: \Thermostat.house) var thermostats: [Thermostat] = []
  var warmest: Int { thermostats.map(\.degrees).max() ?? 0 }

  init() {}
}

@Observable @MainActor final class Panel {
  let thermostat: Thermostat
  var text: String { "\(thermostat.room): \(thermostat.degrees)°" }

  init(_ thermostat: Thermostat) { self.thermostat = thermostat }
}

/// The code of the guide to observation.
@Suite(.timeLimit(.minutes(30))) @MainActor struct ObservationGuideTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let kitchen = Thermostat("kitchen")

  init() throws {
    container = try ModelContainer(for: House.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = container.mainContext
    let house = House()
    house.thermostats = [kitchen, Thermostat("bath")]
    context.insert(house)
    try context.save()
  }

  @Test func `one change`() throws {
    nonisolated(unsafe) var printed: [String] = []
    @Sendable func print(_ item: Any) { printed.append("\(item)") }
    withObservationTracking {
      print(kitchen.degrees)
    } onChange: {
      print("the temperature will change")
    }
    kitchen.degrees = 22
    #expect(printed == ["20", "the temperature will change"])
    kitchen.degrees = 23
    #expect(printed.count == 2)
  }

  @Test func `all changes`() async throws {
    let kitchen = kitchen
    var printed: [String] = []
    func print(_ item: Any) {
      printed.append("\(item)")
      if printed.count < 4 { kitchen.degrees += 1 }
    }
    let temperatures = Observations { kitchen.degrees }
    for await degrees in temperatures {
      print("it is \(degrees)°")
      if degrees > 22 { break }
    }
    #expect(printed == ["it is 20°", "it is 21°", "it is 22°", "it is 23°"])
  }

  @Test func `changes of one turn are one value`() async throws {
    let kitchen = kitchen
    var told: [Int] = []
    for await degrees in Observations({ kitchen.degrees }) {
      told.append(degrees)
      if degrees > 20 { break }
      kitchen.degrees = 21
      kitchen.degrees = 22
    }
    #expect(told == [20, 22])
  }

  @Test func `an object of the program that reads models`() {
    let panel = Panel(kitchen)
    nonisolated(unsafe) var count = 0
    withObservationTracking {
      #expect(panel.text == "kitchen: 20°")
    } onChange: {
      count += 1
    }
    kitchen.degrees = 25
    #expect(count == 1 && panel.text == "kitchen: 25°")
  }

  /// Counts how often a reader is notified of a change.
  private func told(_ read: () -> Void, then change: () throws -> Void) rethrows -> Int {
    let count = Mutex(0)
    withObservationTracking(read) { count.withLock { $0 += 1 } }
    try change()
    return count.withLock { $0 }
  }

  @Test func `what notifies a reader`() throws {
    let house = try #require(kitchen.house)
    let bath = house.thermostats[1]
    #expect(told({ _ = house.warmest }, then: { bath.degrees = 30 }) == 1)
    #expect(told({ _ = house.thermostats.count }, then: { bath.house = nil }) == 1)
    #expect(told({ _ = bath.degrees }, then: { context.rollback() }) == 1)
    #expect(told({ _ = kitchen.degrees }, then: { kitchen.room = "hall" }) == 0)
    context.rollback()
    let other = ModelContext(container)
    let merged = try told({ _ = kitchen.degrees }) {
      let same: Thermostat? = try other.existingModel(for: kitchen.persistentModelID)
      same?.degrees = 18
      try other.save()
      context.processPendingChanges()
    }
    #expect(merged == 1 && kitchen.degrees == 18)
  }

  @Test func `a context that is not the main one`() throws {
    let context = ModelContext(container)
    #expect(!context.observesObjects)
    context.observesObjects = true
    let thermostats = try context.fetch(FetchDescriptor<Thermostat>())
    #expect(told({ _ = thermostats[0].degrees }, then: { thermostats[0].degrees = 1 }) == 1)
    context.observesObjects = false
    #expect(told({ _ = thermostats[0].degrees }, then: { thermostats[0].degrees = 2 }) == 0)
  }

  @Test func `saves`() throws {
    nonisolated(unsafe) var saved: [PersistentIdentifier] = []
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.updatedIdentifiers.rawValue
      saved = notification.userInfo?[key] as? [PersistentIdentifier] ?? []
    }
    kitchen.degrees = 24
    try context.save()
    #expect(saved == [kitchen.persistentModelID])
    NotificationCenter.default.removeObserver(token)
  }
}
