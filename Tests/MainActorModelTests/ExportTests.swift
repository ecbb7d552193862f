import Swift5Export
import Testing

// SwiftData comes through a module in Swift 5 mode here.

@Model class Vessel {
  var name: String

  init(name: String) { self.name = name }
}

@Model final class Ship: Vessel {
  var masts = 1

  override init(name: String) { super.init(name: name) }
}

@Model nonisolated class Craft {
  var name: String

  init(name: String) { self.name = name }
}

@Model nonisolated final class Glider: Craft {
  var span = 1.5

  override init(name: String) { super.init(name: name) }
}

/// The first use of a class that others inherit from ended the program off the main thread: the compiler had put a check of the
/// main actor into the closure that makes the key paths of subclasses.
@Suite struct ExportTests {
  @Test nonisolated func `models with subclasses are first used off the main thread`() async throws {
    let found = try await Task.detached {
      let container = try ModelContainer(
        for: Ship.self, Glider.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let context = ModelContext(container)
      let glider = Glider(name: "g")
      glider.span = 3
      context.insert(glider)
      try context.save()
      let reader = ModelContext(container)
      let crafts = try reader.fetch(FetchDescriptor<Craft>(sortBy: [SortDescriptor(\.name)]))
      let gliders = try reader.fetchCount(
        FetchDescriptor<Glider>(predicate: #Predicate { $0.name == "g" && $0.span > 2 }))
      return (names: crafts.map(\.name), gliders: gliders, vessels: try reader.fetchCount(FetchDescriptor<Vessel>()))
    }.value
    #expect(found.names == ["g"] && found.gliders == 1 && found.vessels == 0)
  }
}
