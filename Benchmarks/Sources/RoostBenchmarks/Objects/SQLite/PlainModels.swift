import CSQLite
import Foundation

/// A track of an object layer over SQLite: a plain class that reports its changes to the layer.
final class PlainTrack: TrackValues {
  /// The columns, by their indexes in ``SQLiteLibrarySession/columns``.
  enum Column: Int {
    case id, title, artist, album, duration, genre, releaseDate, playCount, explicit

    var bit: UInt16 { 1 << UInt16(rawValue) }
    var parameter: Int32 { Int32(rawValue) + 1 }
  }

  static let texts = Column.id.bit | Column.title.bit | Column.artist.bit | Column.genre.bit

  var id: String { didSet { change(.id) } }
  var title: String { didSet { change(.title) } }
  var artist: String { didSet { change(.artist) } }
  var duration: Double { didSet { change(.duration) } }
  var genre: String? { didSet { change(.genre) } }
  var releaseDate: Date { didSet { change(.releaseDate) } }
  var playCount: Int { didSet { change(.playCount) } }
  var explicit: Bool { didSet { change(.explicit) } }

  /// 0 before the first save.
  private(set) var row: Int64 = 0
  /// One bit for each changed column that is not saved.
  private(set) var changes: UInt16 = 0
  private var albumRow: Int64
  private var knownAlbum: PlainAlbum?
  /// Nil before the first save.
  private var layer: SQLiteObjects?

  /// A new track.
  convenience init(_ values: TrackRow, _ album: PlainAlbum) {
    self.init(values, albumRow: album.row)
    knownAlbum = album
  }

  /// A track that was read. Its album is loaded at the first access.
  convenience init(_ values: TrackRow, row: Int64, of layer: SQLiteObjects) {
    self.init(values, albumRow: Int64(bitPattern: values.album))
    self.row = row
    self.layer = layer
  }

  private init(_ values: TrackRow, albumRow: Int64) {
    id = String(values.id)
    title = String(values.title)
    artist = String(values.artist)
    duration = values.duration
    genre = values.genre.map { String($0) }
    releaseDate = Date(timeIntervalSinceReferenceDate: values.releaseDate)
    playCount = Int(values.playCount)
    explicit = values.isExplicit
    self.albumRow = albumRow
  }

  deinit { layer?.tracks.forget(row, self) }

  var album: PlainAlbum? {
    get {
      if let knownAlbum { return knownAlbum }
      knownAlbum = layer?.album(albumRow)
      return knownAlbum
    }
    set {
      knownAlbum = newValue
      albumRow = newValue?.row ?? 0
      change(.album)
    }
  }

  private func change(_ column: Column) {
    guard let layer else { return }
    if changes == 0 { layer.noteChange(of: self) }
    changes |= column.bit
  }

  func wasSaved(_ row: Int64, by layer: SQLiteObjects) {
    self.row = row
    self.layer = layer
    changes = 0
  }

  /// Binds the changed values.
  func bindNumbers(to statement: OpaquePointer) {
    let has = { [changes] (column: Column) in changes & column.bit != 0 }
    if has(.album) { sqlite3_bind_int64(statement, Column.album.parameter, albumRow) }
    if has(.duration) { sqlite3_bind_double(statement, Column.duration.parameter, duration) }
    if has(.releaseDate) {
      sqlite3_bind_double(statement, Column.releaseDate.parameter, releaseDate.timeIntervalSinceReferenceDate)
    }
    if has(.playCount) { sqlite3_bind_int64(statement, Column.playCount.parameter, Int64(playCount)) }
    if has(.explicit) { sqlite3_bind_int64(statement, Column.explicit.parameter, explicit ? 1 : 0) }
  }

  /// Calls `body` with the values, whose texts are valid until it returns.
  @inline(__always)
  func withValues<Result>(_ body: (TrackRow) throws -> Result) rethrows -> Result {
    var (id, title, artist, genre) = (id, title, artist, genre ?? "")
    let hasGenre = self.genre != nil
    return try id.withUTF8 { id in
      try title.withUTF8 { title in
        try artist.withUTF8 { artist in
          try genre.withUTF8 { genre in
            try body(
              TrackRow(
                id: UnsafeRawBufferPointer(id), title: UnsafeRawBufferPointer(title),
                artist: UnsafeRawBufferPointer(artist), album: UInt64(bitPattern: albumRow), duration: duration,
                genre: hasGenre ? UnsafeRawBufferPointer(genre) : nil,
                releaseDate: releaseDate.timeIntervalSinceReferenceDate, playCount: Int64(playCount),
                isExplicit: explicit))
          }
        }
      }
    }
  }
}

final class PlainAlbum {
  let row: Int64
  let title: String
  private let layer: SQLiteObjects

  init(_ title: String, row: Int64, of layer: SQLiteObjects) {
    self.title = title
    self.row = row
    self.layer = layer
  }

  deinit { layer.albums.forget(row, self) }
}

/// A parent with an array of children.
final class PlainPlaylist {
  let row: Int64
  private(set) var entries: [PlainEntry] = []
  private let layer: SQLiteObjects

  init(row: Int64, of layer: SQLiteObjects) {
    self.row = row
    self.layer = layer
  }

  func append(_ entry: PlainEntry) {
    entry.place = (row, Int64(entries.count))
    entries.append(entry)
    layer.insert(entry)
  }
}

final class PlainEntry {
  let name: String
  /// The playlist's row, and the position in its array.
  fileprivate(set) var place: (playlist: Int64, position: Int64) = (0, 0)
  private var row: Int64 = 0
  private var layer: SQLiteObjects?

  init(name: String) { self.name = name }

  deinit { layer?.entries.forget(row, self) }

  func wasSaved(_ row: Int64, by layer: SQLiteObjects) {
    self.row = row
    self.layer = layer
  }
}
