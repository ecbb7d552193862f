import SwiftData
import Testing

@MainActor @Suite struct MainContextTests {
  @Test func `there is one main context`() throws {
    let container = try makeContainer()
    #expect(container.mainContext === container.mainContext)
    #expect(container.mainContext.autosaveEnabled && !ModelContext(container).autosaveEnabled)
    #expect(container.mainContext.container === container)
    let artist = Artist("Ella")
    container.mainContext.insert(artist)
    #expect(artist.modelContext == container.mainContext)
    #expect(container.mainContext.hasChanges)
  }

  @Test func `the main context keeps its container alive`() throws {
    let context = try makeContainer().mainContext
    context.insert(Artist("Ella"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Artist>()) == 1)
  }

  @Test func `the main context saves at its end`() throws {
    let folder = try Folder()
    do {
      let container = try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: folder.file()))
      container.mainContext.insert(Artist("Ella"))
    }
    do {
      let container = try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: folder.file()))
      #expect(try container.mainContext.fetch(FetchDescriptor<Artist>()).map(\.name) == ["Ella"])
      container.mainContext.autosaveEnabled = false
      container.mainContext.insert(Artist("Louis"))
    }
    let container = try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: folder.file()))
    #expect(try container.mainContext.fetchCount(FetchDescriptor<Artist>()) == 1)
  }

  @Test(.timeLimit(.minutes(30))) func `the main context saves automatically`() async throws {
    let container = try makeContainer()
    let context = container.mainContext
    context.insert(Artist("Ella"))
    while context.hasChanges { try await Task.sleep(for: .milliseconds(50)) }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Artist>()) == 1)
  }

  /// Several threads may run the main actor one after the other, if none runs a loop on the first.
  @Test func `the main context is used on the main actor, on any thread`() async throws {
    let container = try makeContainer()
    let context = container.mainContext
    for number in 0..<5 {
      let artist = Artist("artist \(number)")
      artist.albums = [Album("a")]
      context.insert(artist)
      try context.save()
      context.reset()
      try await Task.sleep(for: .milliseconds(2))
      #expect(artist.albums.count == 1)
      #expect(try context.fetchCount(FetchDescriptor<Artist>()) == number + 1)
    }
  }
}
