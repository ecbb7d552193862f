/// A family of operations that several engines carry out, each with a check of its result.
protocol Suite: AnyObject {
  var name: String { get }

  /// In the order they are run and shown.
  var operations: [Operation] { get }

  /// The engines that take part, in the order of the tables' columns, and a sentence about each.
  var engines: [(name: String, note: String)] { get }

  /// Whether the engine can carry the operation out at all.
  func takesPart(_ engine: String, in operation: String) -> Bool

  /// Carries an operation out once, from fresh, and checks what it left.
  func measure(_ trial: Trial) throws -> Sample

  /// Lets go of what was kept between the operations of one size.
  func finishSize() throws
}

extension Suite {
  func takesPart(_ engine: String, in operation: String) -> Bool { true }
}

/// What belongs together in a picture.
enum OperationGroup: String, CaseIterable {
  case importing, saving, reading, asking, changing, history, memory

  /// Whether figures are megabytes instead of milliseconds.
  var isMemory: Bool { self == .memory }
}

/// One line of a table.
struct Operation {
  let name: String
  /// A few words, for pictures.
  let brief: String
  let group: OperationGroup
  /// What is done, for the reader of a table.
  let work: String
  /// The number of entries, where it does not follow the chosen size.
  var fixedSize: Int?
  /// The one chosen size at which it is done; nil where it is done at each.
  var onlySize: Int?
  /// Neighbours in the same turn alternate within each run, because a ratio is taken between them.
  let turn: String

  /// Whether it is done at a size that was chosen.
  func isDone(at size: Int) -> Bool { fixedSize == nil && (onlySize ?? size) == size }
}

/// One run of one operation by one engine.
struct Trial {
  let operation: String
  let engine: String
  let size: Int
  let isLastRun: Bool
}

/// What one run took, and whether its result was the expected one.
struct Sample {
  let milliseconds: Double
  let isRight: Bool
}
