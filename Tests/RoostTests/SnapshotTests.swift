import SwiftData
import Testing

@Suite struct SnapshotTests {
  private func filled() throws -> (ModelContainer, ModelContext, Artist) {
    let container = try makeContainer()
    let context = ModelContext(container)
    let ella = Artist("Ella", born: Date(timeIntervalSinceReferenceDate: 5), street: "Elm")
    context.insert(ella)
    for title in ["c", "a", "b"] {
      ella.albums.append(Album(title, year: 1950, genre: .jazz, note: title == "a" ? "n" : nil, tags: ["x", title]))
    }
    try context.save()
    return (container, context, ella)
  }

  @Test func `a snapshot has every value, and identifiers for relationships`() throws {
    let (container, context, ella) = try filled()
    let all = try context.fetchSnapshots(FetchDescriptor<Artist>())
    #expect(all == [ella.snapshot])
    let snapshot = all[0]
    #expect(snapshot.persistentModelID == ella.persistentModelID && snapshot.entityName == "Artist")
    #expect(snapshot[\.name] == "Ella" && snapshot.name == "Ella" && snapshot.born == ella.born)
    #expect(snapshot.address == ella.address && snapshot.address.street == "Elm" && snapshot.home == nil)
    #expect(snapshot[\.albums] == ella.albums.map(\.persistentModelID) && snapshot.albums.count == 3)
    let albums = try container.fetchSnapshots(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)]))
    #expect(albums.map(\.title) == ["a", "b", "c"] && albums.map(\.genre) == [.jazz, .jazz, .jazz])
    #expect(albums.map(\.note) == ["n", nil, nil] && albums.map(\.tags) == [["x", "a"], ["x", "b"], ["x", "c"]])
    #expect(albums[0].artist == ella.persistentModelID && albums[0].swapped == Swapped(first: "", second: ""))
    #expect(try albums.values(of: \.year) == [1950, 1950, 1950] && albums[0].grade == .good)
    #expect(albums == ella.albums.sorted { $0.title < $1.title }.map(\.snapshot))
    #expect(try container.snapshot(for: ella.persistentModelID) == snapshot)
  }

  @Test func `values computed from stored ones are read, and relationships are refused`() throws {
    let (_, _, ella) = try filled()
    let album = try #require(ella.albums.first).snapshot
    #expect(album.decade == 195 && album[\.decade] == 195)
    #expect(album[\.swapped.first] == "" && ella.snapshot[\.address.street] == "Elm")
    #expect(album.id == ella.albums[0].persistentModelID && album[\.persistentModelID] == album.persistentModelID)
    let name = \Album.artist?.name
    let error = #expect(throws: RoostError.self) { try album.value(of: name) }
    #expect(error?.code == .badValue && error?.detail.contains("Album.artist") == true)
    #expect(throws: RoostError.self) { try ella.snapshot.value(of: \.albums.count) }
    #expect(try ella.snapshot.value(of: \.albums) == ella.albums.map(\.persistentModelID))
    #expect(try album.value(of: \.artist) == ella.persistentModelID)
  }

  @Test func `unsaved changes are in a snapshot, and a saved one is unchanged`() throws {
    let (container, context, ella) = try filled()
    let before = ella.snapshot
    ella.name = "E"
    ella.albums.removeLast()
    ella.albums.swapAt(0, 1)
    let new = Artist("New")
    context.insert(new)
    let now = try context.fetchSnapshots(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)]))
    #expect(now.map(\.name) == ["E", "New"])
    #expect(now[0].albums == [before.albums[1], before.albums[0]] && now == [ella.snapshot, new.snapshot])
    #expect(now[1].persistentModelID == new.persistentModelID && now[1].persistentModelID.storeIdentifier == nil)
    #expect(try container.fetchSnapshots(FetchDescriptor<Artist>()) == [before])
    #expect(before.name == "Ella")
    #expect(now[0].differences(from: before).map(\.property) == ["name", "albums"])
    #expect(now[0].differences(from: before)[0].description == "name: \"Ella\" → \"E\"")
    context.delete(new)
    #expect(try context.fetchSnapshots(FetchDescriptor<Artist>()).count == 1)
    #expect(try context.snapshot(for: new.persistentModelID, as: Artist.self) == nil)
    let doomed = ella.albums[0]
    context.delete(doomed)
    #expect(try context.snapshot(for: ella.persistentModelID, as: Artist.self)?.albums == [before.albums[0]])
  }

  @Test func `a model without a context has a snapshot`() throws {
    let artist = Artist("Free")
    let album = Album("Own", artist: artist)
    let snapshot = album.snapshot
    #expect(snapshot.title == "Own" && snapshot.artist == artist.persistentModelID)
    #expect(snapshot == album.snapshot && snapshot.hashValue == album.snapshot.hashValue)
    album.title = "Other"
    #expect(snapshot != album.snapshot && snapshot.title == "Own")
    #expect(ModelSnapshot(artist).albums == [])
  }

  @Test func `a snapshot is readable after all else is released`() throws {
    func make() throws -> ([ModelSnapshot<Artist>], ModelSnapshot<Album>) {
      let (container, _, ella) = try filled()
      return (try container.fetchSnapshots(FetchDescriptor<Artist>()), ella.albums[0].snapshot)
    }
    let (artists, album) = try make()
    #expect(artists.map(\.name) == ["Ella"] && artists[0].albums.count == 3 && album.title == "c")
  }

  @Test func `snapshots can be sent to other actors`() async throws {
    let (container, _, ella) = try filled()
    let identifier = ella.persistentModelID
    let name = try await Task.detached { try container.snapshot(for: identifier, as: Artist.self)?.name }.value
    #expect(name == "Ella")
  }

  @Test func `lists can be left out, and then are not loaded`() throws {
    let (_, context, ella) = try filled()
    let short = try context.fetchSnapshots(FetchDescriptor<Artist>(), includingLists: false)[0]
    #expect(!short.isLoaded(\.albums) && short.isLoaded(\.name) && short != ella.snapshot)
    let error = #expect(throws: RoostError.self) { try short.value(of: \.albums) }
    #expect(error?.detail.contains("Artist.albums was not read") == true)
    #expect(short.differences(from: ella.snapshot).isEmpty)
    try context.apply(short)
    #expect(ella.albums.count == 3 && !context.hasChanges)
  }

  @Test func `a large value is in the snapshot itself`() throws {
    let (container, context, ella) = try filled()
    let long = String(repeating: "long ", count: 400_000)
    ella.albums[0].note = long
    try context.save()
    let found = try container.fetchSnapshots(FetchDescriptor<Album>(predicate: #Predicate { $0.title == "c" }))
    #expect(found[0].note == long && found[0] == ella.albums[0].snapshot)
  }

  @Test func `snapshots of subclasses have the added properties`() throws {
    let container = try ModelContainer(
      for: Animal.self, Dog.self, Owner.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let (cat, dog, owner) = (Animal("Tom"), Dog("Rex", tricks: 3), Owner())
    owner.pets = [dog, cat]
    context.insert(owner)
    try context.save()
    let all = try ModelContext(container).fetchSnapshots(FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.name)]))
    #expect(all.map(\.entityName) == ["Dog", "Animal"] && all.map(\.name) == ["Rex", "Tom"])
    #expect(all[0] == (dog as Animal).snapshot && all[0].as(Dog.self) == dog.snapshot)
    #expect(all[0].as(Dog.self)?.tricks == 3 && all[0].as(Dog.self)?.name == "Rex" && all[1].as(Dog.self) == nil)
    #expect(
      try container.fetchSnapshots(FetchDescriptor<Owner>())[0].pets == [dog.persistentModelID, cat.persistentModelID])
    let coded = try JSONDecoder().decode([ModelSnapshot<Animal>].self, from: JSONEncoder().encode(all))
    #expect(coded == all)
  }

  @Test func `missing values are refused`() throws {
    let (container, context, ella) = try filled()
    let (_, other, stranger) = try filled()
    #expect(throws: RoostError.self) { try context.snapshot(for: stranger.persistentModelID, as: Artist.self) }
    #expect(throws: RoostError.self) { try context.fetchSnapshots(FetchDescriptor<Stranger>()) }
    #expect(try container.snapshot(for: ella.persistentModelID, as: Album.self) == nil)
    var snapshot = ella.snapshot
    #expect(throws: RoostError.self) { try snapshot.set(\.address.street, to: "x") }
    try snapshot.set(\.albums, to: [stranger.albums[0].persistentModelID])
    let error = #expect(throws: RoostError.self) { try context.apply(snapshot) }
    #expect(error?.code == .foreign && error?.detail.contains("Artist.albums") == true)
    try snapshot.set(\.albums, to: [ella.persistentModelID])
    #expect(throws: RoostError.self) { try context.apply(snapshot) }
    #expect(!context.hasChanges && ella.albums.count == 3)
    _ = other
  }
}
