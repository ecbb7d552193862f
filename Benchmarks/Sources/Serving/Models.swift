import Foundation
import Roost

@Model final class Album {
  var title: String
  var year: Int
  @Relationship(deleteRule: .cascade, inverse: \Track.album) var tracks: [Track] = []

  init(_ number: Int) {
    title = "album \(number)"
    year = 1950 + number % 70
  }
}

@Model final class Track {
  var number: Int
  var title: String
  var composer: String?
  var seconds: Double
  var rating: Int
  var isLoved: Bool
  var added: Date
  var album: Album?

  init(_ number: Int) {
    self.number = number
    title = "track \(number)"
    composer = number % 3 == 0 ? nil : "composer \(number % 500)"
    seconds = Double(number % 600)
    rating = number % 6
    isLoved = number % 7 == 0
    added = Date(timeIntervalSinceReferenceDate: Double(number) * 60)
  }
}
