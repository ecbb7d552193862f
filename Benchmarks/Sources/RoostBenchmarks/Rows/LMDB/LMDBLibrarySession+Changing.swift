import CLMDB

/// Changes of rows that are there.
extension LMDBLibrarySession {
  func setPlayCounts(_ changes: [(row: UInt64, count: Int64)]) throws {
    try write { transaction in
      for change in changes {
        let row = named(change.row)
        let old = try get(transaction, databases.tracks, row)
        record.copyMemory(from: old.mv_data, byteCount: old.mv_size)
        LMDBTrack.setPlayCount(change.count, in: record)
        try put(transaction, databases.tracks, row, MDB_val(mv_size: old.mv_size, mv_data: record))
      }
    }
  }

  func deleteAlbums(_ rows: [UInt64]) throws {
    try write { transaction in
      for album in rows {
        for track in try tracks(of: album, transaction) { try delete(transaction, track) }
        var key = integer(album)
        let code = mdb_del(transaction, databases.tracksOfAlbums, &key, nil)
        if code != MDB_NOTFOUND { try LMDB.check(code, "mdb_del") }
        try LMDB.check(mdb_del(transaction, databases.albums, &key, nil), "mdb_del")
      }
    }
  }

  private func tracks(of album: UInt64, _ transaction: OpaquePointer) throws -> [UInt64] {
    try withCursor(transaction, databases.tracksOfAlbums) { cursor in
      var (key, value) = (integer(album), MDB_val())
      var found: [UInt64] = []
      var code = mdb_cursor_get(cursor, &key, &value, MDB_SET)
      while code == MDB_SUCCESS {
        found.append(value.word)
        code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT_DUP)
      }
      if code != MDB_NOTFOUND { try LMDB.check(code, "mdb_cursor_get") }
      return found
    }
  }

  /// Deletes a row and all its entries but that of its album.
  private func delete(_ transaction: OpaquePointer, _ number: UInt64) throws {
    var row = named(number)
    let old = try get(transaction, databases.tracks, row)
    record.copyMemory(from: old.mv_data, byteCount: old.mv_size)
    let track = LMDBTrack.read(MDB_val(mv_size: old.mv_size, mv_data: record))
    var key = MDB_val(track.id)
    try LMDB.check(mdb_del(transaction, databases.ids, &key, nil), "mdb_del")
    key = genreKey(track.genre)
    try LMDB.check(mdb_del(transaction, databases.genres, &key, &row), "mdb_del")
    key = dateKey(track.releaseDate)
    try LMDB.check(mdb_del(transaction, databases.dates, &key, &row), "mdb_del")
    try LMDB.check(mdb_del(transaction, databases.tracks, &row, nil), "mdb_del")
  }

  func upsert(_ answers: LibraryAnswers, perTransaction: Int) throws {
    let tracks = answers.upserts.tracks
    for start in stride(from: 0, to: tracks.count, by: perTransaction) {
      try write { transaction in
        var next = try nextRow(transaction, databases.tracks)
        for place in start..<min(start + perTransaction, tracks.count) {
          if try !update(transaction, answers.upserted(tracks[place])) {
            try insert(transaction, next, answers.upserted(tracks[place]))
            next += 1
          }
        }
      }
    }
  }

  /// Makes the row with this id the track; false if there is none. Entries change only where their field did.
  private func update(_ transaction: OpaquePointer, _ track: TrackRow) throws -> Bool {
    var (key, found) = (MDB_val(track.id), MDB_val())
    let code = mdb_get(transaction, databases.ids, &key, &found)
    if code == MDB_NOTFOUND { return false }
    try LMDB.check(code, "mdb_get")
    var row = named(found.word)
    let old = LMDBTrack.read(try get(transaction, databases.tracks, row))
    let isSameGenre = old.genre.map { Array($0) } == track.genre.map { Array($0) }
    let (oldDate, oldAlbum) = (old.releaseDate, old.album)
    if !isSameGenre {
      key = genreKey(old.genre)
      try LMDB.check(mdb_del(transaction, databases.genres, &key, &row), "mdb_del")
      try put(transaction, databases.genres, genreKey(track.genre), row)
    }
    if oldDate != track.releaseDate {
      key = dateKey(oldDate)
      try LMDB.check(mdb_del(transaction, databases.dates, &key, &row), "mdb_del")
      try put(transaction, databases.dates, dateKey(track.releaseDate), row)
    }
    if oldAlbum != track.album {
      key = integer(oldAlbum)
      try LMDB.check(mdb_del(transaction, databases.tracksOfAlbums, &key, &row), "mdb_del")
      try put(transaction, databases.tracksOfAlbums, integer(track.album), row)
    }
    LMDBTrack.write(track, to: record)
    let value = MDB_val(mv_size: LMDBTrack.byteCount(track), mv_data: record)
    try put(transaction, databases.tracks, row, value)
    return true
  }
}
