internal import RoostRecords

/// How rows are found that may fulfil a condition.
enum Access {
  /// No row can.
  case nothing
  /// All rows, by their numbers.
  case all
  /// These rows, in order of their numbers.
  case rows([RowID])
  /// The row that a unique index has, or none.
  case single(RowID?, IndexReader)
  case index(IndexAccess)
  /// The rows that refer to those which another plan finds.
  indirect case through(Passing)
  /// The same in the order of those rows.
  indirect case following(Following)
  /// The rows that a full text search finds.
  case searched(SearchAnswer)
  /// The rows that a full text search finds, in the order of their ranks.
  case ranked(SearchAnswer)
  /// The rows of any of these, each once.
  case either([Candidate])
  /// The rows of all of these.
  case both([Candidate])
  /// The rows of the first, in its order, that stand in the stretches of an index too.
  indirect case filtered(Candidate, by: RowFilter)
}

/// What leaves rows out before they are read.
enum RowFilter {
  case index(IndexAccess)
  case search(SearchAnswer)
}

extension Access {
  /// A filter that keeps the rows of this access; nil if no index alone knows them.
  var filter: RowFilter? {
    switch self {
    case .index(let use): .index(use)
    case .searched(let answer): .search(answer)
    default: nil
    }
  }
}

/// Some stretches of an index, in order and apart from each other.
struct IndexAccess {
  var index: IndexReader
  var ranges: [KeyRange]
  /// How many parts in front have one value in all entries of all ranges.
  var fixedParts: Int
  /// The bytes of these.
  var fixedPrefix = KeyBytes()
}

/// A way over a reference, from the rows it leads to.
struct Passing {
  /// By the reference.
  var index: IndexReader
  var field: Field
  var inner: Plan
}

/// A way along the rows that references lead to, in their order, and back to those that refer to them.
struct Following {
  var passing: Passing
  /// Whether the query asks for no order among rows that refer to equal ones but that of their numbers.
  var isWholeOrder: Bool
}

/// A way to find rows, what it costs, and what it leaves to be tested.
struct Candidate {
  var access: Access
  /// How many rows it comes to. Of an index that is exact.
  var count: Int
  var isCountExact: Bool
  /// What finding them costs, without reading them.
  var cost: Double
  /// The parts of the condition that need no test behind it.
  var covered: PartSet
  /// What must be paid before the first row comes.
  var fixedCost = 0.0
  /// Which share of the rows it comes to is read; the others are known not to fulfil the condition.
  var readShare = 1.0
}

/// What things cost, in steps of an index.
enum Cost {
  static let entry = 1.0
  static let seek = 20.0
  /// A row that is found by its number.
  static let row = 12.0
  /// A row behind another.
  static let nextRow = 2.0
  static let test = 3.0
  /// Whether a row is in a set of rows.
  static let lookup = 0.3
  /// The key by which a row is sorted.
  static let sort = 10.0
}
