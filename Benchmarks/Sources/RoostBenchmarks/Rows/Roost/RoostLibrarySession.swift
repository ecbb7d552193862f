import RoostFile
import RoostQuery
import RoostRecords

/// One thread's transactions on the library.
final class RoostLibrarySession: LibrarySession {
  private let owner: RoostLibraryStore
  private let store: RecordStore
  private let library: Library

  init(_ owner: RoostLibraryStore) {
    self.owner = owner
    store = owner.store
    library = owner.library
  }

  func close() {}

  private struct Missing: Error {}

  // MARK: Filling

  func addShelves() throws {
    try store.write(owner.durability) { writer in
      let artists = try writer.table("Artist")
      var artist = artists.makeBuilder()
      let name = try artists.slot("name")
      for number in 0..<library.artistCount {
        artist.set(name, bytes: library.artist(number))
        _ = try artists.insert(&artist)
      }
      let albums = try writer.table("Album")
      var album = albums.makeBuilder()
      let (title, reference) = (try albums.slot("title"), try albums.slot("artist"))
      for number in 0..<library.albumCount {
        let facts = library.album(number)
        album.clear()
        album.set(title, bytes: facts.title)
        album.set(reference, word: facts.artist)
        _ = try albums.insert(&album)
      }
    }
  }

  func insert(_ tracks: Range<Int>, perTransaction: Int) throws {
    for start in stride(from: tracks.lowerBound, to: tracks.upperBound, by: perTransaction) {
      try insertTogether(start..<min(start + perTransaction, tracks.upperBound))
    }
  }

  func insertEach(_ tracks: Range<Int>) throws {
    for track in tracks { try insertTogether(track..<track + 1) }
  }

  private func insertTogether(_ tracks: Range<Int>) throws {
    try store.write(owner.durability) { writer in
      let table = try writer.table("Track")
      let slots = try TrackSlots(table)
      var builder = table.makeBuilder()
      for track in tracks {
        slots.fill(&builder, with: library.track(track))
        _ = try table.insert(&builder)
      }
    }
  }

  // MARK: Reading

  func scan() throws -> TrackDigest {
    try store.read { reader in
      let table = try reader.table("Track")
      let places = try TrackPlaces(table)
      var digest = TrackDigest()
      var cursor = try table.cursor()
      while try cursor.next() {
        let row = try cursor.row()
        digest.add(row.id.number, places.track(row))
      }
      return digest
    }
  }

  func sum(rows: [UInt64]) throws -> UInt64 {
    try store.read { reader in
      let table = try reader.table("Track")
      let places = try TrackPlaces(table)
      var sum: UInt64 = 0
      for row in rows { sum &+= try word(RowID(row), table, places) }
      return sum
    }
  }

  func sum(ids: IDList) throws -> UInt64 {
    try store.read { reader in
      let table = try reader.table("Track")
      let places = try TrackPlaces(table)
      guard let index = table.index("id") else { throw Missing() }
      var key = ByteBuffer()
      var sum: UInt64 = 0
      for place in 0..<ids.count {
        key.clear()
        KeyCoding.append(text: ids[place], to: &key)
        guard let row = try index.row(key.bytes) else { throw Missing() }
        sum &+= try word(row, table, places)
      }
      return sum
    }
  }

  @inline(__always)
  private func word(_ row: RowID, _ table: TableReader, _ places: TrackPlaces) throws -> UInt64 {
    guard let word = try table.withRow(row, { (row) throws(StoreError) in places.track(row).word }) else {
      throw Missing()
    }
    return word
  }

  // MARK: Asking

  func firstByDate(queries: Int) throws -> UInt64 {
    try store.read { reader in
      let (table, ground) = (try reader.table("Track"), Ground(reader))
      let places = try TrackPlaces(table)
      let names = TrackNames(table)
      var sum: UInt64 = 0
      for query in 0..<queries {
        let genre = String(decoding: library.genre(query % LibraryWords.genres.count), as: UTF8.self)
        let condition =
          Expression.compare(.equal, names.genre, .constant(.string(genre), .string))
          && .compare(.greater, names.duration, .constant(.double(LibraryAnswers.leastDuration), .double))
        let plan = try Planner(ground).plan(
          Query("Track", where: condition, by: [Order(names.releaseDate)], limit: LibraryAnswers.firstTracks))
        try plan.forEach { row in
          sum = LibraryAnswers.fold(sum, places.track(row).word)
          return true
        }
      }
      return sum
    }
  }

  func love(rounds: Int) throws -> UInt64 {
    try store.read { reader in
      let (table, ground) = (try reader.table("Track"), Ground(reader))
      let places = try TrackPlaces(table)
      let names = TrackNames(table)
      let condition =
        Expression.compare(.greater, names.duration, .constant(.double(LibraryAnswers.leastDuration), .double))
        && .text(.containsLoosely, names.title, .constant(.string("love"), .string))
      var sum: UInt64 = 0
      for _ in 0..<rounds {
        try Planner(ground).plan(Query("Track", where: condition)).forEach { row in
          sum &+= places.track(row).word
          return true
        }
      }
      return sum
    }
  }

  func countGenres() throws -> [Int] {
    try store.read { reader in
      let ground = Ground(reader)
      let names = TrackNames(try reader.table("Track"))
      return try LibraryWords.genres.indices.map { number in
        let genre = String(decoding: library.genre(number), as: UTF8.self)
        let condition = Expression.compare(.equal, names.genre, .constant(.string(genre), .string))
        return try Planner(ground).count(Query("Track", where: condition))
      }
    }
  }

  /// The albums are read once, in their order; each track finds its album by number.
  func albumTitlesJoined() throws -> UInt64 {
    try store.read { reader in
      let (tracks, albums) = (try reader.table("Track"), try reader.table("Album"))
      let title = try albums.access("title").places[albums.layouts.count - 1]
      var words: [UInt64: UInt64] = [:]
      words.reserveCapacity(albums.count)
      var album = try albums.cursor()
      while try album.next() {
        let row = try album.row()
        words[row.id.number] = TrackRow.word(title.variable(row.start).bytes)
      }
      let places = try TrackPlaces(tracks)
      var sum: UInt64 = 0
      var track = try tracks.cursor()
      while try track.next() {
        let album = places.album.fixed(try track.row().start).loadUnaligned(as: UInt64.self)
        guard let word = words[album] else { throw Missing() }
        sum &+= word
      }
      return sum
    }
  }

  func albumTitlesOneByOne() throws -> UInt64 {
    try store.read { reader in
      let (tracks, albums) = (try reader.table("Track"), try reader.table("Album"))
      let places = try TrackPlaces(tracks)
      let title = try albums.access("title").places[albums.layouts.count - 1]
      var sum: UInt64 = 0
      var cursor = try tracks.cursor()
      while try cursor.next() {
        let album = RowID(places.album.fixed(try cursor.row().start).loadUnaligned(as: UInt64.self))
        let word = try albums.withRow(album) { (row) throws(StoreError) in
          TrackRow.word(title.variable(row.start).bytes)
        }
        guard let word else { throw Missing() }
        sum &+= word
      }
      return sum
    }
  }

  // MARK: Changing

  func setPlayCounts(_ changes: [(row: UInt64, count: Int64)]) throws {
    try store.write(owner.durability) { writer in
      let table = try writer.table("Track")
      let slot = try table.slot("playCount")
      for change in changes {
        let isThere = try table.update(RowID(change.row)) { builder in
          builder.set(slot, word: UInt64(bitPattern: change.count))
        }
        guard isThere else { throw Missing() }
      }
    }
  }

  func deleteAlbums(_ rows: [UInt64]) throws {
    try store.write(owner.durability) { writer in
      try writer.table("Album").deleteFollowingRules(many: rows.lazy.map { RowID($0) })
    }
  }

  func upsert(_ answers: LibraryAnswers, perTransaction: Int) throws {
    let tracks = answers.upserts.tracks
    for start in stride(from: 0, to: tracks.count, by: perTransaction) {
      try store.write(owner.durability) { writer in
        let table = try writer.table("Track")
        let slots = try TrackSlots(table)
        var builder = table.makeBuilder()
        for place in start..<min(start + perTransaction, tracks.count) {
          slots.fill(&builder, with: answers.upserted(tracks[place]))
          _ = try table.upsert(&builder, on: "id")
        }
      }
    }
  }

  func addParents(_ count: Int) throws {
    try store.write(owner.durability) { writer in
      let table = try writer.table("Parent")
      var builder = table.makeBuilder()
      for _ in 0..<count { _ = try table.insert(&builder) }
    }
  }

  func append(_ children: [Child]) throws {
    try store.write(owner.durability) { writer in
      let table = try writer.table("Child")
      let (parent, position, name) = (try table.slot("parent"), try table.slot("position"), try table.slot("name"))
      var builder = table.makeBuilder()
      for child in children {
        builder.clear()
        builder.set(parent, word: child.parent)
        builder.set(position, word: UInt64(bitPattern: child.position))
        builder.set(name, bytes: library.track(child.track).title)
        _ = try table.insert(&builder)
      }
    }
  }

  // MARK: Checking

  func indexCounts() throws -> [Int] {
    try store.read { reader in
      let table = try reader.table("Track")
      return ["id", "genre", "releaseDate", "album"].map { table.index($0)?.count ?? -1 }
    }
  }

  func dateOrder() throws -> UInt64 {
    try store.read { reader in
      guard var cursor = try reader.table("Track").index("releaseDate")?.cursor() else { throw Missing() }
      var sum: UInt64 = 0
      while try cursor.next() { sum = LibraryAnswers.fold(sum, try cursor.row().number) }
      return sum
    }
  }

  func childDigest() throws -> UInt64 {
    try store.read { reader in
      let table = try reader.table("Child")
      let name = try table.access("name").places[table.layouts.count - 1]
      guard var cursor = try table.index("parent")?.cursor() else { throw Missing() }
      var sum: UInt64 = 0
      while try cursor.next() {
        let word = try table.withRow(try cursor.row()) { (row) throws(StoreError) in
          TrackRow.word(name.variable(row.start).bytes)
        }
        guard let word else { throw Missing() }
        sum = LibraryAnswers.fold(sum, word)
      }
      return sum
    }
  }
}
