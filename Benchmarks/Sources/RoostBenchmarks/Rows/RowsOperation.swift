/// The operations of the rows suite, with the names of the workloads.
enum RowsOperation: String, CaseIterable {
  case importSynced = "A1"
  case importRelaxed = "A2"
  case importWhole = "A3"
  case importMillion = "A4"
  case importBatch = "AB"
  case single = "B1"
  case single8 = "B8"
  case save1 = "S1"
  case save10 = "S10"
  case save100 = "S100"
  case writers1 = "W1"
  case writers2 = "W2"
  case writers4 = "W4"
  case writers8 = "W8"
  case byRow = "C"
  case ids = "C2"
  case idsFirst = "C2-first"
  case scan = "D"
  case smallCache = "D-small"
  case two
  case firstByDate = "E1"
  case love = "E2"
  case genreCounts = "E3"
  case genreAverages = "N1"
  case playSum = "N2"
  case titlesJoined = "F"
  case titlesOneByOne = "F2"
  case playCounts = "G"
  case playCountsTogether = "GB"
  case deletions = "H"
  case deletionsTogether = "HB"
  case mixedReads = "L-reads"
  case mixedWrites = "L-writes"
  case upsert = "U"
  case children = "T"
  case childrenAssigned = "T-assigned"
  case size = "K"
  case open

  static let rows = allCases.filter { operation in
    let ofObjects: [RowsOperation] = [
      .childrenAssigned, .genreAverages, .playSum, .importBatch, .playCountsTogether, .deletionsTogether, .save1,
      .save10, .save100, .writers1, .writers2, .writers4, .writers8, .idsFirst, .smallCache, .two, .open,
    ]
    return !ofObjects.contains(operation)
  }

  static let singleCommits = 1_000
  static let singleThreads = 8
  static let commitsPerThread = 250
  static let loveSize = 10_000
  static let million = 1_000_000
  static let saves = 50
  static let writersTracks = 2_000
  static let writersRows = 10
  static let mixedReaders = 2
  static let mixedRows = 100
  static let smallCacheBytes = 2 << 20

  var operation: Operation {
    Operation(
      name: rawValue, brief: words.brief, group: words.group, work: work, fixedSize: fixedSize,
      onlySize: self == .importMillion ? Self.million : nil, turn: turn)
  }

  private var fixedSize: Int? {
    switch self {
    case .single: Self.singleCommits
    case .single8: Self.singleThreads * Self.commitsPerThread
    case .writers1, .writers2, .writers4, .writers8: Self.writersTracks
    default: nil
    }
  }

  /// The number of tracks in one save, for operations that measure saves.
  var savedTracks: Int? {
    switch self {
    case .save1: 1
    case .save10: 10
    case .save100: 100
    default: nil
    }
  }

  /// The number of writing threads, for operations that measure them.
  var writers: Int? {
    switch self {
    case .writers1: 1
    case .writers2: 2
    case .writers4: 4
    case .writers8: 8
    default: nil
    }
  }

  /// The number of measured saves; fewer if the library has not enough tracks left to add.
  static func saves(of tracks: Int, size: Int) -> Int { max(1, min(saves, size / 2 / tracks)) }

  /// Both halves of one measurement are taken in one turn.
  private var turn: String { self == .mixedWrites ? Self.mixedReads.rawValue : rawValue }

  private var work: String {
    switch self {
    case .importSynced: "import n tracks, 1,000 a transaction, synced each"
    case .importRelaxed: "the same, relaxed"
    case .importWhole: "import n tracks in one transaction, synced"
    case .importMillion: "import a million tracks, 10,000 a transaction, relaxed"
    case .importBatch: "import n tracks in one transaction, synced, without keeping any"
    case .single: "1,000 inserts of a track, each in its own synced transaction"
    case .single8: "8 threads with 250 inserts of a track, each in its own synced transaction"
    case .save1: "a synced save of 1 new track in a library of n, mean of 50"
    case .save10: "a synced save of 10 new tracks, mean of 50"
    case .save100: "a synced save of 100 new tracks, mean of 50"
    case .writers1: "2,000 tracks, 10 a transaction, synced each, by 1 thread"
    case .writers2: "the same tracks, by 2 threads at once"
    case .writers4: "the same tracks, by 4 threads at once"
    case .writers8: "the same tracks, by 8 threads at once"
    case .byRow: "n random tracks by row, every field, in one snapshot"
    case .ids: "n random tracks by their unique id, every field, in one snapshot"
    case .idsFirst: "the same through objects by `first(_:where:is:)`, which makes no predicate; SQLite as in `C2`"
    case .scan: "read all n tracks, every field"
    case .smallCache: "the same with a cache of 2 MiB and no map; the kernel has the file in memory"
    case .two: "read the title and the duration of all n tracks, and nothing else"
    case .firstByDate: "the first 100 of a genre with duration > 180 by release date, 100 times"
    case .love: "10,000 tracks: duration > 180 and \"love\" in the title, any case, no index, 20 times"
    case .genreCounts: "how many tracks a genre has, for each of 12"
    case .genreAverages: "how many tracks each genre has, and how long they are on average, 10 times"
    case .playSum: "the sum of all play counts, 10 times"
    case .titlesJoined: "the album's title of each of n tracks, joined"
    case .titlesOneByOne: "the album's title of each of n tracks, one by one"
    case .playCounts: "change the play count of n/10 random tracks, one transaction, synced"
    case .playCountsTogether: "one play more for all tracks with duration > 180, one statement, synced"
    case .deletionsTogether: "delete all tracks of a genre, one statement, synced"
    case .deletions: "delete n/100 albums and their tracks, one transaction, synced"
    case .mixedReads:
      "two readers of random tracks, 100 a snapshot, beside the writer of `L-writes`: time of 100,000 reads, both together"
    case .mixedWrites: "one writer beside them: n/5 tracks, 100 a transaction, relaxed"
    case .upsert: "insert or change n tracks by unique id, half of them there, 1,000 a transaction, relaxed"
    case .children: "append n children one by one to the arrays of n/100 parents, one transaction, synced"
    case .childrenAssigned: "the same children, each parent's array assigned at once"
    case .size: "size at rest in MB (not milliseconds), of 10⁶ bytes"
    case .open:
      "open a store of n tracks in a new process, no file in a cache, and read one track; beyond the program's start"
    }
  }
}
