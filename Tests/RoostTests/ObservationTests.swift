import Observation
import RoostGraph
import SwiftData
import Synchronization
import Testing

/// A tracking is notified of changes of the models that were read inside it.
@Suite struct ObservationTests {
  /// The number of notifications for one read.
  private func told(reading read: () -> Void, then change: () throws -> Void) rethrows -> Int {
    let count = Counter()
    withObservationTracking(read) { count.add() }
    try change()
    return count.value
  }

  private final class Counter: Sendable {
    private let count = Mutex(0)
    func add() { count.withLock { $0 += 1 } }
    var value: Int { count.withLock { $0 } }
  }

  private func filled(_ container: ModelContainer) throws -> ModelContext {
    let context = ModelContext(container)
    let artist = Artist("Ella")
    artist.albums = [Album("Mack"), Album("Hello")]
    context.insert(artist)
    try context.save()
    return context
  }

  @Test @MainActor func `models of the main context are observed`() throws {
    let container = try makeContainer()
    _ = try filled(container)
    let context = container.mainContext
    #expect(context.observesObjects)
    let artist = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
    #expect(told(reading: { _ = artist.name }, then: { artist.born = .now }) == 0)
    #expect(told(reading: { _ = artist.name }, then: { artist.name = "Louis" }) == 1)
    #expect(told(reading: { _ = artist.albums.count }, then: { artist.albums.removeLast() }) == 1)
    let new = Artist("new")
    context.insert(new)
    #expect(told(reading: { _ = new.name }, then: { new.name = "newer" }) == 1)
  }

  /// Regression: models outside the main context notified no observer, without an error. In
  /// SwiftData every model is observable.
  @Test func `models of any context are observed, from the first tracking on`() throws {
    let container = try makeContainer()
    _ = try filled(container)
    let context = ModelContext(container)
    let artist = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
    #expect(!context.observesObjects)
    #expect(told(reading: { _ = artist.name }, then: { artist.name = "Louis" }) == 1)
    #expect(context.observesObjects)
    let album = try #require(artist.albums.first)
    #expect(told(reading: { _ = album.title }, then: { album.title = "b" }) == 1)
    let other = ModelContext(container)
    let new = Artist("new")
    other.insert(new)
    #expect(told(reading: { _ = new.name }, then: { new.name = "newer" }) == 1)
    let third = ModelContext(container)
    // A fetch, or a model that is loaded then, notifies too.
    var found: [Artist] = []
    let early = told(reading: { found = (try? third.fetch(FetchDescriptor<Artist>())) ?? [] }) {
      found.first?.name = "x"
    }
    #expect(early == 0 && third.observesObjects)
    #expect(told(reading: { _ = found.first?.name }, then: { found.first?.name = "y" }) == 1)
  }

  @Test func `a save of another context notifies in any context`() throws {
    let container = try makeContainer()
    let other = try filled(container)
    let context = ModelContext(container)
    let artist = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
    let merged = try told(reading: { _ = artist.name }) {
      try #require(try other.fetch(FetchDescriptor<Artist>()).first).name = "Billie"
      try other.save()
      context.processPendingChanges()
    }
    #expect(merged == 1 && artist.name == "Billie")
  }

  @Test func `a read outside a tracking registers nothing`() throws {
    let context = ModelContext(try filled(makeContainer()).container)
    let artist = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
    #expect(artist.name == "Ella" && artist.albums.count == 2)
    let hasExtras = artist._$state.extras != nil
    #expect(!hasExtras && !context.observesObjects)
  }

  @Test func `a context with many models finds a tracking by the first ones, then notifies for all`() throws {
    let container = try makeContainer()
    let made = ModelContext(container)
    for number in 0..<300 { made.insert(Artist("\(number)")) }
    try made.save()
    let context = ModelContext(container)
    let all = try context.fetch(FetchDescriptor<Artist>())
    #expect(told(reading: { _ = (all[0].name, all[299].name) }, then: { all[299].name = "x" }) == 1)
    #expect(told(reading: { _ = all[250].name }, then: { all[250].name = "x" }) == 1)
    // None of the first ones, and not loaded.
    let late = ModelContext(container)
    let faults = try late.fetch(FetchDescriptor<Artist>())
    late.reset()
    #expect(told(reading: { _ = faults[299].name }, then: { faults[299].name = "w" }) == 1)
    let told250 = ModelContext(container)
    told250.observesObjects = true
    let others = try told250.fetch(FetchDescriptor<Artist>())
    #expect(told(reading: { _ = others[250].name }, then: { others[250].name = "y" }) == 1)
    let silent = ModelContext(container)
    silent.observesObjects = false
    let some = try silent.fetch(FetchDescriptor<Artist>())
    #expect(told(reading: { _ = some[0].name }, then: { some[0].name = "z" }) == 0)
  }

  @Test func `it is switched on and off`() throws {
    let context = try filled(makeContainer())
    let artist = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
    context.observesObjects = true
    #expect(told(reading: { _ = artist.name }, then: { artist.name = "a" }) == 1)
    let album = try #require(artist.albums.first)
    #expect(told(reading: { _ = album.title }, then: { album.title = "b" }) == 1)
    context.observesObjects = false
    #expect(told(reading: { _ = artist.name }, then: { artist.name = "c" }) == 0)
    let isReady = artist._$state._isReady
    #expect(isReady)
    // An observer that waits already is notified.
    context.observesObjects = true
    let count = try told(reading: { _ = artist.name }) {
      context.observesObjects = false
      artist.name = "d"
      try context.save()
    }
    #expect(count == 1)
  }

  @Test func `a model in use by a tracking stays observed in its context`() throws {
    let context = ModelContext(try makeContainer())
    let artist = Artist("Ella")
    let count = told(reading: { _ = artist.name }) {
      context.insert(artist)
      artist.name = "Louis"
    }
    #expect(count == 1)
  }

  @Test func `the other side of a relationship notifies too`() throws {
    let context = try filled(makeContainer())
    context.observesObjects = true
    let artist = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
    let album = Album("new")
    context.insert(album)
    #expect(told(reading: { _ = artist.albums.count }, then: { album.artist = artist }) == 1)
    #expect(told(reading: { _ = album.artist?.name }, then: { artist.albums.removeAll { $0 === album } }) == 1)
    #expect(album.artist == nil)
    #expect(told(reading: { _ = album.artist }, then: { artist.albums.append(album) }) == 1)
    #expect(told(reading: { _ = artist.albums.count }, then: { context.delete(album) }) == 1)
    #expect(artist.albums.count == 2)
  }

  @Test func `saves of others and rollbacks notify too`() throws {
    let context = try filled(makeContainer())
    context.observesObjects = true
    let artist = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
    let other = ModelContext(context.container)
    let same = try #require(try other.fetch(FetchDescriptor<Artist>()).first)
    let merged = try told(reading: { _ = artist.name }) {
      same.name = "Louis"
      try other.save()
      _ = try context.fetchCount(FetchDescriptor<Artist>())
    }
    #expect(merged == 1 && artist.name == "Louis")
    artist.name = "Billie"
    #expect(told(reading: { _ = artist.name }, then: { context.rollback() }) == 1)
    #expect(artist.name == "Louis")
  }

  @Test func `changes that a save makes itself notify too`() throws {
    let context = try filled(makeContainer())
    context.observesObjects = true
    let artist = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
    // An upsert gives this model another model's values.
    let upsert = try told(reading: { _ = artist.address }) {
      context.insert(Artist("Ella", street: "Elm"))
      try context.save()
    }
    #expect(upsert == 1 && artist.address.street == "Elm")
    let other = ModelContext(context.container)
    context.automaticallyMergesChanges = false
    context.mergePolicy = .storeWins
    let same = try #require(try other.fetch(FetchDescriptor<Artist>()).first)
    same.address = Address(street: "Oak", number: 1)
    try other.save()
    artist.address = Address(street: "Ash", number: 2)
    let loses = try told(reading: { _ = artist.address }, then: { try context.save() })
    #expect(loses == 1 && artist.address.street == "Oak")
  }

  @Test func `a reset notifies too, for values and lists`() throws {
    let context = try filled(makeContainer())
    context.observesObjects = true
    let artist = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
    #expect(told(reading: { _ = artist.name }, then: { context.reset() }) == 1)
    #expect(told(reading: { _ = artist.albums.count }, then: { context.reset() }) == 1)
  }

  @Test func `an inherited property is observed through the class that declares it`() throws {
    let container = try ModelContainer(for: Dog.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let (context, other) = (ModelContext(container), ModelContext(container))
    context.observesObjects = true
    let dog = Dog("Rex", tricks: 1)
    context.insert(dog)
    try context.save()
    #expect(told(reading: { _ = dog.name }, then: { dog.name = "Rover" }) == 1)
    #expect(told(reading: { _ = dog.name }, then: { context.rollback() }) == 1)
    let same = try #require(try other.fetch(FetchDescriptor<Dog>()).first)
    let merged = try told(reading: { _ = (dog.name, dog.tricks) }) {
      same.name = "Bello"
      try other.save()
      _ = try context.fetchCount(FetchDescriptor<Dog>())
    }
    #expect(merged == 1 && dog.name == "Bello")
  }
}
