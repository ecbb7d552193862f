import SwiftData
import Testing

/// Fetches through relationships with unsaved links and unsaved targets.
@Suite struct PendingLinkTests {
  /// The expected state of the context.
  private final class Shadow {
    var artists: [(model: Artist, name: String)] = []
    var albums: [(model: Album, year: Int, artist: Artist?)] = []

    func albums(of artist: Artist) -> [Int] { albums.filter { $0.artist === artist }.map(\.year) }
  }

  @Test(arguments: 1...12) func `a fetch sees unsaved links`(seed: UInt64) throws {
    var random = Random(seed: seed &+ 1000)
    let container = try makeContainer()
    let context = ModelContext(container)
    let shadow = Shadow()
    for step in 0..<120 {
      switch random.next(12) {
      case 0, 1:
        let artist = Artist("\(step)")
        context.insert(artist)
        shadow.artists.append((artist, "\(step)"))
      case 2, 3, 4:
        let artist = shadow.artists.isEmpty ? nil : shadow.artists[random.next(shadow.artists.count)].model
        let year = random.next(6)
        let album = Album("x", year: year)
        if let artist, random.next(2) == 0 {
          artist.albums.append(album)
        } else {
          context.insert(album)
          album.artist = artist
        }
        shadow.albums.append((album, year, artist))
      case 5, 6:
        guard !shadow.albums.isEmpty, !shadow.artists.isEmpty else { continue }
        let at = random.next(shadow.albums.count)
        let artist = random.next(4) == 0 ? nil : shadow.artists[random.next(shadow.artists.count)].model
        shadow.albums[at].artist = artist
        shadow.albums[at].model.artist = artist
      case 7:
        guard !shadow.albums.isEmpty else { continue }
        let at = random.next(shadow.albums.count)
        shadow.albums[at].year = random.next(6)
        shadow.albums[at].model.year = shadow.albums[at].year
      case 8:
        guard !shadow.artists.isEmpty else { continue }
        let at = random.next(shadow.artists.count)
        shadow.artists[at].name = "\(step)"
        shadow.artists[at].model.name = "\(step)"
      case 9:
        guard !shadow.artists.isEmpty else { continue }
        let artist = shadow.artists.remove(at: random.next(shadow.artists.count)).model
        shadow.albums.removeAll { $0.artist === artist }
        context.delete(artist)
      case 10:
        guard !shadow.albums.isEmpty else { continue }
        context.delete(shadow.albums.remove(at: random.next(shadow.albums.count)).model)
      default: try context.save()
      }
      try compare(context, shadow, &random)
    }
    try context.save()
    try compare(ModelContext(container), shadow, &random)
  }

  private func compare(_ context: ModelContext, _ shadow: Shadow, _ random: inout Random) throws {
    let year = random.next(6)
    let name = shadow.artists.isEmpty ? "none" : shadow.artists[random.next(shadow.artists.count)].name
    func check<Model: PersistentModel>(_ predicate: Predicate<Model>, _ expected: [Model]) throws {
      let found = try context.fetch(FetchDescriptor(predicate: predicate))
      #expect(Set(found.map(\.persistentModelID)) == Set(expected.map(\.persistentModelID)))
      #expect(found.count == expected.count)
      #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == expected.count)
    }
    func named(_ artist: Artist?) -> String? { shadow.artists.first { $0.model === artist }?.name }
    switch random.next(5) {
    case 0:
      try check(#Predicate { $0.artist?.name == name }, shadow.albums.filter { named($0.artist) == name }.map(\.model))
    case 1: try check(#Predicate { $0.artist == nil }, shadow.albums.filter { $0.artist == nil }.map(\.model))
    case 2:
      let wanted = shadow.artists.filter { shadow.albums(of: $0.model).contains(year) }
      try check(#Predicate { $0.albums.contains { $0.year == year } }, wanted.map(\.model))
    case 3:
      let wanted = shadow.artists.filter { shadow.albums(of: $0.model).count > year / 2 }
      let least = year / 2
      try check(#Predicate { $0.albums.count > least }, wanted.map(\.model))
    default:
      guard let artist = shadow.artists.first?.model else { return }
      let identifier = artist.persistentModelID
      let wanted = shadow.albums.filter { $0.artist === artist && $0.year >= year }.map(\.model)
      try check(#Predicate { $0.artist?.persistentModelID == identifier && $0.year >= year }, wanted)
    }
  }

  @Test func `a context sees commits of others at its next fetch`() throws {
    let container = try makeContainer()
    let (one, two) = (ModelContext(container), ModelContext(container))
    let ella = Artist("Ella")
    one.insert(ella)
    try one.save()
    let same = try #require(try two.fetch(FetchDescriptor<Artist>()).first)
    #expect(same !== ella && same.persistentModelID == ella.persistentModelID)
    same.albums.append(Album("Mack"))
    try two.save()
    let found = try one.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.artist?.name == "Ella" }))
    #expect(found.map(\.title) == ["Mack"] && ella.albums.map(\.title) == ["Mack"])
    #expect(found.first?.artist === ella)
  }
}
