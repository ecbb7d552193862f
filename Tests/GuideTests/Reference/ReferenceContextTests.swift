import Foundation
import SwiftData
import Testing

/// The examples in the comments of ``ModelContext``.
@Suite struct ReferenceContextTests {
  typealias Playlist = ReferenceExamples.Playlist
  typealias Song = ReferenceExamples.Song
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    let container = try ModelContainer(
      for: Playlist.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    self.container = container
    let context = ModelContext(container)
    self.context = context
    let playlist = Playlist(name: "Berlin")
    context.insert(playlist)
    playlist.songs = [Song(title: "Heroes", year: 1977), Song(title: "Subterraneans", year: 1974)]
    try context.save()
  }

  private var songs: [Song] {
    get throws { try context.fetch(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)])) }
  }

  private func print(_ words: Any...) {}

  @Test func `insert, fetch and delete`() throws {
    let song = Song(title: "Warszawa", year: 1977)
    context.insert(song)
    try context.save()
    #expect(try songs.map(\.title) == ["Heroes", "Subterraneans", "Warszawa"])

    let recent = FetchDescriptor<Song>(predicate: #Predicate { $0.year > 1975 }, sortBy: [SortDescriptor(\.title)])
    for song in try context.fetch(recent) { print(song.title) }
    #expect(try context.fetch(recent).map(\.title) == ["Heroes", "Warszawa"])

    let old = FetchDescriptor<Song>(predicate: #Predicate { $0.year < 1975 })
    for song in try context.fetch(old) { context.delete(song) }
    try context.save()
    #expect(try songs.map(\.title) == ["Heroes", "Warszawa"])
  }

  @Test func `a descriptor`() throws {
    var newest = FetchDescriptor<Song>(sortBy: [SortDescriptor(\.year, order: .reverse)])
    newest.fetchLimit = 10
    #expect(try context.fetch(newest).map(\.title) == ["Heroes", "Subterraneans"])
  }

  @Test func `save and transaction`() throws {
    let song = try songs[0]
    song.year = 1976
    do { try context.save() } catch let error as RoostError {
      for fault in error.faults { print(fault.property ?? "", fault.detail) }
    }
    #expect(!context.hasChanges)

    try context.transaction {
      context.insert(Song(title: "Sound and Vision", year: 1977))
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Song>()) == 3)
  }

  @Test func `enumerate`() throws {
    try context.enumerate(FetchDescriptor<Song>(), batchSize: 1000) { song in
      song.title = song.title.uppercased()
    }
    try context.save()
    #expect(try songs.map(\.title) == ["HEROES", "SUBTERRANEANS"])
  }

  @Test func `waiting without a thread`() async throws {
    let songs = try await context.fetching(FetchDescriptor<Song>())
    #expect(songs.count == 2)

    let playlists = try await context.fetching(FetchDescriptor<Playlist>())
    try await context.loading(playlists, \.songs)
    for playlist in playlists { print(playlist.songs.map(\.title)) }
    #expect(playlists.flatMap(\.songs).count == 2)

    let recent = FetchDescriptor<Song>(predicate: #Predicate { $0.year > 1975 })
    let found = try await context.withCancellation { try context.fetch(recent) }
    #expect(found.map(\.title) == ["Heroes"])
  }

  @Test func `a child context`() throws {
    let song = try songs[1]
    let form = try ModelContext(parent: context)
    let draft: Song? = try form.existingModel(for: song.persistentModelID)
    draft?.title = "Heroes"
    try form.save()
    #expect(song.title == "Heroes" && context.hasChanges)
  }

  @Test func `a snapshot of the container`() throws {
    let then = try container.snapshot()
    let report = try then.fetch(FetchDescriptor<Song>())
    #expect(report.count == 2)
  }

  @Test func `an observer of results`() throws {
    let observer = try ResultsObserver(filterBy: #Predicate<Song> { $0.year > 1975 }, modelContext: context)
    print(observer.results.map(\.title))
    #expect(observer.results.map(\.title) == ["Heroes"])
    context.insert(Song(title: "Fame", year: 1976))
    #expect(observer.results.count == 2)
  }
}
