import CSQLite
import Foundation

/// A connection with a prepared statement for every timed operation.
final class SQLiteLibrarySession: LibrarySession {
  let connection: SQLiteConnection
  let library: Library
  private let turn: NSLock
  private let statements: Statements

  private struct Statements {
    let begin, commit, insert, byRow, byID, all, two, firstByDate, love, genreCount: OpaquePointer
    let genreAverages, playSum: OpaquePointer
    let joined, albumsOfTracks, albumTitle, setPlayCount, deleteTracks, deleteAlbum, upsert, addChild: OpaquePointer
    let addPlays, deleteGenre: OpaquePointer

    var list: [OpaquePointer] {
      [
        begin, commit, insert, byRow, byID, all, two, firstByDate, love, genreCount, genreAverages, playSum,
        joined, albumsOfTracks, albumTitle, setPlayCount, deleteTracks, deleteAlbum, upsert, addChild, addPlays,
        deleteGenre,
      ]
    }
  }

  static let columns = "id, title, artist, album, duration, genre, releaseDate, playCount, explicit"
  static let upsert = """
    INSERT INTO tracks(\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET
      title = excluded.title, artist = excluded.artist, album = excluded.album, duration = excluded.duration,
      genre = excluded.genre, releaseDate = excluded.releaseDate, playCount = excluded.playCount,
      explicit = excluded.explicit
    """

  init(_ connection: SQLiteConnection, of store: SQLiteLibraryStore) throws {
    self.connection = connection
    library = store.library
    turn = store.turn
    let columns = Self.columns
    statements = Statements(
      begin: try connection.prepare("BEGIN"),
      commit: try connection.prepare("COMMIT"),
      insert: try connection.prepare("INSERT INTO tracks(\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      byRow: try connection.prepare("SELECT \(columns) FROM tracks WHERE row = ?"),
      byID: try connection.prepare("SELECT \(columns) FROM tracks WHERE id = ?"),
      all: try connection.prepare("SELECT \(columns), row FROM tracks ORDER BY row"),
      two: try connection.prepare("SELECT title, duration FROM tracks"),
      firstByDate: try connection.prepare(
        "SELECT \(columns) FROM tracks WHERE genre = ? AND duration > ? ORDER BY releaseDate LIMIT ?"),
      love: try connection.prepare("SELECT \(columns) FROM tracks WHERE duration > ? AND title LIKE '%love%'"),
      genreCount: try connection.prepare("SELECT count(*) FROM tracks WHERE genre = ?"),
      genreAverages: try connection.prepare(
        "SELECT genre, count(*), avg(duration) FROM tracks GROUP BY genre ORDER BY genre"),
      playSum: try connection.prepare("SELECT sum(playCount) FROM tracks"),
      joined: try connection.prepare("SELECT albums.title FROM tracks JOIN albums ON albums.row = tracks.album"),
      albumsOfTracks: try connection.prepare("SELECT album FROM tracks ORDER BY row"),
      albumTitle: try connection.prepare("SELECT title FROM albums WHERE row = ?"),
      setPlayCount: try connection.prepare("UPDATE tracks SET playCount = ? WHERE row = ?"),
      deleteTracks: try connection.prepare("DELETE FROM tracks WHERE album = ?"),
      deleteAlbum: try connection.prepare("DELETE FROM albums WHERE row = ?"),
      upsert: try connection.prepare(Self.upsert),
      addChild: try connection.prepare("INSERT INTO children(parent, position, name) VALUES (?, ?, ?)"),
      addPlays: try connection.prepare("UPDATE tracks SET playCount = playCount + 1 WHERE duration > ?"),
      deleteGenre: try connection.prepare("DELETE FROM tracks WHERE genre = ?"))
  }

  func close() {
    for statement in statements.list { sqlite3_finalize(statement) }
  }

  // MARK: Filling

  func addShelves() throws {
    let artist = try connection.prepare("INSERT INTO artists(row, name) VALUES (?, ?)")
    let album = try connection.prepare("INSERT INTO albums(row, title, artist) VALUES (?, ?, ?)")
    defer {
      sqlite3_finalize(artist)
      sqlite3_finalize(album)
    }
    try write {
      for number in 0..<library.artistCount {
        sqlite3_bind_int64(artist, 1, Int64(number) + 1)
        artist.bind(2, library.artist(number))
        try connection.run(artist)
      }
      for number in 0..<library.albumCount {
        let (title, artist) = library.album(number)
        sqlite3_bind_int64(album, 1, Int64(number) + 1)
        album.bind(2, title)
        sqlite3_bind_int64(album, 3, Int64(artist))
        try connection.run(album)
      }
    }
  }

  func insert(_ tracks: Range<Int>, perTransaction: Int) throws {
    for start in stride(from: tracks.lowerBound, to: tracks.upperBound, by: perTransaction) {
      try write {
        for track in start..<min(start + perTransaction, tracks.upperBound) { try insert(library.track(track)) }
      }
    }
  }

  func insertEach(_ tracks: Range<Int>) throws {
    for track in tracks {
      turn.lock()
      defer { turn.unlock() }
      try insert(library.track(track))
    }
  }

  @inline(__always)
  private func insert(_ track: TrackRow) throws {
    statements.insert.bind(track)
    try connection.run(statements.insert)
  }

  // MARK: Reading

  func scan() throws -> TrackDigest {
    var digest = TrackDigest()
    try connection.each(statements.all) { digest.add(UInt64(sqlite3_column_int64($0, 9)), $0.track) }
    return digest
  }

  func titlesAndDurations() throws -> UInt64 {
    var sum: UInt64 = 0
    try connection.each(statements.two) {
      sum &+= TrackRow.join(TrackRow.word($0.text(0)), sqlite3_column_double($0, 1).bitPattern)
    }
    return sum
  }

  func sum(rows: [UInt64]) throws -> UInt64 {
    var sum: UInt64 = 0
    let statement = statements.byRow
    try read {
      for row in rows {
        sqlite3_bind_int64(statement, 1, Int64(row))
        guard sqlite3_step(statement) == SQLITE_ROW else { throw connection.failure("no row \(row)") }
        sum &+= statement.track.word
        sqlite3_reset(statement)
      }
    }
    return sum
  }

  func sum(ids: IDList) throws -> UInt64 {
    var sum: UInt64 = 0
    let statement = statements.byID
    try read {
      for place in 0..<ids.count {
        statement.bind(1, ids[place])
        guard sqlite3_step(statement) == SQLITE_ROW else { throw connection.failure("no row for id \(place)") }
        sum &+= statement.track.word
        sqlite3_reset(statement)
      }
    }
    return sum
  }

  func firstByDate(queries: Int) throws -> UInt64 {
    var sum: UInt64 = 0
    let statement = statements.firstByDate
    sqlite3_bind_double(statement, 2, LibraryAnswers.leastDuration)
    sqlite3_bind_int64(statement, 3, Int64(LibraryAnswers.firstTracks))
    for query in 0..<queries {
      statement.bind(1, library.genre(query % LibraryWords.genres.count))
      try connection.each(statement) { sum = LibraryAnswers.fold(sum, $0.track.word) }
    }
    return sum
  }

  func love(rounds: Int) throws -> UInt64 {
    var sum: UInt64 = 0
    sqlite3_bind_double(statements.love, 1, LibraryAnswers.leastDuration)
    for _ in 0..<rounds { try connection.each(statements.love) { sum &+= $0.track.word } }
    return sum
  }

  func countGenres() throws -> [Int] {
    try LibraryWords.genres.indices.map { genre in
      statements.genreCount.bind(1, library.genre(genre))
      return try number(statements.genreCount)
    }
  }

  func averageGenres() throws -> [Int] {
    var found: [Int] = []
    try connection.each(statements.genreAverages) {
      found += [Int(sqlite3_column_int64($0, 1)), Int(sqlite3_column_double($0, 2))]
    }
    return found
  }

  func sumPlays() throws -> Int { try number(statements.playSum) }

  func albumTitlesJoined() throws -> UInt64 {
    var sum: UInt64 = 0
    try connection.each(statements.joined) { sum &+= TrackRow.word($0.text(0)) }
    return sum
  }

  func albumTitlesOneByOne() throws -> UInt64 {
    var sum: UInt64 = 0
    let title = statements.albumTitle
    try read {
      try connection.each(statements.albumsOfTracks) { track in
        sqlite3_bind_int64(title, 1, sqlite3_column_int64(track, 0))
        guard sqlite3_step(title) == SQLITE_ROW else { throw connection.failure("no album") }
        sum &+= TrackRow.word(title.text(0))
        sqlite3_reset(title)
      }
    }
    return sum
  }

  // MARK: Changing

  func setPlayCounts(_ changes: [(row: UInt64, count: Int64)]) throws {
    try write {
      for change in changes {
        sqlite3_bind_int64(statements.setPlayCount, 1, change.count)
        sqlite3_bind_int64(statements.setPlayCount, 2, Int64(change.row))
        try connection.run(statements.setPlayCount)
      }
    }
  }

  func deleteAlbums(_ rows: [UInt64]) throws {
    try write {
      for row in rows {
        for statement in [statements.deleteTracks, statements.deleteAlbum] {
          sqlite3_bind_int64(statement, 1, Int64(row))
          try connection.run(statement)
        }
      }
    }
  }

  func addPlays() throws {
    try write {
      sqlite3_bind_double(statements.addPlays, 1, LibraryAnswers.leastDuration)
      try connection.run(statements.addPlays)
    }
  }

  func deleteGenre() throws {
    try write {
      statements.deleteGenre.bind(1, library.genre(0))
      try connection.run(statements.deleteGenre)
    }
  }

  func upsert(_ answers: LibraryAnswers, perTransaction: Int) throws {
    let tracks = answers.upserts.tracks
    for start in stride(from: 0, to: tracks.count, by: perTransaction) {
      try write {
        for place in start..<min(start + perTransaction, tracks.count) {
          statements.upsert.bind(answers.upserted(tracks[place]))
          try connection.run(statements.upsert)
        }
      }
    }
  }

  func addParents(_ count: Int) throws {
    try write { for row in 1...count { try connection.execute("INSERT INTO parents(row) VALUES (\(row))") } }
  }

  func append(_ children: [Child]) throws {
    let statement = statements.addChild
    try write {
      for child in children {
        sqlite3_bind_int64(statement, 1, Int64(child.parent))
        sqlite3_bind_int64(statement, 2, child.position)
        statement.bind(3, library.track(child.track).title)
        try connection.run(statement)
      }
    }
  }

  // MARK: Checking

  func indexCounts() throws -> [Int] {
    try ["sqlite_autoindex_tracks_1", "byGenre", "byDate", "byAlbum"].map { index in
      let statement = try connection.prepare("SELECT count(*) FROM tracks INDEXED BY \(index)")
      defer { sqlite3_finalize(statement) }
      return try number(statement)
    }
  }

  func dateOrder() throws -> UInt64 {
    try fold("SELECT row FROM tracks INDEXED BY byDate ORDER BY releaseDate") { UInt64(sqlite3_column_int64($0, 0)) }
  }

  func childDigest() throws -> UInt64 {
    try fold("SELECT name FROM children ORDER BY parent, position") { TrackRow.word($0.text(0)) }
  }

  private func fold(_ sql: String, _ word: (OpaquePointer) -> UInt64) throws -> UInt64 {
    let statement = try connection.prepare(sql)
    defer { sqlite3_finalize(statement) }
    var sum: UInt64 = 0
    try connection.each(statement) { sum = LibraryAnswers.fold(sum, word($0)) }
    return sum
  }

  // MARK: Helpers

  private func number(_ statement: OpaquePointer) throws -> Int {
    var number = 0
    try connection.each(statement) { number = Int(sqlite3_column_int64($0, 0)) }
    return number
  }

  func write(_ body: () throws -> Void) throws {
    turn.lock()
    defer { turn.unlock() }
    try connection.run(statements.begin)
    try body()
    try connection.run(statements.commit)
  }

  func read(_ body: () throws -> Void) throws {
    try connection.run(statements.begin)
    try body()
    try connection.run(statements.commit)
  }
}
