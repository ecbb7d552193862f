/// A track as engines return and take it: texts are borrowed bytes, all other fields are plain
/// values.
///
/// Every engine decodes all fields of a row into this type, without making objects or strings.
struct TrackRow {
  var id: UnsafeRawBufferPointer
  var title: UnsafeRawBufferPointer
  var artist: UnsafeRawBufferPointer
  /// The number of the album's row, from 1 on.
  var album: UInt64
  var duration: Double
  var genre: UnsafeRawBufferPointer?
  /// Seconds since the beginning of 2001.
  var releaseDate: Double
  var playCount: Int64
  var isExplicit: Bool

  /// A word that depends on every field: for a text on its length, its beginning and its end.
  @inline(__always)
  var word: UInt64 {
    var word = Self.word(id)
    word = Self.join(word, Self.word(title))
    word = Self.join(word, Self.word(artist))
    word = Self.join(word, album)
    word = Self.join(word, duration.bitPattern)
    word = Self.join(word, genre.map { Self.word($0) } ?? 0)
    word = Self.join(word, releaseDate.bitPattern)
    word = Self.join(word, UInt64(bitPattern: playCount))
    return Self.join(word, isExplicit ? 1 : 2)
  }

  @inline(__always)
  static func join(_ one: UInt64, _ other: UInt64) -> UInt64 {
    (one &<< 7 | one &>> 57) &* 0x9E37_79B9_7F4A_7C15 ^ other
  }

  @inline(__always)
  static func word(_ text: UnsafeRawBufferPointer) -> UInt64 {
    guard text.count >= 8 else { return shortWord(text) }
    let first = text.loadUnaligned(as: UInt64.self)
    let last = text.loadUnaligned(fromByteOffset: text.count &- 8, as: UInt64.self)
    return first &+ (last &<< 1) &+ UInt64(truncatingIfNeeded: text.count)
  }

  private static func shortWord(_ text: UnsafeRawBufferPointer) -> UInt64 {
    var word: UInt64 = 0
    for byte in text { word = word &<< 8 | UInt64(byte) }
    return word &+ UInt64(text.count) &<< 56
  }
}

/// The digest of a walk over tracks.
struct TrackDigest: Equatable {
  private(set) var count = 0
  /// Does not depend on the order.
  private(set) var sum: UInt64 = 0
  /// Depends on the order and on the numbers of the rows.
  private(set) var fold: UInt64 = 0

  @inline(__always)
  mutating func add(_ number: UInt64, _ row: TrackRow) { add(number, row.word) }

  @inline(__always)
  mutating func add(_ number: UInt64, _ word: UInt64) {
    count += 1
    sum &+= word
    fold = fold &* 0xD134_2543_DE82_EF95 &+ (word ^ number)
  }

  /// Whether the same tracks were seen, in any order and under any numbers.
  func hasSameContent(as other: TrackDigest) -> Bool { count == other.count && sum == other.sum }
}
