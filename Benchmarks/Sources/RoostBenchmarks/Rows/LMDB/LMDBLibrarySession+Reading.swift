import CLMDB

/// What is asked of the library.
extension LMDBLibrarySession {
  func scan() throws -> TrackDigest {
    var digest = TrackDigest()
    try read { try each($0, databases.tracks) { digest.add($0.word, LMDBTrack.read($1)) } }
    return digest
  }

  func sum(rows: [UInt64]) throws -> UInt64 {
    var sum: UInt64 = 0
    try read { transaction in
      for row in rows { sum &+= LMDBTrack.read(try get(transaction, databases.tracks, named(row))).word }
    }
    return sum
  }

  func sum(ids: IDList) throws -> UInt64 {
    var sum: UInt64 = 0
    try read { transaction in
      for place in 0..<ids.count {
        let row = try get(transaction, databases.ids, MDB_val(ids[place]))
        sum &+= LMDBTrack.read(try get(transaction, databases.tracks, named(row.word))).word
      }
    }
    return sum
  }

  func firstByDate(queries: Int) throws -> UInt64 {
    var sum: UInt64 = 0
    for query in 0..<queries {
      let genre = library.genre(query % LibraryWords.genres.count)
      var found = 0
      try read { transaction in
        try each(transaction, databases.dates, while: { found < LibraryAnswers.firstTracks }) { _, row in
          let value = try get(transaction, databases.tracks, row)
          guard LMDBTrack.duration(value) > LibraryAnswers.leastDuration else { return }
          let track = LMDBTrack.read(value)
          guard let own = track.genre, own.elementsEqual(genre) else { return }
          sum = LibraryAnswers.fold(sum, track.word)
          found += 1
        }
      }
    }
    return sum
  }

  func love(rounds: Int) throws -> UInt64 {
    var sum: UInt64 = 0
    for _ in 0..<rounds {
      try read { transaction in
        try each(transaction, databases.tracks) { _, value in
          guard LMDBTrack.duration(value) > LibraryAnswers.leastDuration, LibraryWords.hasLove(LMDBTrack.title(value))
          else { return }
          sum &+= LMDBTrack.read(value).word
        }
      }
    }
    return sum
  }

  func countGenres() throws -> [Int] {
    var counts: [Int] = []
    try read { transaction in
      try withCursor(transaction, databases.genres) { cursor in
        for genre in LibraryWords.genres.indices {
          var (name, value, count) = (genreKey(library.genre(genre)), MDB_val(), 0)
          let code = mdb_cursor_get(cursor, &name, &value, MDB_SET)
          if code == MDB_SUCCESS {
            try LMDB.check(mdb_cursor_count(cursor, &count), "mdb_cursor_count")
          } else if code != MDB_NOTFOUND {
            try LMDB.check(code, "mdb_cursor_get")
          }
          counts.append(count)
        }
      }
    }
    return counts
  }

  func albumTitlesJoined() throws -> UInt64 { try albumTitlesOneByOne() }

  func albumTitlesOneByOne() throws -> UInt64 {
    var sum: UInt64 = 0
    try read { transaction in
      try each(transaction, databases.tracks) { _, track in
        let album = try get(transaction, databases.albums, named(LMDBTrack.album(track)))
        sum &+= TrackRow.word(UnsafeRawBufferPointer(start: album.mv_data + 8, count: album.mv_size - 8))
      }
    }
    return sum
  }
}
