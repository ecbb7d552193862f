import CSQLite

/// The operations as a program would write them with the object layer. Checks read the tables
/// directly.
final class SQLiteObjectsSession: LibrarySession {
  private let rows: SQLiteLibrarySession
  private let layer: SQLiteObjects
  private let library: Library
  /// Held while tracks are inserted.
  private var albums: [PlainAlbum] = []
  private var playlists: [PlainPlaylist] = []

  init(_ rows: SQLiteLibrarySession) throws {
    self.rows = rows
    library = rows.library
    layer = try SQLiteObjects(rows)
  }

  func close() {
    albums = []
    playlists = []
    layer.close()
    rows.close()
  }

  private func missing(_ what: String) -> EngineError {
    EngineError("sqlite-objects", what, "there is no such object")
  }

  // MARK: Filling

  func prepareInserts() throws { try fetchAlbums() }

  func addShelves() throws {
    try rows.addShelves()
    try fetchAlbums()
  }

  private func fetchAlbums() throws {
    if albums.isEmpty { albums = try layer.fetchAlbums() }
  }

  func insert(_ tracks: Range<Int>, perTransaction: Int) throws {
    try fetchAlbums()
    for start in stride(from: tracks.lowerBound, to: tracks.upperBound, by: perTransaction) {
      for number in start..<min(start + perTransaction, tracks.upperBound) {
        let values = library.track(number)
        layer.insert(PlainTrack(values, albums[Int(values.album) - 1]))
      }
      try layer.save()
    }
  }

  func insertEach(_ tracks: Range<Int>) throws { try insert(tracks, perTransaction: 1) }

  func upsert(_ answers: LibraryAnswers, perTransaction: Int) throws {
    try fetchAlbums()
    let tracks = answers.upserts.tracks
    for start in stride(from: 0, to: tracks.count, by: perTransaction) {
      for place in start..<min(start + perTransaction, tracks.count) {
        let values = answers.upserted(tracks[place])
        layer.upsert(PlainTrack(values, albums[Int(values.album) - 1]))
      }
      try layer.save()
    }
    albums = []
  }

  func addParents(_ count: Int) throws {
    try rows.addParents(count)
    playlists = (1...count).map { PlainPlaylist(row: Int64($0), of: layer) }
  }

  func append(_ children: [Child]) throws {
    for child in children {
      playlists[Int(child.parent) - 1].append(PlainEntry(name: String(library.track(child.track).title)))
    }
    try layer.save()
  }

  // MARK: Reading

  func scan() throws -> TrackDigest {
    var digest = TrackDigest()
    for track in try layer.fetch(\.all) { digest.add(UInt64(track.row), track.word) }
    return digest
  }

  func sum(rows asked: [UInt64]) throws -> UInt64 {
    var sum: UInt64 = 0
    try rows.read {
      for row in asked {
        guard let track = try layer.track(Int64(row)) else { throw missing("C") }
        sum &+= track.word
      }
    }
    return sum
  }

  func sum(ids: IDList) throws -> UInt64 {
    var sum: UInt64 = 0
    try rows.read {
      for place in 0..<ids.count {
        var id = String(ids[place])
        guard let track = try layer.track(id: &id) else { throw missing("C2") }
        sum &+= track.word
      }
    }
    return sum
  }

  func firstByDate(queries: Int) throws -> UInt64 {
    var sum: UInt64 = 0
    for query in 0..<queries {
      var genre = String(library.genre(query % LibraryWords.genres.count))
      let found = try layer.firstTracks(
        genre: &genre, longerThan: LibraryAnswers.leastDuration, limit: LibraryAnswers.firstTracks)
      for track in found { sum = LibraryAnswers.fold(sum, track.word) }
    }
    return sum
  }

  func love(rounds: Int) throws -> UInt64 {
    var sum: UInt64 = 0
    for _ in 0..<rounds {
      let found = try layer.fetch(\.love) { sqlite3_bind_double($0, 1, LibraryAnswers.leastDuration) }
      for track in found { sum &+= track.word }
    }
    return sum
  }

  func titlesAndDurations() throws -> UInt64 {
    try layer.fetchTitles().reduce(0) { $0 &+ TrackRow.join(TrackRow.word($1.title), $1.duration.bitPattern) }
  }

  func countGenres() throws -> [Int] { try rows.countGenres() }

  func albumTitlesJoined() throws -> UInt64 {
    let (tracks, albums) = try layer.fetchWithAlbums()
    return withExtendedLifetime(albums) { titles(tracks) }
  }

  func albumTitlesOneByOne() throws -> UInt64 {
    var sum: UInt64 = 0
    try rows.read { sum = titles(try layer.fetch(\.all)) }
    return sum
  }

  private func titles(_ tracks: [PlainTrack]) -> UInt64 {
    var sum: UInt64 = 0
    for track in tracks { if let title = track.album?.title { sum &+= TrackRow.word(title) } }
    return sum
  }

  // MARK: Changing

  func setPlayCounts(_ changes: [(row: UInt64, count: Int64)]) throws {
    try rows.read {
      for change in changes {
        guard let track = try layer.track(Int64(change.row)) else { throw missing("G") }
        track.playCount = Int(change.count)
      }
    }
    try layer.save()
  }

  func deleteAlbums(_ deleted: [UInt64]) throws {
    try rows.read {
      for row in deleted {
        guard let album = layer.album(Int64(row)) else { throw missing("H") }
        layer.delete(album)
      }
    }
    try layer.save()
  }

  // MARK: Checking

  func indexCounts() throws -> [Int] { try rows.indexCounts() }
  func dateOrder() throws -> UInt64 { try rows.dateOrder() }
  func childDigest() throws -> UInt64 { try rows.childDigest() }
  func storedTracks() throws -> TrackDigest? { try rows.scan() }
}
