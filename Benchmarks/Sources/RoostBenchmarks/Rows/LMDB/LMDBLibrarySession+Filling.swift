import CLMDB

/// Putting rows into the library.
extension LMDBLibrarySession {
  func addShelves() throws {
    try write { transaction in
      for number in 0..<library.artistCount {
        try put(transaction, databases.artists, named(UInt64(number) + 1), MDB_val(library.artist(number)))
      }
      for number in 0..<library.albumCount {
        let (title, artist) = library.album(number)
        record.storeBytes(of: artist, as: UInt64.self)
        (record + 8).copyMemory(from: title.baseAddress!, byteCount: title.count)
        let value = MDB_val(mv_size: 8 + title.count, mv_data: record)
        try put(transaction, databases.albums, named(UInt64(number) + 1), value)
      }
    }
  }

  func insert(_ tracks: Range<Int>, perTransaction: Int) throws {
    for start in stride(from: tracks.lowerBound, to: tracks.upperBound, by: perTransaction) {
      try write { transaction in
        var next = try nextRow(transaction, databases.tracks)
        for track in start..<min(start + perTransaction, tracks.upperBound) {
          try insert(transaction, next, library.track(track))
          next += 1
        }
      }
    }
  }

  func insertEach(_ tracks: Range<Int>) throws {
    for track in tracks {
      try write { try insert($0, nextRow($0, databases.tracks), library.track(track)) }
    }
  }

  func insert(_ transaction: OpaquePointer, _ number: UInt64, _ track: TrackRow) throws {
    LMDBTrack.write(track, to: record)
    let value = MDB_val(mv_size: LMDBTrack.byteCount(track), mv_data: record)
    let row = named(number)
    try put(transaction, databases.tracks, row, value, MDB_APPEND)
    try put(transaction, databases.ids, MDB_val(track.id), row, MDB_NOOVERWRITE)
    try put(transaction, databases.genres, genreKey(track.genre), row)
    try put(transaction, databases.dates, dateKey(track.releaseDate), row)
    try put(transaction, databases.tracksOfAlbums, integer(track.album), row)
  }

  func nextRow(_ transaction: OpaquePointer, _ database: MDB_dbi) throws -> UInt64 {
    try withCursor(transaction, database) { cursor in
      var (last, value) = (MDB_val(), MDB_val())
      return mdb_cursor_get(cursor, &last, &value, MDB_LAST) == MDB_SUCCESS ? last.word + 1 : 1
    }
  }

  func addParents(_ count: Int) throws {
    try write { transaction in
      for row in 1...UInt64(count) { try put(transaction, databases.parents, named(row), integer(row)) }
    }
  }

  func append(_ children: [Child]) throws {
    try write { transaction in
      var next = try nextRow(transaction, databases.children)
      for child in children {
        let title = library.track(child.track).title
        record.storeBytes(of: child.parent, as: UInt64.self)
        record.storeBytes(of: child.position, toByteOffset: 8, as: Int64.self)
        (record + 16).copyMemory(from: title.baseAddress!, byteCount: title.count)
        let row = named(next)
        try put(
          transaction, databases.children, row, MDB_val(mv_size: 16 + title.count, mv_data: record), MDB_APPEND)
        try put(transaction, databases.childrenOfParents, childKey(child.parent, child.position), row)
        next += 1
      }
    }
  }
}
