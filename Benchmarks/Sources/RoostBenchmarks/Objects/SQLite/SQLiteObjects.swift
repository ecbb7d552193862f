import CSQLite
import Foundation

/// A small hand-written object layer over one SQLite connection, for the music library.
///
/// A row has one object at a time. Fetched objects are filled at once; a track's album is loaded at
/// the first access. Changes wait until `save`, which writes all of them in one transaction, and
/// only the changed columns of a changed track.
final class SQLiteObjects {
  private let rows: SQLiteLibrarySession
  private let connection: SQLiteConnection
  private let statements: Statements
  /// Update statements, by the columns that they change.
  private var updates: [UInt16: OpaquePointer] = [:]

  var tracks = IdentityMap<PlainTrack>()
  var albums = IdentityMap<PlainAlbum>()
  var entries = IdentityMap<PlainEntry>()

  private var inserted: [PlainTrack] = []
  private var upserted: [PlainTrack] = []
  private var changed: [PlainTrack] = []
  private var deleted: [PlainAlbum] = []
  private var newEntries: [PlainEntry] = []

  struct Statements {
    let byRow, byID, all, firstByDate, love, albumsOfTracks, titles: OpaquePointer
    let album, allAlbums, insert, upsert, rowOfID, insertEntry, deleteTracks, deleteAlbum: OpaquePointer

    fileprivate var list: [OpaquePointer] {
      [
        byRow, byID, all, firstByDate, love, albumsOfTracks, titles, album, allAlbums, insert, upsert, rowOfID,
        insertEntry, deleteTracks, deleteAlbum,
      ]
    }
  }

  init(_ rows: SQLiteLibrarySession) throws {
    self.rows = rows
    connection = rows.connection
    let columns = SQLiteLibrarySession.columns
    let tracks = "SELECT \(columns), row FROM tracks"
    statements = Statements(
      byRow: try connection.prepare("\(tracks) WHERE row = ?"),
      byID: try connection.prepare("\(tracks) WHERE id = ?"),
      all: try connection.prepare("\(tracks) ORDER BY row"),
      firstByDate: try connection.prepare("\(tracks) WHERE genre = ? AND duration > ? ORDER BY releaseDate LIMIT ?"),
      love: try connection.prepare("\(tracks) WHERE duration > ? AND title LIKE '%love%'"),
      albumsOfTracks: try connection.prepare(
        "SELECT row, title FROM albums WHERE EXISTS (SELECT 1 FROM tracks WHERE album = albums.row)"),
      titles: try connection.prepare("SELECT title, duration FROM tracks"),
      album: try connection.prepare("SELECT title FROM albums WHERE row = ?"),
      allAlbums: try connection.prepare("SELECT row, title FROM albums ORDER BY row"),
      insert: try connection.prepare("INSERT INTO tracks(\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      upsert: try connection.prepare(SQLiteLibrarySession.upsert),
      rowOfID: try connection.prepare("SELECT row FROM tracks WHERE id = ?"),
      insertEntry: try connection.prepare("INSERT INTO children(parent, position, name) VALUES (?, ?, ?)"),
      deleteTracks: try connection.prepare("DELETE FROM tracks WHERE album = ?"),
      deleteAlbum: try connection.prepare("DELETE FROM albums WHERE row = ?"))
  }

  func close() {
    for statement in statements.list + updates.values { sqlite3_finalize(statement) }
  }

  // MARK: Fetching

  /// The tracks of a statement. `bind` sets its parameters.
  func fetch(
    _ statement: KeyPath<Statements, OpaquePointer>, _ bind: (OpaquePointer) -> Void = { _ in }
  ) throws -> [PlainTrack] {
    let statement = statements[keyPath: statement]
    bind(statement)
    return try tracks(of: statement)
  }

  func firstTracks(genre: inout String, longerThan duration: Double, limit: Int) throws -> [PlainTrack] {
    let statement = statements.firstByDate
    sqlite3_bind_double(statement, 2, duration)
    sqlite3_bind_int64(statement, 3, Int64(limit))
    return try genre.withUTF8 { genre in
      statement.bind(1, UnsafeRawBufferPointer(genre))
      return try tracks(of: statement)
    }
  }

  private func tracks(of statement: OpaquePointer) throws -> [PlainTrack] {
    var found: [PlainTrack] = []
    try connection.each(statement) { found.append(track($0)) }
    return found
  }

  func track(_ row: Int64) throws -> PlainTrack? {
    if let known = tracks[row] { return known }
    sqlite3_bind_int64(statements.byRow, 1, row)
    return try first(statements.byRow)
  }

  func track(id: inout String) throws -> PlainTrack? {
    try id.withUTF8 { id in
      statements.byID.bind(1, UnsafeRawBufferPointer(id))
      return try first(statements.byID)
    }
  }

  private func first(_ statement: OpaquePointer) throws -> PlainTrack? {
    defer { sqlite3_reset(statement) }
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return track(statement)
    case SQLITE_DONE: return nil
    default: throw connection.failure("step")
    }
  }

  /// All tracks, with their albums in memory.
  func fetchWithAlbums() throws -> (tracks: [PlainTrack], albums: [PlainAlbum]) {
    var result: (tracks: [PlainTrack], albums: [PlainAlbum]) = ([], [])
    try rows.read {
      result.albums = try albums(of: statements.albumsOfTracks)
      result.tracks = try tracks(of: statements.all)
    }
    return result
  }

  func fetchAlbums() throws -> [PlainAlbum] { try albums(of: statements.allAlbums) }

  private func albums(of statement: OpaquePointer) throws -> [PlainAlbum] {
    var found: [PlainAlbum] = []
    try connection.each(statement) { statement in
      let row = sqlite3_column_int64(statement, 0)
      found.append(albums[row] ?? addAlbum(row, String(statement.text(1))))
    }
    return found
  }

  /// Two values of each track, without making track objects.
  func fetchTitles() throws -> [(title: String, duration: Double)] {
    var found: [(title: String, duration: Double)] = []
    try connection.each(statements.titles) { found.append((String($0.text(0)), sqlite3_column_double($0, 1))) }
    return found
  }

  @inline(__always)
  private func track(_ statement: OpaquePointer) -> PlainTrack {
    let row = sqlite3_column_int64(statement, 9)
    if let known = tracks[row] { return known }
    let track = PlainTrack(statement.track, row: row, of: self)
    tracks.add(row, track)
    return track
  }

  private func addAlbum(_ row: Int64, _ title: String) -> PlainAlbum {
    let album = PlainAlbum(title, row: row, of: self)
    albums.add(row, album)
    return album
  }

  func album(_ row: Int64) -> PlainAlbum? {
    if let known = albums[row] { return known }
    let statement = statements.album
    sqlite3_bind_int64(statement, 1, row)
    defer { sqlite3_reset(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW else { return nil }
    return addAlbum(row, String(statement.text(0)))
  }

  // MARK: Changing

  func insert(_ track: PlainTrack) { inserted.append(track) }
  /// Inserts the track, or gives it the row of the one with the same id.
  func upsert(_ track: PlainTrack) { upserted.append(track) }
  func insert(_ entry: PlainEntry) { newEntries.append(entry) }
  /// Deletes an album and its tracks.
  func delete(_ album: PlainAlbum) { deleted.append(album) }
  func noteChange(of track: PlainTrack) { changed.append(track) }

  func save() throws {
    try rows.write {
      for track in inserted {
        try track.withValues { values in
          statements.insert.bind(values)
          try connection.run(statements.insert)
        }
        wasSaved(track, connection.lastRow)
      }
      for track in upserted {
        wasSaved(track, try upsertNow(track))
      }
      for track in changed { try update(track) }
      for entry in newEntries { try insertNow(entry) }
      for album in deleted {
        for statement in [statements.deleteTracks, statements.deleteAlbum] {
          sqlite3_bind_int64(statement, 1, album.row)
          try connection.run(statement)
        }
      }
    }
    inserted.removeAll(keepingCapacity: true)
    upserted.removeAll(keepingCapacity: true)
    changed.removeAll(keepingCapacity: true)
    newEntries.removeAll(keepingCapacity: true)
    deleted.removeAll()
  }

  private func wasSaved(_ track: PlainTrack, _ row: Int64) {
    track.wasSaved(row, by: self)
    tracks.add(row, track)
  }

  /// Returns the row. An update returns no row number, so the row is looked up. A `RETURNING`
  /// clause takes longer, because SQLite makes a table for its result.
  private func upsertNow(_ track: PlainTrack) throws -> Int64 {
    try track.withValues { values in
      connection.lastRow = 0
      statements.upsert.bind(values)
      try connection.run(statements.upsert)
      let inserted = connection.lastRow
      if inserted != 0 { return inserted }
      var row: Int64 = 0
      statements.rowOfID.bind(1, values.id)
      try connection.each(statements.rowOfID) { row = sqlite3_column_int64($0, 0) }
      return row
    }
  }

  private func insertNow(_ entry: PlainEntry) throws {
    let statement = statements.insertEntry
    sqlite3_bind_int64(statement, 1, entry.place.playlist)
    sqlite3_bind_int64(statement, 2, entry.place.position)
    var name = entry.name
    try name.withUTF8 { name in
      statement.bind(3, UnsafeRawBufferPointer(name))
      try connection.run(statement)
    }
    let row = connection.lastRow
    entry.wasSaved(row, by: self)
    entries.add(row, entry)
  }

  private func update(_ track: PlainTrack) throws {
    let statement = try updates[track.changes] ?? prepareUpdate(track.changes)
    sqlite3_bind_int64(statement, 10, track.row)
    if track.changes & PlainTrack.texts != 0 {
      try track.withValues { values in
        statement.bind(values)
        try connection.run(statement)
      }
    } else {
      track.bindNumbers(to: statement)
      try connection.run(statement)
    }
    track.wasSaved(track.row, by: self)
  }

  /// The number of a column's parameter is its position, from 1 on.
  private func prepareUpdate(_ changes: UInt16) throws -> OpaquePointer {
    let names = SQLiteLibrarySession.columns.split(separator: ", ")
    let changed = names.indices.filter { changes & 1 << UInt16($0) != 0 }.map { "\(names[$0]) = ?\($0 + 1)" }
    let statement = try connection.prepare("UPDATE tracks SET \(changed.joined(separator: ", ")) WHERE row = ?10")
    updates[changes] = statement
    return statement
  }
}
