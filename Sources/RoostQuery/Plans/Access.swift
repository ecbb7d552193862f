internal import RoostRecords

/// How a plan finds the rows that may fulfil a condition.
enum Access {
  /// No row can fulfil it.
  case nothing
  /// All rows, in order of their numbers.
  case all
  /// These rows, in order of their numbers.
  case rows([RowID])
  /// The row of an entry in a unique index, or none.
  case single(RowID?, IndexReader)
  case index(IndexAccess)
  /// The rows that refer to the rows which another plan finds.
  indirect case through(Passing)
  /// The rows that refer to the rows which another plan finds, in the order of that plan.
  indirect case following(Following)
  /// The rows that a full text search finds.
  case searched(SearchAnswer)
  /// The rows that a full text search finds, in the order of their ranks.
  case ranked(SearchAnswer)
  /// The rows of any of these accesses, each once.
  case either([Candidate])
  /// The rows that are in all of these accesses.
  case both([Candidate])
  /// The rows of the first access, in its order, that also pass the filter.
  indirect case filtered(Candidate, by: RowFilter)
}

/// Rejects rows before they are read.
enum RowFilter {
  case index(IndexAccess)
  case search(SearchAnswer)
}

extension Access {
  /// A filter that passes the rows of this access; nil if no index alone can tell.
  var filter: RowFilter? {
    switch self {
    case .index(let use): .index(use)
    case .searched(let answer): .search(answer)
    default: nil
    }
  }
}

/// Disjoint ranges of an index, in order.
struct IndexAccess {
  var index: IndexReader
  var ranges: [KeyRange]
  /// The number of leading parts that have one value in all entries of all ranges.
  var fixedParts: Int
  /// The bytes of these parts.
  var fixedPrefix = KeyBytes()
}

/// A path backwards over a reference: from the rows that `inner` finds to the rows that refer to
/// them.
struct Passing {
  /// The index on the reference.
  var index: IndexReader
  var field: Field
  var inner: Plan
}

/// A path that reads the referenced rows in their order, and for each the rows that refer to it.
struct Following {
  var passing: Passing
  /// Whether the query's order leaves rows that refer to equal rows in the order of their numbers.
  var isWholeOrder: Bool
}

/// A way to find rows, its cost, and the parts of the condition that it covers.
struct Candidate {
  var access: Access
  /// The number of rows that it finds; an index gives it exactly.
  var count: Int
  var isCountExact: Bool
  /// The cost to find the rows, without reading them.
  var cost: Double
  /// The parts of the condition that the rows need not be tested for.
  var covered: PartSet
  /// The cost before the first row is found.
  var fixedCost = 0.0
  /// The share of the found rows that is read; the others are known not to fulfil the condition.
  var readShare = 1.0
}

/// Costs, in steps of an index.
enum Cost {
  static let entry = 1.0
  static let seek = 20.0
  /// Reading a row by its number.
  static let row = 12.0
  /// Reading the next row.
  static let nextRow = 2.0
  static let test = 3.0
  /// Testing whether a set contains a row.
  static let lookup = 0.3
  /// Making the sort key of a row.
  static let sort = 10.0
  /// Finding the group of a row in a table of groups.
  static let group = 2.0
}
