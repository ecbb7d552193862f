import RoostQuery
import RoostRecords

/// The positions of a track's fields in a row of the newest layout.
struct TrackPlaces {
  let version: Int
  let id, title, artist, album, duration, genre, releaseDate, playCount, explicit: FieldPlace

  init(_ table: TableReader) throws {
    let version = table.layouts.count - 1
    func place(_ name: String) throws -> FieldPlace { try table.access(name).places[version] }
    self.version = version
    id = try place("id")
    title = try place("title")
    artist = try place("artist")
    album = try place("album")
    duration = try place("duration")
    genre = try place("genre")
    releaseDate = try place("releaseDate")
    playCount = try place("playCount")
    explicit = try place("explicit")
  }

  /// Every row here has the newest layout, and none has a value outside.
  @inline(__always)
  func track(_ row: Row) -> TrackRow {
    precondition(row.version == version)
    let start = row.start
    return TrackRow(
      id: id.variable(start).bytes, title: title.variable(start).bytes, artist: artist.variable(start).bytes,
      album: album.fixed(start).loadUnaligned(as: UInt64.self),
      duration: duration.fixed(start).loadUnaligned(as: Double.self),
      genre: genre.isNull(start) ? nil : genre.variable(start).bytes,
      releaseDate: releaseDate.fixed(start).loadUnaligned(as: Double.self),
      playCount: playCount.fixed(start).loadUnaligned(as: Int64.self),
      isExplicit: explicit.fixed(start).load(as: UInt8.self) != 0)
  }
}

/// The slots of a builder for the fields of a track.
struct TrackSlots {
  let id, title, artist, album, duration, genre, releaseDate, playCount, explicit: Slot

  init(_ table: TableWriter) throws {
    id = try table.slot("id")
    title = try table.slot("title")
    artist = try table.slot("artist")
    album = try table.slot("album")
    duration = try table.slot("duration")
    genre = try table.slot("genre")
    releaseDate = try table.slot("releaseDate")
    playCount = try table.slot("playCount")
    explicit = try table.slot("explicit")
  }

  func fill(_ builder: inout RowBuilder, with track: TrackRow) {
    builder.clear()
    builder.set(id, bytes: track.id)
    builder.set(title, bytes: track.title)
    builder.set(artist, bytes: track.artist)
    builder.set(album, word: track.album)
    builder.set(duration, double: track.duration)
    if let bytes = track.genre { builder.set(genre, bytes: bytes) } else { builder.setNull(genre) }
    builder.set(releaseDate, double: track.releaseDate)
    builder.set(playCount, word: UInt64(bitPattern: track.playCount))
    builder.set(explicit, bool: track.isExplicit)
  }
}

/// A track's fields in conditions.
struct TrackNames {
  let title, duration, genre, releaseDate: Expression

  init(_ table: TableReader) {
    func name(_ name: String) -> Expression { .field(.row, table.entity.field(name)!.id) }
    title = name("title")
    duration = name("duration")
    genre = name("genre")
    releaseDate = name("releaseDate")
  }
}
