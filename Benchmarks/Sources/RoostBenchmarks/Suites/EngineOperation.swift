/// The operations of the engine suite.
enum EngineOperation: String, CaseIterable {
  case ascending
  case ascendingRelaxed = "ascending-relaxed"
  case random
  case randomRelaxed = "random-relaxed"
  case getInt = "get-int"
  case getString = "get-string"
  case scan
  case single
  case single8 = "single-8"
  case build
  case readers1 = "readers-1"
  case readers2 = "readers-2"

  static let rowsPerTransaction = 1_000
  static let singleCommits = 1_000
  static let singleThreads = 8
  static let commitsPerThread = 250

  var operation: Operation {
    Operation(
      name: rawValue, brief: words.brief, group: words.group, work: work, fixedSize: fixedSize, turn: turn)
  }

  /// The kind of store that it reads, if it reads one that was filled before.
  var reads: KeyKind? {
    switch self {
    case .getInt, .scan, .readers1, .readers2: .integers
    case .getString: .strings
    default: nil
    }
  }

  private var fixedSize: Int? {
    switch self {
    case .single: Self.singleCommits
    case .single8: Self.singleThreads * Self.commitsPerThread
    default: nil
    }
  }

  private var turn: String {
    switch self {
    case .readers1, .readers2: "readers"
    default: rawValue
    }
  }

  private var work: String {
    switch self {
    case .ascending: "insert n ascending integer keys with 150 bytes each, 1,000 a transaction, synced"
    case .ascendingRelaxed: "the same, relaxed"
    case .random: "insert n random 36-byte keys with 8 bytes each, 1,000 a transaction, synced"
    case .randomRelaxed: "the same, relaxed"
    case .getInt: "n random gets of integer keys in one snapshot"
    case .getString: "n random gets of 36-byte keys in one snapshot"
    case .scan: "walk the n ascending rows in order with a cursor"
    case .single: "1,000 inserts, each in its own synced transaction"
    case .single8: "8 threads with 250 inserts, each in its own synced transaction"
    case .build: "fill an empty store with n sorted rows, durable at the end"
    case .readers1: "1 thread with n random gets of integer keys in its own snapshot"
    case .readers2: "2 threads, each with n random gets of integer keys in its own snapshot"
    }
  }
}
