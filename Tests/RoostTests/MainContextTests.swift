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

  @Test func `the main context keeps its container`() throws {
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

  @Test(.timeLimit(.minutes(1))) func `the main context saves by itself`() async throws {
    let container = try makeContainer()
    let context = container.mainContext
    context.insert(Artist("Ella"))
    while context.hasChanges { try await Task.sleep(for: .milliseconds(50)) }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Artist>()) == 1)
  }

  #if DEBUG
    @Test func `a model of the main context that another thread uses is named`() async throws {
      let container = try makeContainer()
      let main = container.mainContext
      let artist = Artist("Ella")
      artist.albums = [Album("a")]
      main.insert(artist)
      try main.save()
      main.reset()
      // Unsafe, as what is tested is.
      nonisolated(unsafe) let shared = artist
      #expect(await Task.detached { shared.albums.count }.value == 1)
      let error = #expect(throws: RoostError.self) { try main.fetchCount(FetchDescriptor<Artist>()) }
      #expect(error?.code == .twoThreads && error?.description.contains("Artist.albums") == true)
      #expect(error?.description.contains("give each thread or actor its own") == true)
      #expect(try main.fetchCount(FetchDescriptor<Artist>()) == 1 && artist.albums.count == 1)
    }
  #endif
}
