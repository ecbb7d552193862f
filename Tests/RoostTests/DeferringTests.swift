import SwiftData
import Testing

/// Commits and models of other contexts, seen from a context.
@Suite struct DeferringTests {
  @Test func `commits of others are visible at the next call`() throws {
    let container = try makeContainer()
    let (one, two) = (ModelContext(container), ModelContext(container))
    let album = Album("Mack", year: 1990)
    one.insert(album)
    try one.save()
    let seen = try #require(try two.fetch(FetchDescriptor<Album>()).first)
    album.year = 1991
    try one.save()
    #expect(seen.year == 1990)
    #expect(!two.hasChanges && seen.year == 1991)
    one.delete(album)
    try one.save()
    #expect(two.registeredModel(for: seen.persistentModelID) as Album? == nil || seen.isDeleted)
    #expect(seen.isDeleted && seen.year == 1991 && seen.title == "Mack" && seen.modelContext == nil)
  }

  @Test func `merging can be deferred`() throws {
    let container = try makeContainer()
    let (one, two) = (ModelContext(container), ModelContext(container))
    let album = Album("Mack", year: 1990)
    one.insert(album)
    try one.save()
    two.automaticallyMergesChanges = false
    let seen = try #require(try two.fetch(FetchDescriptor<Album>()).first)
    album.year = 1991
    try one.save()
    #expect(try two.fetch(FetchDescriptor<Album>()).first?.year == 1990)
    two.insert(Album("another"))
    try two.save()
    #expect(seen.year == 1991)
    album.year = 1992
    try one.save()
    #expect(!two.hasChanges && seen.year == 1991)
    two.automaticallyMergesChanges = true
    #expect(!two.hasChanges && seen.year == 1992)
  }

  @Test func `a model of another context is an error in every call`() throws {
    let container = try makeContainer()
    let (one, two) = (ModelContext(container), ModelContext(container))
    let album = Album("Mack")
    one.insert(album)
    try one.save()
    for way in 0..<5 {
      let artist = Artist("artist \(way)")
      switch way {
      case 0: two.insert(album)
      case 1: two.delete(album)
      case 2:
        two.insert(artist)
        artist.albums.append(album)
      case 3:
        two.insert(artist)
        artist.albums = [album]
      default:
        // The list inserts the artist into the album's context.
        artist.albums = [album]
        two.insert(artist)
      }
      #expect(throws: (any Error).self, "way \(way)") { try two.save() }
      two.rollback()
      if way == 4 {
        #expect(artist.modelContext == one && album.artist === artist)
        one.rollback()
      }
      #expect(album.modelContext == one && album.artist == nil && !album.isDeleted, "way \(way)")
      #expect(!one.hasChanges)
    }
    try two.save()
    #expect(try two.fetchCount(FetchDescriptor<Artist>()) == 0)
  }

  @Test func `a context that two threads use reports it`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    for number in 0..<200 { context.insert(Album("\(number)")) }
    try context.save()
    // Unsafe, because the test shares a context between threads.
    nonisolated(unsafe) let shared = context
    let clashes = Clashes()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<300 {
        if clashes.count > 0 { return }
        do { _ = try shared.fetchCount(FetchDescriptor<Album>(predicate: #Predicate { $0.title.contains("9") })) } catch
        {
          clashes.note(error)
        }
      }
    }
    // On one processor they may never have met.
    #expect(clashes.codes.allSatisfy { $0 == .twoThreads })
    #expect(try context.fetchCount(FetchDescriptor<Album>()) == 200)
  }

  /// Unchecked because the lock guards it.
  private final class Clashes: @unchecked Sendable {
    private let lock = NSLock()
    private var found: [RoostError.Code?] = []

    func note(_ error: any Error) { lock.withLock { found.append((error as? RoostError)?.code) } }
    var count: Int { lock.withLock { found.count } }
    var codes: [RoostError.Code?] { lock.withLock { found } }
  }
}

@MainActor @Suite struct MainMergingTests {
  @Test(.timeLimit(.minutes(30))) func `the main context merges on the main actor, without a call`() async throws {
    let container = try makeContainer()
    let main = container.mainContext
    let album = Album("Mack", year: 1990)
    main.insert(album)
    try main.save()
    let identifier = album.persistentModelID
    try await Task.detached {
      let other = ModelContext(container)
      let found = try #require(try other.existingModel(for: identifier) as Album?)
      found.year = 1991
      try other.save()
    }.value
    while album.year != 1991 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(!main.hasChanges)
  }

  @Test(.timeLimit(.minutes(30))) func `autosave continues after the cause of its failure is gone`() async throws {
    let container = try makeContainer()
    let main = container.mainContext
    main.uniquePolicy = .throw
    main.insert(Artist("Ella"))
    try main.save()
    let second = Artist("Ella")
    main.insert(second)
    // Time for some attempts.
    try await Task.sleep(for: .milliseconds(1200))
    #expect(main.hasChanges)
    second.name = "Louis"
    while main.hasChanges { try await Task.sleep(for: .milliseconds(50)) }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Artist>()) == 2)
  }
}
