internal import RoostRecords

/// A plan for a query. It can describe itself, run, and then report what it did.
///
/// It is valid for the snapshot, or the moment of a transaction, for which it was made.
package final class Plan {
  @exclusivity(unchecked) private(set) var query: Query
  let entity: Entity
  let table: TableReader
  let ground: Ground
  let order: [SortTerm]
  @exclusivity(unchecked) private(set) var access: Access
  let direction: Direction?
  let residual: Term?
  /// Whether a row whose test throws counts as a match, because the caller tests it again.
  let isLenient: Bool
  /// Whether all rows that the access finds fulfil the condition.
  let isCountExact: Bool
  let cost: Double
  /// The number of rows that fulfil the condition, as far as it is known in advance.
  @exclusivity(unchecked) private(set) var expected: Double
  package let visited: Double
  let program: Program?
  /// Whether the plan is kept to run again: see ``Route``.
  private let isKept: Bool
  /// Whether it runs now.
  @exclusivity(unchecked) private(set) var isRunning = false
  /// The numbers of the last run.
  @exclusivity(unchecked) package internal(set) var tally = Tally()

  /// While the plan runs from a position in the order: the sort key of that position. Only rows
  /// after it are returned.
  @exclusivity(unchecked) var behind: [UInt8]?

  /// The number of rows that will be given, if known, so that the caller can reserve memory.
  package var sureCount: Int {
    guard residual == nil, isCountExact, expected < 1e9 else { return min(query.limit ?? 0, 1024) }
    return max(0, min(Int(expected) - query.offset, query.limit ?? .max, 1 << 20))
  }

  package struct Tally: Sendable {
    /// Index entries that were read.
    package var entries = 0
    /// Rows that were read.
    package var rows = 0
    /// Rows that fulfilled the condition, as far as the plan ran.
    package var matches = 0
    /// Rows that were given to the caller.
    package var results = 0
  }

  init(
    _ query: Query, _ table: TableReader, ground: Ground, order: [SortTerm], conjunction: Conjunction,
    choice: Choice, isLenient: Bool
  ) throws {
    self.query = query
    self.isLenient = isLenient
    entity = table.entity
    self.table = table
    self.ground = ground
    self.order = order
    access = choice.candidate.access
    direction = choice.direction
    isCountExact = choice.candidate.isCountExact
    residual = conjunction.residual(choice.candidate.covered)
    cost = choice.cost
    expected = choice.expected
    visited = choice.visited
    program = try residual.map { try Program(condition: $0, ground, table.id) }
    isKept = false
  }

  /// A plan without an order that is kept, and whose constants come with each run.
  init(
    _ query: Query, _ table: TableReader, ground: Ground, choice: Choice, residual: Term?, isLenient: Bool
  ) throws {
    self.query = query
    self.residual = residual
    self.isLenient = isLenient
    entity = table.entity
    self.table = table
    self.ground = ground
    order = []
    access = choice.candidate.access
    direction = .forward
    isCountExact = choice.candidate.isCountExact
    cost = choice.cost
    expected = choice.expected
    visited = choice.visited
    program = try residual.map { try Program(condition: $0, ground, table.id) }
    isKept = true
  }

  deinit { settle() }

  // MARK: One run

  func begin() {
    isRunning = true
    tally = Tally()
  }

  func end() {
    program?.rest()
    isRunning = false
    if isKept { settle() }
  }

  private func settle() {
    ground.rowsRead &+= tally.rows
    ground.entriesRead &+= tally.entries
    tally = Tally()
  }

  // MARK: Further runs

  /// Replaces the access for the next run. `count` is the largest possible number of rows, which is
  /// exact if there is no residual test; nil if unknown.
  func go(by access: Access, _ count: Int?) {
    self.access = access
    if let count { expected = Double(count) }
  }

  func ask(_ values: [Value], offset: Int, limit: Int?) {
    query.offset = offset
    query.limit = limit
    program?.bind(values)
  }
}
