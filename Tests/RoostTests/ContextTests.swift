import Observation
import SwiftData
import Testing

@Suite struct ContextTests {
  @Test func `inserted and saved models are fetched by another context`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let ella = Artist("Ella")
    context.insert(Album("Mack", year: 1960, artist: ella))
    #expect(context.hasChanges && ella.modelContext === context)
    #expect(context.insertedModelsArray.count == 2)
    try context.save()
    #expect(!context.hasChanges && context.insertedModelsArray.isEmpty)
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Album>())
    #expect(found.map(\.title) == ["Mack"])
    #expect(found.first?.artist?.name == "Ella")
    #expect(found.first?.artist?.albums.map(\.title) == ["Mack"])
    #expect(found.first?.modelContext === other)
  }

  @Test func `the three arrays contain the unsaved changes`() throws {
    let context = ModelContext(try makeContainer())
    let (one, two) = (Artist("one"), Artist("two"))
    context.insert(one)
    context.insert(two)
    try context.save()
    let three = Artist("three")
    context.insert(three)
    one.name = "first"
    context.delete(two)
    #expect(context.insertedModelsArray.map(\.persistentModelID) == [three.persistentModelID])
    #expect(context.changedModelsArray.map(\.persistentModelID) == [one.persistentModelID])
    #expect(context.deletedModelsArray.map(\.persistentModelID) == [two.persistentModelID])
    #expect(one.hasChanges && two.isDeleted && !one.isDeleted)
    context.rollback()
    #expect(one.name == "one" && !two.isDeleted && three.modelContext == nil && !context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Artist>()) == 2)
  }

  @Test func `an identifier is permanent`() throws {
    let context = ModelContext(try makeContainer())
    let artist = Artist("Ella")
    let before = artist.persistentModelID
    #expect(before.storeIdentifier == nil)
    context.insert(artist)
    let inserted = artist.persistentModelID
    #expect(inserted.storeIdentifier == nil && inserted.entityName == "Artist")
    #expect(context.model(for: before) as? Artist === artist)
    try context.save()
    let saved = artist.persistentModelID
    #expect(saved.storeIdentifier != nil && saved == inserted && saved.hashValue == inserted.hashValue)
    #expect(artist.id == saved && saved.id == inserted.id)
    #expect(context.model(for: inserted) as? Artist === artist)
    let known: Artist? = context.registeredModel(for: inserted)
    #expect(known === artist)
    let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(saved))
    #expect(decoded == saved && decoded.storeIdentifier == saved.storeIdentifier)
    let again: Artist? = try context.existingModel(for: decoded)
    #expect(again === artist)
  }

  @Test func `a deleted model reports that, and ignores changes`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let artist = Artist("Ella", born: .now)
    context.insert(artist)
    try context.save()
    let identifier = artist.persistentModelID
    let other = ModelContext(container)
    context.delete(artist)
    try context.save()
    #expect(artist.isDeleted && artist.name == "Ella" && artist.modelContext == nil)
    let gone: Artist? = try other.existingModel(for: identifier)
    #expect(gone == nil)
    let dead = try #require(other.model(for: identifier) as? Artist)
    #expect(dead.isDeleted && dead.name == "" && dead.born == nil && dead.albums.isEmpty)
    let registered: Artist? = other.registeredModel(for: identifier)
    #expect(registered == nil)
  }

  @Test func `a model of another container is refused with its name`() throws {
    let (one, two) = (ModelContext(try makeContainer()), ModelContext(try makeContainer()))
    let artist = Artist("Ella")
    one.insert(artist)
    try one.save()
    let identifier = artist.persistentModelID
    let error = #expect(throws: RoostError.self) { let _: Artist? = try two.existingModel(for: identifier) }
    #expect(error?.code == .foreign)
    two.insert(artist)
    #expect(throws: RoostError.self) { try two.save() }
    two.rollback()
    try two.save()
    two.insert(Stranger())
    let unknown = #expect(throws: RoostError.self) { try two.save() }
    #expect(unknown?.code == .unknownModel && unknown?.detail.contains("Stranger") == true)
  }

  @Test func `delete rules apply at once`() throws {
    let context = ModelContext(try makeContainer())
    let ella = Artist("Ella")
    for number in 0..<3 { context.insert(Album("\(number)", artist: ella)) }
    try context.save()
    context.delete(ella)
    #expect(try context.fetchCount(FetchDescriptor<Album>()) == 0)
    #expect(try context.fetch(FetchDescriptor<Album>()).isEmpty)
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Album>()) == 0)
  }

  @Test func `delete rules apply to models that no context has read`() throws {
    let container = try makeContainer()
    let ella = Artist("Ella")
    let writing = ModelContext(container)
    for number in 0..<3 { writing.insert(Album("\(number)", artist: ella)) }
    try writing.save()
    let context = ModelContext(container)
    context.delete(try #require(try context.fetch(FetchDescriptor<Artist>()).first))
    #expect(try context.fetchCount(FetchDescriptor<Album>()) == 0)
    #expect(try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)])).isEmpty)
    context.delete(Album("in no context"))
    try context.save()
    #expect(try writing.fetchCount(FetchDescriptor<Album>()) == 0)
  }

  @Test func `models are deleted by a predicate`() throws {
    let context = ModelContext(try makeContainer())
    for year in 1990..<2000 { context.insert(Album("\(year)", year: year)) }
    try context.save()
    context.insert(Album("1999 again", year: 1999))
    try context.delete(model: Album.self, where: #Predicate { $0.year > 1995 })
    #expect(try context.fetchCount(FetchDescriptor<Album>()) == 6)
    try context.save()
    try context.delete(model: Album.self)
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Album>()) == 0)
  }

  @Test func `a transaction saves, and a reset forgets`() throws {
    let context = ModelContext(try makeContainer())
    try context.transaction {
      context.insert(Artist("Ella"))
      context.insert(Artist("Louis"))
    }
    #expect(!context.hasChanges)
    let ella = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
    ella.name = "E."
    context.insert(Artist("third"))
    context.reset()
    #expect(ella.name == "Ella" && !context.hasChanges)
    struct Stop: Error {}
    #expect(throws: Stop.self) { try context.transaction { throw Stop() } }
  }

  @Test func `no code of a program runs between the report and the commit of a save`() throws {
    let container = try makeContainer()
    // Unsafe, because all of it runs on this thread.
    nonisolated(unsafe) let (context, other) = (ModelContext(container), ModelContext(container))
    context.observesObjects = true
    let (changed, shown) = (Artist("changed"), Artist("shown"))
    context.insert(changed)
    context.insert(shown)
    try context.save()
    let log = Log()
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: context, queue: nil
    ) { _ in
      // The save merges this commit after the program was notified.
      let same = try? other.fetch(FetchDescriptor<Artist>()).first { $0.name == "shown" }
      same?.name = "by another context"
      try? other.save()
    }
    defer { NotificationCenter.default.removeObserver(token) }
    withObservationTracking {
      _ = shown.name
    } onChange: {
      log.add(Notification.Name(context.hasChanges ? "before the commit" : "after the commit"), nil)
    }
    changed.name = "here"
    try context.save()
    #expect(log.names.map(\.rawValue) == ["after the commit"])
    #expect(shown.name == "by another context" && !context.hasChanges)
  }

  @Test func `a save reports what it wrote`() throws {
    let context = ModelContext(try makeContainer())
    let (kept, gone) = (Artist("kept"), Artist("gone"))
    context.insert(kept)
    context.insert(gone)
    try context.save()
    let log = Log()
    let tokens = [ModelContext.willSave, ModelContext.didSave].map { name in
      NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
        if (note.object as? ModelContext)?.author == "teller" { log.add(name, note.userInfo) }
      }
    }
    defer { tokens.forEach { NotificationCenter.default.removeObserver($0) } }
    context.author = "teller"
    #expect(context.editingState.author == "teller")
    try context.save()
    #expect(log.names.isEmpty)
    let new = Artist("new")
    context.insert(new)
    kept.name = "changed"
    context.delete(gone)
    try context.save()
    #expect(log.names == [ModelContext.willSave, ModelContext.didSave])
    #expect(log.identifiers("inserted") == [new.persistentModelID])
    #expect(log.identifiers("inserted").first?.storeIdentifier != nil)
    #expect(log.identifiers("updated") == [kept.persistentModelID])
    #expect(log.identifiers("deleted") == [gone.persistentModelID])
    let keys = ModelContext.NotificationKey.self
    #expect(log.identifiers(keys.insertedIdentifiers.rawValue) == log.identifiers("inserted"))
    #expect(log.identifiers(keys.deletedIdentifiers.rawValue) == log.identifiers("deleted"))
  }

  // Unchecked, because all of it runs on one thread.
  private final class Log: @unchecked Sendable {
    var names: [Notification.Name] = []
    var info: [AnyHashable: Any] = [:]

    func add(_ name: Notification.Name, _ info: [AnyHashable: Any]?) {
      names.append(name)
      self.info = info ?? [:]
    }

    func identifiers(_ key: String) -> [PersistentIdentifier] { info[key] as? [PersistentIdentifier] ?? [] }
  }

  @Test func `enumerating visits every model once`() throws {
    let context = ModelContext(try makeContainer())
    for number in 0..<100 { context.insert(Album("\(number)", year: number)) }
    try context.save()
    var years: [Int] = []
    try context.enumerate(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.year)]), batchSize: 7) { album in
      years.append(album.year)
      album.price = 2
    }
    #expect(years == Array(0..<100))
    #expect(context.statistics.faultsFilled == 0 && context.statistics.modelsFetched > 0)
    #expect(context.changedModelsArray.count == 100)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Album>(predicate: #Predicate { $0.price == 2 })) == 100)
  }

  @Test func `load throws errors that a getter cannot throw`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let artist = Artist("Ella")
    #expect(throws: RoostError.self) { try context.load(artist) }
    context.insert(artist)
    try context.save()
    try context.load(artist)
    #expect(artist.name == "Ella")
  }
}
