/// What is measured of objects alone: there is nothing of the kind beside them.
enum ObjectOperation: String, CaseIterable {
  case getter
  case held
  case peak
  case latestToken = "HT"
  case newestHistory = "HR"
  case importSnapshots = "IS"
  case importLines = "IJ"
  case importTable = "IC"
  case importPeak = "IP"

  static let heldTracks = 10_000
  static let getters = 1_000_000

  var operation: Operation {
    switch self {
    case .getter:
      Operation(
        name: rawValue, work: "a million reads of a loaded property; so milliseconds are nanoseconds each",
        fixedSize: Self.getters, turn: rawValue)
    case .held:
      Operation(
        name: rawValue,
        work: "memory of holding 10,000 fetched tracks, above a program that does nothing, in MB (not milliseconds)",
        fixedSize: Self.heldTracks, turn: rawValue)
    case .peak:
      Operation(
        name: rawValue,
        work: "the most memory of a program that inserts n tracks, 10,000 a transaction, in MB (not milliseconds)",
        turn: rawValue)
    case .latestToken:
      Operation(
        name: rawValue,
        work: "ask 1,000 times for the newest place in a history of n changes; so milliseconds are microseconds each",
        turn: rawValue)
    case .newestHistory:
      Operation(
        name: rawValue,
        work: "read the 100 newest transactions, of 10 changes each, from a token among n changes, 10 times",
        turn: rawValue)
    case .importSnapshots:
      Operation(
        name: rawValue, work: "import n tracks from snapshots, chunks of 5,000, relaxed but for the end", turn: rawValue
      )
    case .importLines:
      Operation(name: rawValue, work: "import n tracks from a file of JSON Lines, in the same way", turn: rawValue)
    case .importTable:
      Operation(name: rawValue, work: "import n tracks from a table in CSV, in the same way", turn: rawValue)
    case .importPeak:
      Operation(
        name: rawValue,
        work: "the most memory of a program that imports n tracks from JSON Lines, cache 64 MiB, in MB (not ms)",
        turn: rawValue)
    }
  }
}
