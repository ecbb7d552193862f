import Foundation
import SwiftData

@Model class LiveSong {
  var title: String
  var genre: String?
  var year: Int
  /// Unique.
  var number: Int
  var album: LiveAlbum?
  var tags: [LiveTag] = []

  init(_ title: String, _ genre: String?, year: Int, number: Int) {
    (self.title, self.genre, self.year, self.number) = (title, genre, year, number)
  }

  /// Only computed in memory.
  var century: String { "\(year / 100)" }
}

@Model final class LiveSingle: LiveSong {
  var price: Int

  override init(_ title: String, _ genre: String?, year: Int, number: Int) {
    price = year / 100
    super.init(title, genre, year: year, number: number)
  }
}

@Model final class LiveAlbum {
  #Index<LiveAlbum>([\.name])
  var name: String
  var number: Int
  @Relationship(deleteRule: .nullify, inverse: \LiveSong.album) var songs: [LiveSong] = []

  init(_ name: String, number: Int) { (self.name, self.number) = (name, number) }
}

@Model final class LiveTag {
  @Attribute(.unique) var word: String
  @Relationship(inverse: \LiveSong.tags) var songs: [LiveSong] = []

  init(_ word: String) { self.word = word }
}
