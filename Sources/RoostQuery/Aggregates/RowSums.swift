internal import RoostRecords

/// Computes measures over rows, in groups.
final class RowSums {
  private let keys: RowGroups?
  private let programs: [MeasureProgram]
  private let columns: UnsafeMutablePointer<MeasureColumn>
  private let count: Int
  // Unchecked exclusivity: one aggregation has the object for itself, and a user's code cannot
  // reach it.
  /// The tallies of the first group, then those of the next.
  @exclusivity(unchecked) private var tallies: UnsafeMutablePointer<MeasureTally>
  /// The number of groups that have tallies, and the number of groups for which memory is
  /// allocated.
  @exclusivity(unchecked) private var groupCount = 0
  @exclusivity(unchecked) private var room = 16
  private let memory: QueryMemory?

  init(
    _ keys: [Expression], _ measures: [Measure], ground: Ground, entity: EntityID, memory: QueryMemory? = nil
  ) throws {
    self.memory = memory
    self.keys = keys.isEmpty ? nil : try RowGroups(keys, ground, entity: entity)
    programs = try measures.map { try MeasureProgram($0, ground, entity: entity) }
    count = programs.count
    columns = .allocate(capacity: max(1, count))
    columns.initialize(from: programs.map(\.column), count: count)
    tallies = .allocate(capacity: room * max(1, count))
    if keys.isEmpty { addGroup() }
  }

  // The programs own what the columns point to.
  deinit {
    columns.deallocate()
    tallies.deinitialize(count: groupCount * count)
    tallies.deallocate()
  }

  @inline(never)
  private func addGroup() {
    if groupCount == room {
      room *= 2
      let larger = UnsafeMutablePointer<MeasureTally>.allocate(capacity: room * max(1, count))
      larger.moveInitialize(from: tallies, count: groupCount * count)
      tallies.deallocate()
      tallies = larger
    }
    (tallies + groupCount * count).initialize(repeating: MeasureTally(), count: count)
    groupCount += 1
  }

  @inline(__always)
  func add(_ row: Row, _ decimal: (Int, Int, DecimalNumber) throws -> Void) throws {
    let group = try keys?.group(of: row) ?? 0
    if group == groupCount {
      try countGroup(group)
      addGroup()
    }
    let own = tallies + group &* count
    for number in 0..<count {
      let isDone = columns[number].add(row, to: &own[number])
      if !isDone { try compute(number, group, row: row, decimal: decimal) }
    }
  }

  @inline(never)
  private func countGroup(_ group: Int) throws {
    guard let memory, let keys else { return }
    let values = keys.keys[group].reduce(0) { $0 + 2 * (QueryMemory.value + $1.heapBytes) }
    try memory.take(QueryMemory.group + values + count * MemoryLayout<MeasureTally>.stride, for: .groups)
  }

  @inline(never)
  private func compute(
    _ number: Int, _ group: Int, row: Row, decimal: (Int, Int, DecimalNumber) throws -> Void
  ) throws {
    let own = tallies + group * count + number
    let before = own.pointee.bound?.heapBytes ?? 0
    try programs[number].add(row, to: &own.pointee) { try decimal(number, group, $0) }
    // A minimum or maximum of texts keeps its text in memory.
    let after = own.pointee.bound?.heapBytes ?? 0
    if after > before { try memory?.take(after - before, for: .groups) }
  }

  /// Counts rows whose values no measure needs. For sums with only one group.
  func add(rows: Int) { for number in 0..<count { tallies[number].count += rows } }

  /// Clears the tallies for the next group. For sums with only one group.
  func restart() { for number in 0..<count { tallies[number] = MeasureTally() } }

  func rest() { for program in programs { program.rest() } }

  /// The values of the measures, by groups in the order of their first rows; without keys there is
  /// one group.
  var groups: [TalliedGroup] {
    (0..<(keys?.count ?? 1)).map { group in
      let own = tallies + group * count
      return TalliedGroup(
        keys: keys?.keys[group] ?? [], tallies: programs.indices.map { programs[$0].finished(own[$0]) })
    }
  }

  /// The numbers of all groups in the order of their keys.
  var order: [Int] { keys?.order ?? [0] }
}

/// How a measure of a field reads each row. It holds no counted reference.
struct MeasureColumn {
  enum Way: UInt8 {
    /// Counts rows, or values.
    case rows, values
    case signed, unsigned, floats
    case leastSigned, leastUnsigned, leastDouble
    case greatestSigned, greatestUnsigned, greatestDouble
    /// ``MeasureProgram`` computes it.
    case program
  }

  private let way: Way
  private let field: FieldReader?

  init(_ way: Way, _ field: FieldReader?) {
    self.way = way
    self.field = field
  }

  /// Measures a row; returns false if the program must do it.
  @inline(__always)
  func add(_ row: Row, to tally: inout MeasureTally) -> Bool {
    if way == .rows {
      tally.count += 1
      return true
    }
    guard let cell = field?.cell(row.start, version: row.version) else { return false }
    if cell.isNull { return true }
    switch way {
    case .signed: tally.integers += Int128(cell.signed)
    case .unsigned: tally.integers += Int128(cell.bits)
    case .floats: tally.floats.add(cell.double)
    case .leastSigned: tally.takeBest(cell) { $0.signed < $1.signed }
    case .leastUnsigned: tally.takeBest(cell) { $0.bits < $1.bits }
    case .leastDouble: tally.takeBest(cell) { $1.double.isNaN ? !$0.double.isNaN : $0.double < $1.double }
    case .greatestSigned: tally.takeBest(cell) { $0.signed > $1.signed }
    case .greatestUnsigned: tally.takeBest(cell) { $0.bits > $1.bits }
    case .greatestDouble: tally.takeBest(cell) { $1.double.isNaN ? !$0.double.isNaN : $0.double > $1.double }
    case .rows, .values, .program: break
    }
    tally.count += 1
    return true
  }
}
