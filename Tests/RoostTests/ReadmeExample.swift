import SwiftData

@Model final class Playlist {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Song.playlist) var songs: [Song] = []

  init(name: String) { self.name = name }
}

@Model final class Song {
  var title: String
  var year: Int
  var playlist: Playlist?

  init(title: String, year: Int) {
    self.title = title
    self.year = year
  }
}

func listSongs(in file: URL) throws -> [String] {
  let container = try ModelContainer(for: Playlist.self, configurations: ModelConfiguration(url: file))
  let context = ModelContext(container)

  let berlin = Playlist(name: "Berlin")
  berlin.songs = [Song(title: "Warszawa", year: 1977), Song(title: "Heroes", year: 1977)]
  berlin.songs.append(Song(title: "DJ", year: 1979))
  context.insert(berlin)
  try context.save()

  // The engine answers the predicate. Setting one side of a relationship sets the other. A list keeps its order.
  let found = try context.fetch(
    FetchDescriptor<Song>(predicate: #Predicate { $0.playlist?.name == "Berlin" && $0.year < 1979 }))
  return berlin.songs.map(\.title) + found.map { "\($0.title) is in \($0.playlist?.name ?? "none")" }
}
