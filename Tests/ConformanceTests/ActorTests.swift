import Foundation
import SwiftData
import Testing

@ModelActor
actor Office {
  private(set) var visits = 0

  func open(_ names: [String]) throws -> [PersistentIdentifier] {
    visits += 1
    let gardens = names.map { Garden(name: $0) }
    for garden in gardens { modelContext.insert(garden) }
    try modelContext.save()
    return gardens.map(\.persistentModelID)
  }

  func name(of identifier: PersistentIdentifier) -> String? { self[identifier, as: Garden.self]?.name }
}

/// An actor like the previous one, with an initializer and an executor written by hand.
actor Archive: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor
  let place: String

  init(container: ModelContainer, place: String) {
    modelContainer = container
    let context = ModelContext(container)
    context.autosaveEnabled = false
    modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    self.place = place
  }

  func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Garden>()) }
}

@Suite(.everyStore) struct ActorTests {
  @Test func `an actor with a context of its own`() async throws {
    let container = try makeContainer()
    let office = Office(modelContainer: container)
    let identifiers = try await office.open(["a", "b"])
    #expect(await office.name(of: identifiers[1]) == "b")
    #expect(await office.visits == 1 && office.modelContainer == container)
    #expect(try await Archive(container: container, place: "p").count() == 2)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Garden>()) == 2)
  }
}
