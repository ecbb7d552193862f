/// Inserts rows into the library.
extension SpacesSession {
  func addShelves() throws {
    try write { transaction in
      for number in 0..<library.artistCount {
        try append(transaction, spaces.artists, UInt64(number) + 1, library.artist(number))
      }
      for number in 0..<library.albumCount {
        let (title, artist) = library.album(number)
        desk.record.storeBytes(of: artist, as: UInt64.self)
        (desk.record + 8).copyMemory(from: title.baseAddress!, byteCount: title.count)
        try append(transaction, spaces.albums, UInt64(number) + 1, desk.record(8 + title.count))
      }
    }
  }

  func insert(_ tracks: Range<Int>, perTransaction: Int) throws {
    for start in stride(from: tracks.lowerBound, to: tracks.upperBound, by: perTransaction) {
      let end = min(start + perTransaction, tracks.upperBound)
      try write { transaction in
        var next = try newRows(transaction, end - start, for: .tracks)
        for track in start..<end {
          try insert(transaction, next, library.track(track))
          next += 1
        }
      }
    }
  }

  func insertEach(_ tracks: Range<Int>) throws {
    for track in tracks {
      try write { try insert($0, newRows($0, 1, for: .tracks), library.track(track)) }
    }
  }

  @inline(__always)
  func insert(_ transaction: Transaction, _ row: UInt64, _ track: TrackRow) throws {
    try append(transaction, spaces.tracks, row, desk.packed(track))
    try putName(transaction, spaces.ids, track.id, row, mustBeNew: true)
    try addEntry(transaction, spaces.genres, desk.key(genre: track.genre), row)
    try addEntry(transaction, spaces.dates, desk.key(date: track.releaseDate), row)
    try addEntry(transaction, spaces.tracksOfAlbums, albumKey(track.album), row)
  }

  @inline(__always)
  func albumKey(_ album: UInt64) -> EntryKey { desk.key(number: Self.sorted(album)) }

  func addParents(_ count: Int) throws {
    try write { transaction in
      for row in 1...UInt64(count) {
        desk.record.storeBytes(of: row, as: UInt64.self)
        try append(transaction, spaces.parents, row, desk.record(8))
      }
    }
  }

  func append(_ children: [Child]) throws {
    try write { transaction in
      var next = try newRows(transaction, children.count, for: .children)
      for child in children {
        let title = library.track(child.track).title
        desk.record.storeBytes(of: child.parent, as: UInt64.self)
        desk.record.storeBytes(of: child.position, toByteOffset: 8, as: Int64.self)
        (desk.record + 16).copyMemory(from: title.baseAddress!, byteCount: title.count)
        try append(transaction, spaces.children, next, desk.record(16 + title.count))
        let place = desk.key(parent: child.parent, position: child.position)
        try putName(transaction, spaces.childrenOfParents, place.bytes, next, mustBeNew: false)
        next += 1
      }
    }
  }
}
