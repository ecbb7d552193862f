import Roost

/// The music library as models. A track's properties have the order of ``TrackRow``.
@Model final class Artist {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Album.artist) var albums: [Album] = []

  init(name: String) { self.name = name }
}

@Model final class Album {
  var title: String
  var artist: Artist?
  @Relationship(deleteRule: .cascade, inverse: \Track.album) var tracks: [Track] = []

  init(title: String, artist: Artist?) {
    self.title = title
    self.artist = artist
  }
}

@Model final class Track {
  @Attribute(.unique) var id: String
  var title: String
  var artist: String
  var album: Album?
  var duration: Double
  var genre: String?
  var releaseDate: Date
  var playCount: Int
  var explicit: Bool
  #Index<Track>([\.genre], [\.releaseDate])

  init(
    id: String, title: String, artist: String, album: Album?, duration: Double, genre: String?, releaseDate: Date,
    playCount: Int, explicit: Bool
  ) {
    self.id = id
    self.title = title
    self.artist = artist
    self.album = album
    self.duration = duration
    self.genre = genre
    self.releaseDate = releaseDate
    self.playCount = playCount
    self.explicit = explicit
  }
}

/// A parent with an array of children.
@Model final class Playlist {
  var number: Int
  @Relationship(deleteRule: .cascade, inverse: \Entry.playlist) var entries: [Entry] = []

  init(number: Int) { self.number = number }
}

@Model final class Entry {
  var name: String
  var playlist: Playlist?

  init(name: String) { self.name = name }
}
