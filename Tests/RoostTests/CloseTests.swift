import Foundation
import SwiftData
import Testing

/// Regression: a container could not be closed. After a run of a program the file that people copy
/// was nearly empty, because the log contained the rest.
@MainActor @Suite struct CloseTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func make() throws -> ModelContainer {
    try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: folder.file()))
  }

  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  private func stored() throws -> [String] {
    try ModelContext(make()).fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)])).map(\.name)
  }

  @Test func `a closed container is one file, and calls throw that it is closed`() throws {
    let container = try make()
    let context = ModelContext(container)
    let ella = Artist("Ella", street: "Elm")
    ella.albums = [Album("Mack")]
    context.insert(ella)
    try context.save()
    #expect(try files().count == 2)
    try container.close()
    #expect(try files() == ["store.roost"])
    #expect(ella.name == "Ella" && ella.address.street == "Elm" && ella.albums.map(\.title) == ["Mack"])
    for call in 0..<8 {
      let error = #expect(throws: RoostError.self, "call \(call)") {
        let fresh = ModelContext(container)
        switch call {
        case 0: _ = try context.fetch(FetchDescriptor<Artist>())
        case 1: _ = try fresh.fetch(FetchDescriptor<Artist>(predicate: #Predicate { $0.name == "Ella" }))
        case 2: _ = try fresh.fetchCount(FetchDescriptor<Artist>())
        case 3: try container.write { $0.insert(Artist("Louis")) }
        case 4: try fresh.update(model: Artist.self) { $0.name = "Louis" }
        case 5: try container.erase()
        case 6: try container.checkpoint()
        default:
          context.insert(Artist("Louis"))
          try context.save()
        }
      }
      #expect(error?.code == .closed, "call \(call): \(String(describing: error))")
      if call == 3 { #expect(error?.description.contains("the container was closed") == true, "\(error as Any)") }
    }
    try container.close()
    #expect(try stored() == ["Ella"])
  }

  @Test func `unsaved changes are discarded, and models keep their values`() throws {
    let container = try make()
    var kept: Artist?
    do {
      let context = ModelContext(container)
      let (ella, louis) = (Artist("Ella", street: "Elm"), Artist("Louis"))
      context.insert(ella)
      try context.save()
      ella.name = "changed"
      context.insert(louis)
      try container.close()
      #expect(ella.name == "changed" && ella.address.street == "Elm" && louis.name == "Louis")
      ella.name = "changed again"
      #expect(ella.name == "changed again")
      kept = ella
    }
    // Its context is gone too.
    #expect(kept?.name == "changed again" && kept?.address.street == "Elm")
    #expect(try stored() == ["Ella"])
  }

  @Test func `the main context is saved first`() throws {
    let container = try make()
    container.mainContext.insert(Artist("Ella"))
    try container.close()
    #expect(try stored() == ["Ella"])
    let error = #expect(throws: RoostError.self) { try container.mainContext.fetch(FetchDescriptor<Artist>()) }
    #expect(error?.code == .closed)
  }

  @Test func `a container whose main context cannot be saved stays open`() throws {
    let container = try make()
    container.mainContext.insert(Artist("Ella"))
    try container.mainContext.save()
    container.mainContext.uniquePolicy = .throw
    container.mainContext.insert(Artist("Ella"))
    let error = #expect(throws: RoostError.self) { try container.close() }
    #expect(error?.code == .notUnique)
    #expect(try container.mainContext.fetchCount(FetchDescriptor<Artist>()) == 2)
    container.mainContext.rollback()
    try container.close()
    #expect(try stored() == ["Ella"])
  }

  @Test func `the store stays open for another container`() throws {
    let (one, two) = (try make(), try make())
    let (first, second) = (ModelContext(one), ModelContext(two))
    first.insert(Artist("Ella"))
    try first.save()
    try one.close()
    try one.close()
    #expect(throws: RoostError.self) { try first.fetchCount(FetchDescriptor<Artist>()) }
    #expect(throws: RoostError.self) { try ModelContext(one).fetchCount(FetchDescriptor<Artist>()) }
    second.insert(Artist("Louis"))
    try second.save()
    #expect(try second.fetchCount(FetchDescriptor<Artist>()) == 2)
    try two.close()
    #expect(try files() == ["store.roost"])
    #expect(try stored() == ["Ella", "Louis"])
  }

  @Test func `released containers do not count`() throws {
    let container = try make()
    for _ in 0..<3 { _ = try make() }
    // It opens the first of its stores and fails at the second.
    try Data("no store at all".utf8).write(to: folder.file("other.roost"))
    #expect(throws: RoostError.self) {
      try ModelContainer(
        for: Schema([Artist.self, Stranger.self]),
        configurations: [
          ModelConfiguration(schema: Schema([Artist.self]), url: folder.file()),
          ModelConfiguration(schema: Schema([Stranger.self]), url: folder.file("other.roost")),
        ])
    }
    try container.close()
    #expect(try !files().contains("store.roost-log"))
  }

  @Test func `a closed file can be opened with other models`() throws {
    let container = try make()
    let context = ModelContext(container)
    try container.close()
    let other = try ModelContainer(for: Stranger.self, configurations: ModelConfiguration(url: folder.file()))
    #expect(try ModelContext(other).fetchCount(FetchDescriptor<Stranger>()) == 0)
    withExtendedLifetime(context) {}
  }

  @Test func `a container that is closed during its own call throws, and can be closed after it`() throws {
    let container = try make()
    let context = ModelContext(container)
    context.insert(Artist("Ella"))
    try context.save()
    _ = try? context.update(model: Artist.self) { _ in
      let error = #expect(throws: RoostError.self) { try container.close() }
      #expect(error?.code == .twoThreads)
    }
    try container.close()
    #expect(try files() == ["store.roost"])
    #expect(try stored() == ["Ella"])
  }

  @Test func `a store in memory is closed too`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    context.insert(Artist("Ella"))
    try context.save()
    try container.close()
    #expect(throws: RoostError.self) { try context.fetchCount(FetchDescriptor<Artist>()) }
  }
}
