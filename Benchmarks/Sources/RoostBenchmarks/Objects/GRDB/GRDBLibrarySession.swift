#if GRDB
  import GRDB

  /// The operations as a program would write them with GRDB's records. All sessions of a store
  /// share its pool.
  final class GRDBLibrarySession: LibrarySession {
    private let pool: DatabasePool
    private let library: Library

    init(_ store: GRDBLibraryStore) {
      pool = store.pool
      library = store.library
    }

    // The store closes the pool.
    func close() {}

    // MARK: Filling

    func addShelves() throws {
      try pool.write { database in
        for number in 0..<library.artistCount {
          try ArtistRecord(row: Int64(number) + 1, name: String(library.artist(number))).insert(database)
        }
        for number in 0..<library.albumCount {
          let (title, artist) = library.album(number)
          try AlbumRecord(row: Int64(number) + 1, title: String(title), artistRow: Int64(artist)).insert(database)
        }
      }
    }

    func insert(_ tracks: Range<Int>, perTransaction: Int) throws {
      for start in stride(from: tracks.lowerBound, to: tracks.upperBound, by: perTransaction) {
        try pool.write { database in
          for number in start..<min(start + perTransaction, tracks.upperBound) {
            var track = TrackRecord(library.track(number))
            try track.insert(database)
          }
        }
      }
    }

    func insertEach(_ tracks: Range<Int>) throws { try insert(tracks, perTransaction: 1) }

    func upsert(_ answers: LibraryAnswers, perTransaction: Int) throws {
      let tracks = answers.upserts.tracks
      for start in stride(from: 0, to: tracks.count, by: perTransaction) {
        try pool.write { database in
          for place in start..<min(start + perTransaction, tracks.count) {
            var track = TrackRecord(answers.upserted(tracks[place]))
            try track.upsert(database)
          }
        }
      }
    }

    func addParents(_ count: Int) throws {
      try pool.write { database in
        for row in 1...count { try ParentRecord(row: Int64(row)).insert(database) }
      }
    }

    func append(_ children: [Child]) throws {
      try pool.write { database in
        for child in children {
          var record = ChildRecord(
            parent: Int64(child.parent), position: child.position, name: String(library.track(child.track).title))
          try record.insert(database)
        }
      }
    }

    // MARK: Reading

    func scan() throws -> TrackDigest {
      let tracks = try pool.read { try TrackRecord.order { $0.row }.fetchAll($0) }
      var digest = TrackDigest()
      for track in tracks { digest.add(UInt64(track.row ?? 0), track.word) }
      return digest
    }

    func titlesAndDurations() throws -> UInt64 {
      let request = TrackRecord.select { [$0.title, $0.duration] }.asRequest(of: TitleAndDuration.self)
      return try pool.read { try request.fetchAll($0) }
        .reduce(0) { $0 &+ TrackRow.join(TrackRow.word($1.title), $1.duration.bitPattern) }
    }

    func sum(rows: [UInt64]) throws -> UInt64 {
      try pool.read { database in
        var sum: UInt64 = 0
        for row in rows { sum &+= try TrackRecord.find(database, key: Int64(row)).word }
        return sum
      }
    }

    func sum(ids: IDList) throws -> UInt64 {
      try pool.read { database in
        var sum: UInt64 = 0
        for place in 0..<ids.count {
          let id = String(ids[place])
          guard let track = try TrackRecord.filter({ $0.id == id }).fetchOne(database) else {
            throw EngineError("grdb", "C2", "there is no such track")
          }
          sum &+= track.word
        }
        return sum
      }
    }

    func firstByDate(queries: Int) throws -> UInt64 {
      var sum: UInt64 = 0
      for query in 0..<queries {
        let genre = String(library.genre(query % LibraryWords.genres.count))
        let request = TrackRecord.filter { $0.genre == genre && $0.duration > LibraryAnswers.leastDuration }
          .order { $0.releaseDate }.limit(LibraryAnswers.firstTracks)
        for track in try pool.read(request.fetchAll) { sum = LibraryAnswers.fold(sum, track.word) }
      }
      return sum
    }

    func love(rounds: Int) throws -> UInt64 {
      var sum: UInt64 = 0
      for _ in 0..<rounds {
        let request = TrackRecord.filter { $0.duration > LibraryAnswers.leastDuration && $0.title.like("%love%") }
        for track in try pool.read(request.fetchAll) { sum &+= track.word }
      }
      return sum
    }

    func countGenres() throws -> [Int] {
      try LibraryWords.genres.indices.map { number in
        let genre = String(library.genre(number))
        return try pool.read(TrackRecord.filter { $0.genre == genre }.fetchCount)
      }
    }

    func albumTitlesJoined() throws -> UInt64 {
      let request = TrackRecord.including(required: TrackRecord.album).asRequest(of: TrackWithAlbum.self)
      return try pool.read(request.fetchAll).reduce(0) { $0 &+ TrackRow.word($1.album.title) }
    }

    func albumTitlesOneByOne() throws -> UInt64 {
      try pool.read { database in
        var sum: UInt64 = 0
        for track in try TrackRecord.fetchAll(database) {
          sum &+= TrackRow.word(try AlbumRecord.find(database, key: track.albumRow).title)
        }
        return sum
      }
    }

    // MARK: Changing

    func setPlayCounts(_ changes: [(row: UInt64, count: Int64)]) throws {
      try pool.write { database in
        for change in changes {
          var track = try TrackRecord.find(database, key: Int64(change.row))
          try track.updateChanges(database) { $0.playCount = Int(change.count) }
        }
      }
    }

    /// The foreign key deletes the tracks.
    func deleteAlbums(_ rows: [UInt64]) throws {
      try pool.write { database in
        for row in rows {
          guard try AlbumRecord.deleteOne(database, key: Int64(row)) else {
            throw EngineError("grdb", "H", "there is no such album")
          }
        }
      }
    }

    // MARK: Checking

    func indexCounts() throws -> [Int] {
      try pool.read { database in
        try ["sqlite_autoindex_tracks_1", "byGenre", "byDate", "byAlbum"].map {
          try Int.fetchOne(database, sql: "SELECT count(*) FROM tracks INDEXED BY \($0)") ?? -1
        }
      }
    }

    func dateOrder() throws -> UInt64 {
      let sql = "SELECT row FROM tracks INDEXED BY byDate ORDER BY releaseDate"
      return try pool.read { try Int64.fetchAll($0, sql: sql) }
        .reduce(0) { LibraryAnswers.fold($0, UInt64(bitPattern: $1)) }
    }

    func childDigest() throws -> UInt64 {
      let sql = "SELECT name FROM children ORDER BY parent, position"
      return try pool.read { try String.fetchAll($0, sql: sql) }
        .reduce(0) { LibraryAnswers.fold($0, TrackRow.word($1)) }
    }
  }
#endif
