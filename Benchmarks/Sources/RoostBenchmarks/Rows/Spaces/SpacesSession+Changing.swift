/// Changes existing rows.
extension SpacesSession {
  func setPlayCounts(_ changes: [(row: UInt64, count: Int64)]) throws {
    try write { transaction in
      for change in changes {
        let record = try withRecord(transaction, spaces.tracks, change.row) { desk.copy($0) }
        PackedTrack.setPlayCount(change.count, in: desk.record)
        try replace(transaction, spaces.tracks, change.row, record)
      }
    }
  }

  func deleteAlbums(_ albums: [UInt64]) throws {
    try write { transaction in
      for album in albums {
        let tracks = try rows(transaction, spaces.tracksOfAlbums, of: albumKey(album))
        for track in tracks { try delete(transaction, track) }
        if !tracks.isEmpty { try removeEntries(transaction, spaces.tracksOfAlbums, albumKey(album), tracks) }
        try removeRecord(transaction, spaces.albums, album)
      }
    }
  }

  /// Deletes a row and all its entries except that of its album.
  private func delete(_ transaction: Transaction, _ row: UInt64) throws {
    let track = PackedTrack.read(try withRecord(transaction, spaces.tracks, row) { desk.copy($0) })
    try removeName(transaction, spaces.ids, track.id)
    try removeEntry(transaction, spaces.genres, desk.key(genre: track.genre), row)
    try removeEntry(transaction, spaces.dates, desk.key(date: track.releaseDate), row)
    try removeRecord(transaction, spaces.tracks, row)
  }

  func upsert(_ answers: LibraryAnswers, perTransaction: Int) throws {
    let tracks = answers.upserts.tracks
    for start in stride(from: 0, to: tracks.count, by: perTransaction) {
      let end = min(start + perTransaction, tracks.count)
      try write { transaction in
        var next = try newRows(transaction, end - start, for: .tracks)
        for place in start..<end {
          let track = answers.upserted(tracks[place])
          if try !update(transaction, track) {
            try insert(transaction, next, track)
            next += 1
          }
        }
      }
    }
  }

  /// Replaces the row with this id by the track. Returns false if there is none. Entries change
  /// only if their field did.
  private func update(_ transaction: Transaction, _ track: TrackRow) throws -> Bool {
    guard let number = try row(transaction, spaces.ids, named: track.id) else { return false }
    let old = PackedTrack.read(try withRecord(transaction, spaces.tracks, number) { desk.copy($0) })
    if !Self.areSame(old.genre, track.genre) {
      try removeEntry(transaction, spaces.genres, desk.key(genre: old.genre), number)
      try addEntry(transaction, spaces.genres, desk.key(genre: track.genre), number)
    }
    if old.releaseDate != track.releaseDate {
      try removeEntry(transaction, spaces.dates, desk.key(date: old.releaseDate), number)
      try addEntry(transaction, spaces.dates, desk.key(date: track.releaseDate), number)
    }
    if old.album != track.album {
      try removeEntry(transaction, spaces.tracksOfAlbums, albumKey(old.album), number)
      try addEntry(transaction, spaces.tracksOfAlbums, albumKey(track.album), number)
    }
    try replace(transaction, spaces.tracks, number, desk.packed(track))
    return true
  }

  private static func areSame(_ one: UnsafeRawBufferPointer?, _ other: UnsafeRawBufferPointer?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.isSame(as: other)
  }
}
