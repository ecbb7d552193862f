/// Queries of the library.
extension SpacesSession {
  func scan() throws -> TrackDigest {
    var digest = TrackDigest()
    try read { try eachRecord($0, spaces.tracks) { digest.add($0, PackedTrack.read($1)) } }
    return digest
  }

  func sum(rows: [UInt64]) throws -> UInt64 {
    var sum: UInt64 = 0
    try read { transaction in
      for row in rows { sum &+= try withRecord(transaction, spaces.tracks, row) { PackedTrack.read($0).word } }
    }
    return sum
  }

  func sum(ids: IDList) throws -> UInt64 {
    var sum: UInt64 = 0
    try read { transaction in
      for place in 0..<ids.count {
        guard let number = try row(transaction, spaces.ids, named: ids[place]) else {
          throw EngineError(Self.engine, "sum", "an id is missing")
        }
        sum &+= try withRecord(transaction, spaces.tracks, number) { PackedTrack.read($0).word }
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
        try eachEntry(transaction, spaces.dates) { row in
          let word = try withRecord(transaction, spaces.tracks, row) { record -> UInt64? in
            guard PackedTrack.duration(record) > LibraryAnswers.leastDuration else { return nil }
            let track = PackedTrack.read(record)
            guard let own = track.genre, own.isSame(as: genre) else { return nil }
            return track.word
          }
          guard let word else { return true }
          sum = LibraryAnswers.fold(sum, word)
          found += 1
          return found < LibraryAnswers.firstTracks
        }
      }
    }
    return sum
  }

  func love(rounds: Int) throws -> UInt64 {
    var sum: UInt64 = 0
    for _ in 0..<rounds {
      try read { transaction in
        try eachRecord(transaction, spaces.tracks) { _, record in
          guard PackedTrack.duration(record) > LibraryAnswers.leastDuration,
            LibraryWords.hasLove(PackedTrack.title(record))
          else { return }
          sum &+= PackedTrack.read(record).word
        }
      }
    }
    return sum
  }

  func countGenres() throws -> [Int] {
    var found: [Int] = []
    try read { transaction in
      found = try counts(transaction, spaces.genres, of: LibraryWords.genres.count) {
        desk.key(genre: library.genre($0))
      }
    }
    return found
  }

  func albumTitlesJoined() throws -> UInt64 { try albumTitlesOneByOne() }

  func albumTitlesOneByOne() throws -> UInt64 {
    var sum: UInt64 = 0
    try read { transaction in
      try eachRecord(transaction, spaces.tracks) { _, record in
        sum &+= try withRecord(transaction, spaces.albums, PackedTrack.album(record)) { album in
          TrackRow.word(UnsafeRawBufferPointer(start: album.baseAddress! + 8, count: album.count - 8))
        }
      }
    }
    return sum
  }
}
