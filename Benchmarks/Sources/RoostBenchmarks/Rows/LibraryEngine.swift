/// A storage engine in the rows suite.
///
/// As in the engine suite, the calls are coarse: every loop over rows is inside the engine's own
/// files.
protocol LibraryEngine: Sendable {
  var name: String { get }
  var note: String { get }
  /// The operations that it does not support yet.
  var omits: Set<RowsOperation> { get }
  /// Whether reading a track gives the number of its album's row.
  var readsAlbums: Bool { get }

  /// Opens a filled store, reads its first track with every field, and returns the track's word.
  /// Called in a new process.
  func openAndRead(_ directory: String) throws -> UInt64

  /// This engine with a cache of `bytes` bytes.
  func limited(toCache bytes: Int) throws -> any LibraryEngine

  /// Creates an empty store with its tables and indexes in `directory`, which exists and is empty,
  /// or opens an existing store.
  func open(_ directory: String, _ library: Library, durability: Durability) throws -> any LibraryStore
}

extension LibraryEngine {
  var omits: Set<RowsOperation> { [] }
  var readsAlbums: Bool { true }
  // The rows suite uses neither.
  func limited(toCache bytes: Int) throws -> any LibraryEngine {
    throw EngineError(name, "a small cache", "it is not in this suite")
  }
  func openAndRead(_ directory: String) throws -> UInt64 { throw EngineError(name, "open", "it is not in this suite") }
}

/// One open store. Sessions may be made on any thread.
protocol LibraryStore: AnyObject, Sendable {
  func session() throws -> any LibrarySession

  /// Closes the store and brings it to rest: everything in its place, no log left. Its sessions are
  /// already closed. Not timed.
  func close() throws
}

/// One thread's access to a store. Everything that can be prepared is prepared when it is made,
/// which is not timed.
protocol LibrarySession: AnyObject {
  /// Prepares for queries on a filled store. Not timed.
  func prepare() throws

  // Filling
  /// Prepares for inserting tracks into a filled store. Not timed.
  func prepareInserts() throws
  /// Adds all artists and albums in one transaction. Not timed.
  func addShelves() throws
  func insert(_ tracks: Range<Int>, perTransaction: Int) throws
  /// Inserts each track in a separate transaction, while other threads may do this too.
  func insertEach(_ tracks: Range<Int>) throws

  // Reading. All sums are wrapping sums of ``TrackRow/word``.
  /// Every track with every field, in the order of rows.
  func scan() throws -> TrackDigest
  /// The title and the duration of every track, and no other field.
  func titlesAndDurations() throws -> UInt64
  func sum(rows: [UInt64]) throws -> UInt64
  func sum(ids: IDList) throws -> UInt64
  /// Sums the tracks of ``sum(ids:)`` by the engine's quickest look-up of one track.
  func sumFirst(ids: IDList) throws -> UInt64
  /// For each query the first tracks of a genre that are longer than the limit, in the order of
  /// their dates; genres take turns.
  func firstByDate(queries: Int) throws -> UInt64
  /// The tracks longer than the limit with "love" in any case in the title, without an index,
  /// several times.
  func love(rounds: Int) throws -> UInt64
  func countGenres() throws -> [Int]
  /// For each genre, beginning with nil, the number of its tracks, and their average duration in
  /// whole seconds.
  func averageGenres() throws -> [Int]
  func sumPlays() throws -> Int
  /// The title of each track's album, in the quickest way.
  func albumTitlesJoined() throws -> UInt64
  /// The title of each track's album, by a look-up for each track.
  func albumTitlesOneByOne() throws -> UInt64

  // Changing
  /// Changes the play counts of rows in one transaction.
  func setPlayCounts(_ changes: [(row: UInt64, count: Int64)]) throws
  /// Deletes albums and their tracks in one transaction.
  func deleteAlbums(_ rows: [UInt64]) throws
  /// Inserts tracks; if the id exists, changes the track to be equal.
  func upsert(_ answers: LibraryAnswers, perTransaction: Int) throws
  /// Inserts tracks in one transaction, without keeping any.
  func insertBatch(_ tracks: Range<Int>) throws
  /// Adds one play to the tracks longer than the limit, by one statement.
  func addPlays() throws
  /// Deletes the tracks of the first genre, by one statement.
  func deleteGenre() throws
  /// Adds this many parents. Not timed.
  func addParents(_ count: Int) throws
  /// Adds children one by one, in one transaction.
  func append(_ children: [Child]) throws
  /// Adds the same children, with one assignment for each parent.
  func assign(_ children: [Child]) throws

  // Checking
  /// The numbers of entries in the indexes: id, genre, date, album.
  func indexCounts() throws -> [Int]
  /// The row numbers in the order of the index of dates, folded.
  func dateOrder() throws -> UInt64
  /// The children's names in the order of parents and positions, folded.
  func childDigest() throws -> UInt64
  /// The stored tracks with the numbers of their albums, if reading a track does not give these
  /// numbers; else nil.
  func storedTracks() throws -> TrackDigest?

  func close()
}

extension LibrarySession {
  func prepare() {}
  func prepareInserts() {}
  // The rows suite does not use this.
  func titlesAndDurations() throws -> UInt64 { throw EngineError("rows", "two", "it is not in this suite") }
  func sumFirst(ids: IDList) throws -> UInt64 { try sum(ids: ids) }
  func averageGenres() throws -> [Int] { [] }
  func sumPlays() throws -> Int { 0 }
  func assign(_ children: [Child]) throws { try append(children) }
  func insertBatch(_ tracks: Range<Int>) throws { try insert(tracks, perTransaction: tracks.count) }
  func addPlays() throws { throw EngineError("rows", "GB", "it is not in this suite") }
  func deleteGenre() throws { throw EngineError("rows", "HB", "it is not in this suite") }
  func storedTracks() -> TrackDigest? { nil }
}
