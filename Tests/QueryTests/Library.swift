import RoostFile
import RoostPages
import RoostQuery
import RoostRecords
import RoostTestSupport

/// A small music library in memory.
struct Library {
  let store: RecordStore
  let genres = ["rock", "jazz", "folk", "metal", "soul"]
  private(set) var tracks: EntityID
  private(set) var albums: EntityID

  init(tracks trackCount: Int = 500, albums albumCount: Int = 50, seed: UInt64 = 1) throws {
    store = try RecordStore(inMemory: StoreOptions())
    var random = SplitMix64(seed: seed)
    let genres = genres
    (albums, tracks) = try store.write { writer in
      var ids: (EntityID, EntityID) = (EntityID(0), EntityID(0))
      try writer.change { catalog in
        ids.0 = try catalog.add(entity: "Album") { (album) throws(RecordFault) in
          try album.add("title", .string)
          try album.add("year", .int64)
        }
        let album = ids.0
        ids.1 = try catalog.add(entity: "Track") { (track) throws(RecordFault) in
          try track.add("title", .string)
          try track.add("genre", .string, isOptional: true)
          try track.add("duration", .double)
          try track.add("released", .date)
          try track.add("plays", .int64)
          try track.add("explicit", .bool)
          try track.add("album", .reference(album), isOptional: true)
        }
        try catalog.add(index: "byTitle", of: "Album", on: ["title"])
        try catalog.add(index: "byGenre", of: "Track", on: ["genre"])
        try catalog.add(index: "byReleased", of: "Track", on: ["released"])
        try catalog.add(index: "byAlbum", of: "Track", on: ["album"])
        try catalog.add(index: "byGenrePlays", of: "Track", on: ["genre", "plays"])
      }
      let album = try writer.table("Album")
      for number in 0..<albumCount {
        try album.insert(["title": .string("Album \(number % 20)"), "year": .int(Int64(1960 + number % 60))])
      }
      let track = try writer.table("Track")
      for number in 0..<trackCount {
        let genre: Value =
          random.next() % 6 == 0 ? .null : .string(genres[Int(random.next() % UInt64(genres.count))])
        try track.insert([
          "title": .string("Song \(number % 40) of love"), "genre": genre,
          "duration": .double(Double(60 + random.next() % 400)), "released": .date(Double(random.next() % 5000)),
          "plays": .int(Int64(random.next() % 30)), "explicit": .bool(random.next() % 7 == 0),
          "album": random.next() % 10 == 0 ? .null : .reference(RowID(1 + random.next() % UInt64(albumCount))),
        ])
      }
      return ids
    }
  }

  /// A field of a track.
  func track(_ name: String) -> Expression { field(name, of: "Track", .row) }

  func field(_ name: String, of entity: String, _ base: Expression) -> Expression {
    let id = try! store.read { $0.catalog.entity(entity)!.field(name)!.id }
    return .field(base, id)
  }

  /// The rows that the interpreter finds, in the query's order.
  func expected(_ query: Query) throws -> [RowID] {
    try store.read { reader in
      let ground = Ground(reader)
      let entity = reader.catalog.entity(query.entity)!
      var interpreter = Interpreter(ground, entity.id)
      let condition = try query.condition.map { try Checker.condition($0, reader.catalog, entity: entity.id) }
      var found: [RowID] = []
      var cursor = try reader.table(query.entity).cursor()
      while try cursor.next() {
        let id = try cursor.id
        if try condition.map({ try interpreter.test($0, id) }) ?? true { found.append(id) }
      }
      return found
    }
  }
}
