/// A family of operations that several engines run, each with a check of its result.
protocol Suite: AnyObject {
  var name: String { get }

  /// In the order in which they are run and shown.
  var operations: [Operation] { get }

  /// The engines, in the order of the tables' columns, with a sentence about each.
  var engines: [(name: String, note: String)] { get }

  /// Whether the engine supports the operation.
  func takesPart(_ engine: String, in operation: String) -> Bool

  /// Runs an operation once from a fresh state, and checks its result.
  func measure(_ trial: Trial) throws -> Sample

  /// Releases stores that were kept between the operations of one size.
  func finishSize() throws
}

extension Suite {
  func takesPart(_ engine: String, in operation: String) -> Bool { true }
}

/// Groups of operations in pictures.
enum OperationGroup: String, CaseIterable {
  case importing, saving, reading, asking, changing, history, memory

  /// Whether results are megabytes instead of milliseconds.
  var isMemory: Bool { self == .memory }
}

/// One line of a table.
struct Operation {
  let name: String
  /// A few words, for pictures.
  let brief: String
  let group: OperationGroup
  /// A description of the work for readers of a table.
  let work: String
  /// The number of entries, if it does not depend on the chosen size.
  var fixedSize: Int?
  /// The only chosen size at which it is run; nil if it is run at each.
  var onlySize: Int?
  /// Neighbours in the same turn alternate within each run, because their ratio is computed.
  let turn: String

  /// Whether it is run at a chosen size.
  func isDone(at size: Int) -> Bool { fixedSize == nil && (onlySize ?? size) == size }
}

/// One run of one operation by one engine.
struct Trial {
  let operation: String
  let engine: String
  let size: Int
  let isLastRun: Bool
}

/// The time of one run, and whether its result was right.
struct Sample {
  let milliseconds: Double
  let isRight: Bool
}
