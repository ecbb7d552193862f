import SwiftData
import Testing

/// Statistics, reading ahead, and contexts that refuse loops with single reads.
@Suite struct StrictTests {
  private func makeFilled(_ artists: Int, albums: Int = 3) throws -> ModelContainer {
    let container = try makeContainer()
    let context = ModelContext(container)
    for number in 0..<artists {
      let artist = Artist("artist \(number)")
      for at in 0..<albums { artist.albums.append(Album("album \(number) \(at)", year: 1900 + at)) }
      context.insert(artist)
    }
    try context.save()
    return container
  }

  @Test func `a loop over a fetch needs no single reads`() throws {
    let context = ModelContext(try makeFilled(40))
    context.isStrict = true
    var names: Set<String> = []
    for album in try context.fetch(FetchDescriptor<Album>()) { if let name = album.artist?.name { names.insert(name) } }
    #expect(names.count == 40)
    #expect(context.statistics.faultsFilled == 0 && context.statistics.coarseReads == 1)
    #expect(try context.fetchCount(FetchDescriptor<Album>()) == 120)
  }

  @Test func `named relationships are read with the fetch`() throws {
    let context = ModelContext(try makeFilled(40))
    var albums = FetchDescriptor<Album>()
    albums.relationshipKeyPathsForPrefetching = [\.artist]
    let found = try context.fetch(albums)
    let read = context.statistics
    #expect(read.faultsFilledTogether == 40)
    for album in found { #expect(album.artist?.name.isEmpty == false) }
    #expect(context.statistics == read)

    let other = ModelContext(context.container)
    var artists = FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)])
    artists.relationshipKeyPathsForPrefetching = [\.albums]
    let all = try other.fetch(artists)
    #expect(other.statistics.listsLoadedTogether == 40)
    for artist in all { #expect(artist.albums.count == 3) }
    #expect(other.statistics.listsLoaded == 0 && other.statistics.coarseReads == 1)
  }

  @Test func `reading ahead sees unsaved changes`() throws {
    let context = ModelContext(try makeFilled(5))
    let artist = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
    let new = Album("new", artist: artist)
    context.insert(new)
    var artists = FetchDescriptor<Artist>()
    artists.relationshipKeyPathsForPrefetching = [\.albums]
    let found = try context.fetch(artists)
    #expect(found.first { $0 === artist }?.albums.last === new)
    #expect(found.map(\.albums.count).sorted() == [3, 3, 3, 3, 4])
  }

  @Test func `a loop that reads models one by one makes the next call throw`() throws {
    let context = ModelContext(try makeFilled(40))
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Artist>())
    context.isStrict = true
    for identifier in identifiers { #expect((context.model(for: identifier) as? Artist)?.name.isEmpty == false) }
    let error = #expect(throws: RoostError.self) { try context.fetch(FetchDescriptor<Album>()) }
    #expect(error?.code == .readOneByOne)
    #expect(error?.detail.contains("Artist") == true && error?.detail.contains("predicate") == true)
    // The error was thrown already.
    #expect(try context.fetch(FetchDescriptor<Album>()).count == 120)
    try context.save()
  }

  @Test func `a loop that follows relationships one by one gets their name in the error`() throws {
    let context = ModelContext(try makeFilled(40))
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Artist>())
    let artists = identifiers.compactMap { context.model(for: $0) as? Artist }
    context.isStrict = true
    // Models that were read one by one are in no fetch.
    for artist in artists { #expect(artist.albums.count == 3) }
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .readOneByOne)
    #expect(error?.detail.contains("Artist.albums") == true)
    #expect(error?.detail.contains("relationshipKeyPathsForPrefetching") == true)
  }

  @Test func `a few single reads are no error`() throws {
    let context = ModelContext(try makeFilled(40))
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Artist>())
    context.isStrict = true
    for start in stride(from: 0, to: 40, by: 8) {
      for identifier in identifiers[start..<start + 8] { #expect(context.model(for: identifier).isDeleted == false) }
      #expect(try context.fetchCount(FetchDescriptor<Artist>()) == 40)
    }
  }
}
