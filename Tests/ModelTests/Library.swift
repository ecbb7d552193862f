import SwiftData

enum Genre: String, Codable { case rock, jazz }
struct Address: Codable, Hashable {
  var street: String
  var number: Int?
}

@Model final class Artist {
  @Attribute(.unique) var name: String
  var born: Date?
  @Relationship(deleteRule: .cascade, inverse: \Album.artist) var albums: [Album] = []
  var address = Address(street: "", number: nil)
  var since = Date.now

  init(name: String) { self.name = name }
}

@Model class Album {
  var title: String
  var year = 1990
  var genre: Genre
  var genreToo: Genre?
  var artist: Artist?
  var notes: [String] = []
  var home: Address?
  @Transient var shown = false
  var length: Double { Double(year) }
  #Index<Album>([\.title], [\.year, \.title])

  init(title: String, genre: Genre) {
    self.title = title
    self.genre = genre
  }
}

@Model class LiveAlbum: Album {
  var place: String
  var guests: [Artist]?

  init(place: String, title: String) {
    self.place = place
    super.init(title: title, genre: .jazz)
  }
}
