import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// Deletions that are undone before a save, and observers that act during a change.
@Suite struct TakenBackTests {
  private func filled() throws -> (context: ModelContext, artist: Artist) {
    let context = ModelContext(try makeContainer())
    let artist = Artist("Ella")
    artist.albums = [Album("a"), Album("b")]
    context.insert(artist)
    try context.save()
    return (context, artist)
  }

  /// The state in a new context.
  private func stored(_ context: ModelContext) throws -> [String: [String]] {
    let other = ModelContext(context.container)
    let all = try other.fetch(FetchDescriptor<Artist>())
    return Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.albums.map(\.title)) })
  }

  @Test func `a model that is inserted again stays, even if it was changed`() throws {
    let (context, artist) = try filled()
    let album = artist.albums[0]
    context.delete(album)
    context.insert(album)
    album.title = "c"
    #expect(artist.albums.contains(album))
    try context.save()
    #expect(!album.isDeleted)
    #expect(try stored(context)["Ella"]?.sorted() == ["b", "c"])
  }

  @Test func `a model that is inserted again is in its list, even if that was changed`() throws {
    let (context, artist) = try filled()
    let album = artist.albums[0]
    context.delete(album)
    context.insert(album)
    artist.albums.append(Album("new"))
    try context.save()
    #expect(album.artist === artist)
    #expect(try stored(context)["Ella"]?.sorted() == ["a", "b", "new"])
  }

  @Test func `models that a rule deleted move to another owner`() throws {
    let (context, artist) = try filled()
    let albums = artist.albums
    let other = Artist("Louis")
    context.insert(other)
    context.delete(artist)
    other.albums = albums
    try context.save()
    #expect(try stored(context) == ["Louis": ["a", "b"]])
  }

  // MARK: During a notification

  @Test func `a list changes although an observer reads the other side`() throws {
    let (context, artist) = try filled()
    context.observesObjects = true
    let album = artist.albums[0]
    nonisolated(unsafe) let seen = album
    withObservationTracking {
      _ = artist.albums.count
    } onChange: {
      _ = seen.artist?.name
    }
    artist.albums.remove(at: 0)
    #expect(album.artist == nil)
    try context.save()
    #expect(try stored(context) == ["Ella": ["b"]])
  }

  @Test func `a value is saved although an observer saves`() throws {
    let (context, artist) = try filled()
    context.observesObjects = true
    nonisolated(unsafe) let saving = context
    withObservationTracking {
      _ = artist.name
    } onChange: {
      try? saving.save()
    }
    artist.name = "Louis"
    #expect(context.hasChanges)
    try context.save()
    #expect(try stored(context)["Louis"] == ["a", "b"])
  }

  @Test func `a reference changes although an observer changes another one`() throws {
    let (context, artist) = try filled()
    context.observesObjects = true
    let (first, second) = (artist.albums[0], artist.albums[1])
    let (louis, billie) = (Artist("Louis"), Artist("Billie"))
    context.insert(louis)
    context.insert(billie)
    try context.save()
    #expect(louis.albums.isEmpty && billie.albums.isEmpty)
    nonisolated(unsafe) let (moved, target) = (second, billie)
    withObservationTracking {
      _ = first.artist
    } onChange: {
      moved.artist = target
    }
    first.artist = louis
    #expect(artist.albums.isEmpty && louis.albums == [first] && billie.albums == [second])
    try context.save()
    #expect(try stored(context) == ["Ella": [], "Louis": ["a"], "Billie": ["b"]])
  }

  // MARK: Unused models

  @Test(arguments: [0, 1 << 40, UInt64.max - 1, .max])
  func `a made-up identifier finds nothing`(_ row: UInt64) throws {
    let context = ModelContext(try makeContainer())
    for number in 0..<100 { context.insert(Artist("\(number)")) }
    try context.save()
    let other = ModelContext(context.container)
    var kept: [Artist] = []
    for (number, one) in try other.fetch(FetchDescriptor<Artist>()).enumerated() where number % 3 == 0 {
      kept.append(one)
    }
    let known = try #require(kept.first).persistentModelID
    var text = try #require(String(data: JSONEncoder().encode(known), encoding: .utf8))
    let place = try #require(text.range(of: #""row",[0-9]+"#, options: .regularExpression))
    text.replaceSubrange(place, with: "\"row\",\(row)")
    let forged = try JSONDecoder().decode(PersistentIdentifier.self, from: Data(text.utf8))
    let registered: Artist? = other.registeredModel(for: forged)
    #expect(registered == nil)
    #expect(other.model(for: forged).isDeleted)
    withExtendedLifetime(kept) {}
  }

  @Test func `a model that is read after its context was closed is released`() throws {
    weak var seen: Artist?
    do {
      var artist: Artist?
      do {
        let context = try filled().context
        artist = try ModelContext(context.container).fetch(FetchDescriptor<Artist>()).first
      }
      seen = artist
      #expect(artist?.albums.count == 2)
      artist?.name = "Louis"
    }
    #expect(seen == nil)
  }

  @Test func `a protocol is tested on models, not on their classes`() throws {
    let container = try ModelContainer(
      for: Animal.self, Dog.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Animal("Tom"))
    context.insert(Dog("Rex", tricks: 1))
    try context.save()
    let trained = #Predicate<Animal> { $0 is any Trained }
    #expect(try context.fetch(FetchDescriptor(predicate: trained)).map(\.name) == ["Rex"])
  }
}

/// A protocol of some classes.
protocol Trained {}
extension Dog: Trained {}
