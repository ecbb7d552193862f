import SwiftData
import Testing

@ModelActor actor Librarian {
  func add(_ title: String) throws -> PersistentIdentifier {
    let album = Album(title)
    modelContext.insert(album)
    try modelContext.save()
    return album.persistentModelID
  }

  func title(_ identifier: PersistentIdentifier) -> String? { self[identifier, as: Album.self]?.title }
  func isOnMainThread() -> Bool { Thread.isMainThread }
}

/// An actor that works with a context of its own model container.
actor Clerk: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor

  @MainActor init(_ context: ModelContext) {
    modelContainer = context.container
    modelExecutor = DefaultSerialModelExecutor(modelContext: context)
  }

  func add(_ title: String) throws -> PersistentIdentifier {
    let album = Album(title)
    modelContext.insert(album)
    try modelContext.save()
    return album.persistentModelID
  }

  func isAtHome() -> Bool { MainActor.assumeIsolated { true } }
}

@Suite struct ActorTests {
  @Test @MainActor func `an actor works off the main thread, on whichever thread it was made`() async throws {
    let librarian = Librarian(modelContainer: try makeContainer())
    let identifier = try await librarian.add("Mack")
    #expect(await librarian.title(identifier) == "Mack")
    #expect(await !librarian.isOnMainThread())
    #expect(try librarian.modelContainer.mainContext.fetch(FetchDescriptor<Album>()).map(\.title) == ["Mack"])
  }

  @Test @MainActor func `an actor with the main context runs on the main actor`() async throws {
    let container = try makeContainer()
    let clerk = Clerk(container.mainContext)
    // Stops the program if this is another actor's executor.
    #expect(await clerk.isAtHome())
    let identifier = try await clerk.add("Mack")
    #expect((container.mainContext.model(for: identifier) as? Album)?.title == "Mack")
  }

  @Test func `many actors need no threads of their own`() async throws {
    let container = try makeContainer()
    let before = try threads()
    let all = (0..<10_000).map { _ in Librarian(modelContainer: container) }
    for librarian in all.prefix(100) { _ = await librarian.isOnMainThread() }
    let more = try threads() - before
    #expect(more < 64)
    #expect(all.count == 10_000)
  }

  @Test func `actors that save at the same time lose nothing`() async throws {
    let container = try makeContainer()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<6 {
        group.addTask {
          let librarian = Librarian(modelContainer: container)
          for step in 0..<25 {
            let identifier = try await librarian.add("\(number) \(step)")
            #expect(await librarian.title(identifier) == "\(number) \(step)")
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Album>()) == 150)
  }

  private func threads() throws -> Int {
    #if os(Linux)
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    #else
      0
    #endif
  }
}
