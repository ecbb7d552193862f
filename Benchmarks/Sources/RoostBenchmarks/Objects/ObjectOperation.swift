/// The operations of objects only, without a counterpart in other engines.
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
  case saveAlone = "O0"
  case saveObserved = "O1"

  static let heldTracks = 10_000
  static let getters = 1_000_000

  var operation: Operation {
    Operation(
      name: rawValue, brief: words.brief, group: words.group, work: work, fixedSize: fixedSize, turn: turn)
  }

  private var fixedSize: Int? {
    switch self {
    case .getter: Self.getters
    case .held: Self.heldTracks
    default: nil
    }
  }

  private var turn: String { self == .saveObserved ? Self.saveAlone.rawValue : rawValue }

  private var work: String {
    switch self {
    case .getter: "a million reads of a loaded property; so milliseconds are nanoseconds each"
    case .held:
      "memory of holding 10,000 fetched tracks, above a program that does nothing, in MB (not milliseconds)"
    case .peak:
      "the most memory of a program that inserts n tracks, 10,000 a transaction, in MB (not milliseconds)"
    case .latestToken:
      "ask 1,000 times for the newest place in a history of n changes; so milliseconds are microseconds each"
    case .newestHistory: "read the 100 newest transactions, of 10 changes each, from a token among n changes, 10 times"
    case .importSnapshots: "import n tracks from snapshots, relaxed but for the end"
    case .importLines: "import n tracks from a file of JSON Lines, in the same way"
    case .importTable: "import n tracks from a table in CSV, in the same way"
    case .importPeak:
      "the most memory of a program that imports n tracks from JSON Lines, cache 64 MiB, in MB (not milliseconds)"
    case .saveAlone: "a relaxed save of 10 new tracks in a library of n, mean of 50, no observer"
    case .saveObserved:
      "the same beside a `ResultsObserver` of the tracks with duration > 180 by release date, read after each save"
    }
  }
}
