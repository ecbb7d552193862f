/// The tracks of the tour's store, each known from its number alone, so that every answer can be checked.
struct Library {
  static let tracksOfAlbum = 10
  static let albumsOfArtist = 10
  static let years = 1950..<2025
  static let lengths = 60..<480

  private static let adjectives = ["Quiet", "Northern", "Silver", "Slow", "Electric", "Hollow", "Amber", "Restless"]
  private static let nouns = ["River", "Harbour", "Lantern", "Signal", "Meadow", "Window", "Engine", "Sparrow"]

  /// The number of tracks.
  var count: Int

  var albumCount: Int { (count + Self.tracksOfAlbum - 1) / Self.tracksOfAlbum }
  var artistCount: Int { (albumCount + Self.albumsOfArtist - 1) / Self.albumsOfArtist }
  var labelCount: Int { 10 }

  static func title(_ number: Int) -> String { words(number, 1) + " \(number)" }
  static func year(_ number: Int) -> Int { pick(years, number, purpose: 2) }
  static func seconds(_ number: Int) -> Int { pick(lengths, number, purpose: 3) }
  static func album(_ number: Int) -> String { words(number, 4) + " Sessions \(number)" }
  static func artist(_ number: Int) -> String { "The " + words(number, 5) + "s \(number)" }
  static func label(_ number: Int) -> String { words(number, 6) + " Records \(number)" }
  static func note(_ number: Int) -> String { "\(mixed(~UInt64(number))) seen from the window" }

  /// The numbers of the tracks that fulfil a condition, ascending.
  func numbers(where holds: (Int) -> Bool) -> [Int] { (0..<count).filter(holds) }

  private static func pick(_ range: Range<Int>, _ number: Int, purpose: UInt64) -> Int {
    range.lowerBound + Int(mixed(UInt64(number) &* 8 &+ purpose) % UInt64(range.count))
  }

  private static func words(_ number: Int, _ purpose: UInt64) -> String {
    let word = mixed(UInt64(number) &* 8 &+ purpose)
    return adjectives[Int(word % 8)] + " " + nouns[Int(word / 8 % 8)]
  }

  /// A number that looks random; no two are equal.
  static func mixed(_ number: UInt64) -> UInt64 {
    var word = number &+ 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}

extension Library {
  /// Whether a track has the values that were stored.
  static func isRight(_ track: Track, _ number: Int) -> Bool {
    track.number == number && track.title == title(number) && track.year == year(number)
      && track.seconds == seconds(number) && track.plays == 0
  }
}
