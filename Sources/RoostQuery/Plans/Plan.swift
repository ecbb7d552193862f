internal import RoostRecords

/// How a query is carried out: a value that says what it will do, does it, and then says what it did.
///
/// It belongs to the snapshot, or to the moment of a transaction, for which it was made.
package final class Plan {
  @exclusivity(unchecked) private(set) var query: Query
  let entity: Entity
  let table: TableReader
  let ground: Ground
  let order: [SortTerm]
  @exclusivity(unchecked) private(set) var access: Access
  let direction: Direction?
  let residual: Term?
  /// Whether a row that is at fault counts as one that fulfils the condition, because it is tested again.
  let isLenient: Bool
  /// What tells that an access comes to no row outside the condition.
  let isCountExact: Bool
  let cost: Double
  /// How many rows fulfil the condition, as far as that is known beforehand.
  @exclusivity(unchecked) private(set) var expected: Double
  let visited: Double
  let program: Program?
  /// Whether it stays, to be carried out again: see ``Route``.
  private let isKept: Bool
  /// Whether it is being carried out.
  @exclusivity(unchecked) private(set) var isRunning = false
  /// What was done the last time.
  @exclusivity(unchecked) package internal(set) var tally = Tally()

  /// While rows behind a place in the order are handed out: the key of that place.
  @exclusivity(unchecked) var behind: [UInt8]?

  /// How many rows will be handed out, where that is known, for whoever makes room for them.
  package var sureCount: Int {
    guard residual == nil, isCountExact, expected < 1e9 else { return min(query.limit ?? 0, 1024) }
    return max(0, min(Int(expected) - query.offset, query.limit ?? .max, 1 << 20))
  }

  package struct Tally: Sendable {
    /// Entries of indexes that were read.
    package var entries = 0
    /// Rows that were read.
    package var rows = 0
    /// Rows that fulfilled the condition, as far as it went.
    package var matches = 0
    /// Rows that were handed out.
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

  /// A plan without an order that stays, and whose constants come each time.
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

  // MARK: Being carried out

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

  // MARK: Being carried out again

  /// - Parameter count: how many rows there are at the most, and if nothing is left to be tested, exactly; nil where nobody knows.
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
