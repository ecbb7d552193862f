import CLMDB

/// One thread's transactions on the library.
final class LMDBLibrarySession: LibrarySession {
  let library: Library
  let databases: LMDBLibraryStore.Databases
  private let environment: OpaquePointer
  /// Renewed for every read, which is quicker than a new one.
  private let reader: OpaquePointer
  /// Where keys and values are put together.
  private let memory = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 8)

  // Parts of `memory`; the rest holds a row.
  private var row: UnsafeMutableRawPointer { memory }
  private var key: UnsafeMutableRawPointer { memory + 16 }
  private var record: UnsafeMutableRawPointer { memory + 256 }

  init(_ store: LMDBLibraryStore) throws {
    library = store.library
    databases = store.databases
    environment = store.environment
    reader = try LMDB.begin(environment, readOnly: true)
    mdb_txn_reset(reader)
  }

  func close() { mdb_txn_abort(reader) }

  deinit { memory.deallocate() }

  // MARK: Keys

  @inline(__always)
  private func named(_ number: UInt64) -> MDB_val {
    row.storeBytes(of: number, as: UInt64.self)
    return MDB_val(mv_size: 8, mv_data: row)
  }

  /// Beside `named`.
  @inline(__always)
  private func integer(_ number: UInt64) -> MDB_val {
    key.storeBytes(of: number, as: UInt64.self)
    return MDB_val(mv_size: 8, mv_data: key)
  }

  @inline(__always)
  private func genreKey(_ genre: UnsafeRawBufferPointer?) -> MDB_val {
    key.storeBytes(of: genre == nil ? 0 : 1, as: UInt8.self)
    if let genre { (key + 1).copyMemory(from: genre.baseAddress!, byteCount: genre.count) }
    return MDB_val(mv_size: 1 + (genre?.count ?? 0), mv_data: key)
  }

  @inline(__always)
  private func dateKey(_ date: Double) -> MDB_val {
    let bits = date.bitPattern
    return integer((bits >> 63 == 0 ? bits | 1 << 63 : ~bits).bigEndian)
  }

  private func childKey(_ parent: UInt64, _ position: Int64) -> MDB_val {
    key.storeBytes(of: parent.bigEndian, as: UInt64.self)
    key.storeBytes(of: position.bigEndian, toByteOffset: 8, as: Int64.self)
    return MDB_val(mv_size: 16, mv_data: key)
  }

  // MARK: Filling

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

  private func insert(_ transaction: OpaquePointer, _ number: UInt64, _ track: TrackRow) throws {
    LMDBTrack.write(track, to: record)
    let value = MDB_val(mv_size: LMDBTrack.byteCount(track), mv_data: record)
    let row = named(number)
    try put(transaction, databases.tracks, row, value, MDB_APPEND)
    try put(transaction, databases.ids, MDB_val(track.id), row, MDB_NOOVERWRITE)
    try put(transaction, databases.genres, genreKey(track.genre), row)
    try put(transaction, databases.dates, dateKey(track.releaseDate), row)
    try put(transaction, databases.tracksOfAlbums, integer(track.album), row)
  }

  private func nextRow(_ transaction: OpaquePointer, _ database: MDB_dbi) throws -> UInt64 {
    try withCursor(transaction, database) { cursor in
      var (last, value) = (MDB_val(), MDB_val())
      return mdb_cursor_get(cursor, &last, &value, MDB_LAST) == MDB_SUCCESS ? last.word + 1 : 1
    }
  }

  // MARK: Reading

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

  // MARK: Changing

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

  // MARK: Checking

  func indexCounts() throws -> [Int] {
    var counts: [Int] = []
    try read { transaction in
      for database in [databases.ids, databases.genres, databases.dates, databases.tracksOfAlbums] {
        var statistics = MDB_stat()
        try LMDB.check(mdb_stat(transaction, database, &statistics), "mdb_stat")
        counts.append(statistics.ms_entries)
      }
    }
    return counts
  }

  func dateOrder() throws -> UInt64 {
    var sum: UInt64 = 0
    try read { try each($0, databases.dates) { sum = LibraryAnswers.fold(sum, $1.word) } }
    return sum
  }

  func childDigest() throws -> UInt64 {
    var sum: UInt64 = 0
    try read { transaction in
      try each(transaction, databases.childrenOfParents) { _, row in
        let child = try get(transaction, databases.children, row)
        let name = UnsafeRawBufferPointer(start: child.mv_data + 16, count: child.mv_size - 16)
        sum = LibraryAnswers.fold(sum, TrackRow.word(name))
      }
    }
    return sum
  }

  // MARK: Parts

  @inline(__always)
  private func put(
    _ transaction: OpaquePointer, _ database: MDB_dbi, _ key: MDB_val, _ value: MDB_val, _ flags: Int32 = 0
  ) throws {
    var (key, value) = (key, value)
    try LMDB.check(mdb_put(transaction, database, &key, &value, UInt32(flags)), "mdb_put")
  }

  @inline(__always)
  private func get(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: MDB_val) throws -> MDB_val {
    var (key, value) = (key, MDB_val())
    try LMDB.check(mdb_get(transaction, database, &key, &value), "mdb_get")
    return value
  }

  private func withCursor<Result>(
    _ transaction: OpaquePointer, _ database: MDB_dbi, _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    var cursor: OpaquePointer?
    try LMDB.check(mdb_cursor_open(transaction, database, &cursor), "mdb_cursor_open")
    defer { mdb_cursor_close(cursor) }
    return try body(cursor!)
  }

  @inline(__always)
  private func each(
    _ transaction: OpaquePointer, _ database: MDB_dbi, while goesOn: () -> Bool = { true },
    _ body: (MDB_val, MDB_val) throws -> Void
  ) throws {
    try withCursor(transaction, database) { cursor in
      var (key, value) = (MDB_val(), MDB_val())
      var code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
      while code == MDB_SUCCESS && goesOn() {
        try body(key, value)
        code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
      }
      if code != MDB_NOTFOUND { try LMDB.check(code, "mdb_cursor_get") }
    }
  }

  private func write(_ body: (OpaquePointer) throws -> Void) throws {
    let transaction = try LMDB.begin(environment)
    do {
      try body(transaction)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try LMDB.check(mdb_txn_commit(transaction), "mdb_txn_commit")
  }

  private func read(_ body: (OpaquePointer) throws -> Void) throws {
    try LMDB.check(mdb_txn_renew(reader), "mdb_txn_renew")
    defer { mdb_txn_reset(reader) }
    try body(reader)
  }
}
