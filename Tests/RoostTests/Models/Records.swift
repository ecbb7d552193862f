import Foundation
import SwiftData

enum Feeling: String, Codable, CaseIterable { case calm, angry, sad }
enum Level: Int, Codable { case low = 3, high = 1, middle = 2 }

struct Zip: Codable, Hashable {
  var code: Int
  var area: String?
}

struct Site: Codable, Hashable {
  var city: String
  var zip: Zip
  var open: Bool

  /// Looks like a part, but is computed.
  var capital: String { city.uppercased() }
}

@Model final class Label {
  @Attribute(.unique) var name: String
  var spot: Site
  var branch: Site?
  var rating: Double
  var founded: Date?
  var isOpen: Bool
  @Relationship(inverse: \Disc.label) var discs: [Disc] = []

  init(_ name: String, spot: Site, rating: Double = 0, isOpen: Bool = false) {
    self.name = name
    self.spot = spot
    self.rating = rating
    self.isOpen = isOpen
  }
}

@Model final class Disc {
  var title: String
  var number: Int
  var small: Int8?
  var price: Decimal
  var weight: Float?
  var length: Double
  var released: Date?
  var key: UUID
  var isLive: Bool?
  var isNew: Bool
  var mood: Feeling
  var otherMood: Feeling?
  var level: Level
  var label: Label?
  @Relationship(deleteRule: .cascade, inverse: \Cut.disc) var songs: [Cut] = []
  #Index<Disc>([\.number], [\.title], [\.mood, \.length])

  init(_ title: String, number: Int, label: Label? = nil) {
    self.title = title
    self.number = number
    price = 0
    length = 0
    key = UUID()
    isNew = false
    mood = .calm
    level = .low
    self.label = label
  }

  /// Reads one stored property and changes it.
  var shout: String { title.uppercased() }
  /// Reads a stored property without changing it.
  var alias: String { title }
  /// Stops the program for a model without songs.
  var firstCut: String { songs.first!.name }
}

@Model final class Cut {
  var name: String
  var seconds: Int
  var disc: Disc

  init(_ name: String, seconds: Int, disc: Disc) {
    self.name = name
    self.seconds = seconds
    self.disc = disc
  }
}
