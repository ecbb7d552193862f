import Foundation
import Roost

// The models of the tour: one for each delete rule.

@Model final class Label {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .deny, inverse: \Artist.label) var artists: [Artist] = []

  init(_ name: String) { self.name = name }
}

@Model final class Artist {
  @Attribute(.unique) var name: String
  var label: Label?
  @Relationship(deleteRule: .cascade, inverse: \Album.artist) var albums: [Album] = []

  init(_ name: String, on label: Label) {
    self.name = name
    self.label = label
  }
}

@Model final class Album {
  @Attribute(.unique) var title: String
  var artist: Artist?
  @Relationship(deleteRule: .nullify, inverse: \Track.album) var tracks: [Track] = []

  init(_ title: String, by artist: Artist) {
    self.title = title
    self.artist = artist
  }
}

@Model final class Track {
  #Index<Track>([\.year])
  @Attribute(.unique) var number: Int
  var title: String
  var year: Int
  var seconds: Int
  var plays = 0
  var album: Album?
  @Relationship(deleteRule: .noAction, inverse: \Review.track) var reviews: [Review] = []

  init(_ number: Int, title: String, year: Int, seconds: Int, on album: Album?) {
    self.number = number
    self.title = title
    self.year = year
    self.seconds = seconds
    self.album = album
  }
}

@Model final class Review {
  var text: String
  var track: Track?

  init(_ text: String, of track: Track) {
    self.text = text
    self.track = track
  }
}

/// The model that the killed process writes.
@Model final class Visit {
  @Attribute(.unique) var number: Int
  var note: String

  init(_ number: Int) {
    self.number = number
    note = Library.note(number)
  }
}
