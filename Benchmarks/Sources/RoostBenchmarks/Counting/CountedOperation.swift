/// An operation whose instructions are counted, and the unit of the count.
struct CountedOperation: Hashable {
  let suite: String
  let name: String
  /// The name of one unit of work: "track", "question".
  let unit: String
  let units: Int

  /// The size of the library, small because `callgrind` runs a program some fifty times slower.
  static let tracks = 2_000

  /// The operations that run on the caller's thread. Those with several threads differ from run to run.
  static let all =
    [
      ("A1", "track", tracks), ("B1", "track", RowsOperation.singleCommits), ("C", "track", tracks),
      ("C2", "track", tracks), ("D", "track", tracks), ("E1", "question", LibraryAnswers.dateQueries),
      ("E2", "tested track", RowsOperation.loveSize * LibraryAnswers.loveRounds),
      ("E3", "question", LibraryWords.genres.count), ("F", "track", tracks), ("F2", "track", tracks),
      ("G", "changed track", tracks / 10), ("H", "deleted track", tracks / 10), ("U", "track", tracks),
      ("T", "child", tracks),
    ].map { CountedOperation(suite: "rows", name: $0, unit: $1, units: $2) }
    + [
      ("A2", "track", tracks), ("AB", "track", tracks), ("B1", "track", RowsOperation.singleCommits),
      ("C", "track", tracks), ("C2", "track", tracks), ("C2-first", "track", tracks), ("D", "track", tracks),
      ("E1", "question", LibraryAnswers.dateQueries),
      ("E2", "tested track", RowsOperation.loveSize * LibraryAnswers.loveRounds),
      ("E3", "question", LibraryWords.genres.count), ("N1", "question", LibraryAnswers.sumRounds),
      ("N2", "question", LibraryAnswers.sumRounds), ("F", "track", tracks), ("F2", "track", tracks),
      ("G", "changed track", tracks / 10), ("GB", "track", tracks), ("H", "deleted track", tracks / 10),
      ("HB", "track", tracks), ("U", "track", tracks), ("T", "child", tracks), ("T-assigned", "child", tracks),
      ("getter", "read", ObjectOperation.getters), ("HT", "question", ObjectHistory.tokens),
      ("HR", "transaction", ObjectHistory.readings * ObjectHistory.newest), ("IS", "track", tracks),
      ("S1", "save", saves(1)), ("S10", "save", saves(10)), ("S100", "save", saves(100)), ("two", "track", tracks),
      ("O0", "save", saves(ObjectObserving.tracks)), ("O1", "save", saves(ObjectObserving.tracks)),
      (opening, "opening", 1),
    ].map { CountedOperation(suite: "objects", name: $0, unit: $1, units: $2) }

  private static func saves(_ size: Int) -> Int { RowsOperation.saves(of: size, size: tracks) }

  private static let opening = RowsOperation.open.rawValue

  /// Whether each run of it is a new process.
  var isInOtherProcess: Bool { name == Self.opening }

  static let suites = ["rows", "objects"]
}
