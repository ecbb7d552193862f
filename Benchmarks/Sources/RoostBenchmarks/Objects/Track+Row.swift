import Foundation

extension Track {
  /// Makes a model from a row of the library, as a program would from external data.
  convenience init(_ row: TrackRow, _ album: Album?) {
    self.init(
      id: String(row.id), title: String(row.title), artist: String(row.artist), album: album, duration: row.duration,
      genre: row.genre.map { String($0) }, releaseDate: Date(timeIntervalSinceReferenceDate: row.releaseDate),
      playCount: Int(row.playCount), explicit: row.isExplicit)
  }
}

/// The common values of tracks in Roost, in the object layer over SQLite and in GRDB.
protocol TrackValues {
  var id: String { get }
  var title: String { get }
  var artist: String { get }
  var duration: Double { get }
  var genre: String? { get }
  var releaseDate: Date { get }
  var playCount: Int { get }
  var explicit: Bool { get }
}

extension Track: TrackValues {}

extension TrackValues {
  /// Joins all values, as ``TrackRow/word`` does. The album is an object without a number, so its
  /// number counts as 0.
  @inline(__always)
  var word: UInt64 { word(album: 0) }

  @inline(__always)
  func word(album: UInt64) -> UInt64 {
    var word = TrackRow.word(id)
    word = TrackRow.join(word, TrackRow.word(title))
    word = TrackRow.join(word, TrackRow.word(artist))
    word = TrackRow.join(word, album)
    word = TrackRow.join(word, duration.bitPattern)
    word = TrackRow.join(word, genre.map { TrackRow.word($0) } ?? 0)
    word = TrackRow.join(word, releaseDate.timeIntervalSinceReferenceDate.bitPattern)
    word = TrackRow.join(word, UInt64(bitPattern: Int64(playCount)))
    return TrackRow.join(word, explicit ? 1 : 2)
  }
}

extension TrackRow {
  @inline(__always)
  static func word(_ text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { word(UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  init(_ bytes: UnsafeRawBufferPointer) { self.init(decoding: bytes, as: UTF8.self) }
}
