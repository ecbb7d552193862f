internal import RoostBytes
internal import RoostFile
package import RoostRecords

/// Makes the groups of a query one after another, along an index that has the order of their keys.
///
/// Only one group is in memory at a time, so there may be any number of groups, and the caller may
/// stop after each.
///
/// ## Invariants
/// 1. The rows of one group are next to each other in the index, because the keys are the first
///    parts after those with one value.
/// 2. The index cuts long texts. Rows with the same cut text are sorted by their whole keys first.
package final class GroupStream {
  /// A part of the index, and the number of its key.
  struct Part {
    var key: Int
    var field: Field
    var isDescending: Bool
  }

  let plan: Plan
  let use: IndexAccess
  let parts: [Part]
  let isBackward: Bool
  private let keys: SortKeys
  private var open: Open?

  /// The group whose rows are being read.
  private struct Open {
    /// The bytes with which all its entries begin.
    var prefix: KeyBytes
    var values: [Value]
    /// Whether one of its rows fulfils the condition.
    var hasRows = false
  }

  /// The closures of the caller for each group.
  struct Steps {
    /// Gets each row of the group, which is valid during the call.
    var row: (Row) throws -> Void
    /// Runs after each row, when no row is in use.
    var afterRow: () throws -> Void = {}
    /// Gets a number of rows instead of the rows; nil if each row must be read.
    var rows: ((Int) -> Void)?
    /// Ends the group with the values of its keys; false stops the stream.
    var end: ([Value]) throws -> Bool
  }

  init(_ plan: Plan, _ use: IndexAccess, parts: [Part], isBackward: Bool, keys: [Order]) throws {
    (self.plan, self.use, self.parts, self.isBackward) = (plan, use, parts, isBackward)
    let terms = try keys.map { (key) throws(ConditionFault) in
      var checker = Checker(plan.ground, plan.entity.id)
      return try checker.key(key)
    }
    self.keys = try SortKeys(terms, plan.ground, entity: plan.entity.id, numbersRows: false)
  }

  package var indexName: String { use.index.index.name }

  /// Describes the plan and the reads of the stream.
  package var explanation: String { plan.explanation }

  /// The numbers of the reads of the stream. `found` counts rows.
  package var facts: (found: Int, rowsRead: Int, entriesRead: Int, rowCount: Int, test: String?) {
    (plan.tally.matches, plan.tally.rows, plan.tally.entries, plan.table.count, plan.facts.test)
  }

  func run(_ steps: Steps) throws {
    plan.begin()
    defer {
      // Rows, also if the caller stops within a group.
      plan.tally.results = plan.tally.matches
      plan.end()
      keys.rest()
    }
    open = nil
    for range in isBackward ? use.ranges.reversed() : use.ranges {
      if try !run(range, steps) { return }
    }
    _ = try close(steps)
  }

  /// Ends the open group, if it has rows.
  private func close(_ steps: Steps) throws -> Bool {
    guard let ended = open else { return true }
    open = nil
    guard ended.hasRows else { return true }
    return try steps.end(ended.values)
  }

  // MARK: Walking

  private func run(_ range: KeyRange, _ steps: Steps) throws -> Bool {
    var cursor = try use.index.cursor()
    var isThere = try begin(range, &cursor)
    while isThere {
      let (row, key, valueBytes) = try cursor.entry()
      if isOutside(key, range) { return true }
      try plan.noteEntry()
      if let open, open.prefix.begins(key) {
        try take(row, steps)
        isThere = try step(&cursor)
        continue
      }
      let mayBeCut = valueBytes > use.index.index.textBytes
      if try !close(steps) { return false }
      let values = try values(row)
      if mayBeCut, let cut = parts.firstIndex(where: { isCut(values[$0.key], $0.field) }) {
        let stretch = KeyRange(prefix: try prefix(values, parts.prefix(through: cut)))
        if try !sorted(stretch, in: range, steps: steps) { return false }
        isThere = try leave(stretch, &cursor)
        continue
      }
      open = Open(prefix: try prefix(values, parts[...]), values: values)
      guard let rows = steps.rows, plan.residual == nil else { continue }
      (isThere, _) = try jump(&cursor, range, count: rows)
    }
    return true
  }

  private func begin(_ range: KeyRange, _ cursor: inout IndexCursor) throws(StoreError) -> Bool {
    if isBackward { return try moveBefore(range.high, &cursor) }
    return try Self.seek(range.low, &cursor)
  }

  private static func seek(_ key: KeyBytes, _ cursor: inout IndexCursor) throws(StoreError) -> Bool {
    var bytes = ByteBuffer(capacity: key.count)
    try key.withBytes { (key) throws(StoreError) in bytes.append(contentsOf: key) }
    return try cursor.seek(bytes.bytes)
  }

  /// Goes to the last entry before a key; nil is the end.
  private func moveBefore(_ end: KeyBytes?, _ cursor: inout IndexCursor) throws(StoreError) -> Bool {
    guard let end, try Self.seek(end, &cursor) else { return try cursor.last() }
    return try cursor.previous()
  }

  private func step(_ cursor: inout IndexCursor) throws(StoreError) -> Bool {
    isBackward ? try cursor.previous() : try cursor.next()
  }

  /// Goes to the first entry after a range, in the direction of the stream.
  private func leave(_ stretch: KeyRange, _ cursor: inout IndexCursor) throws(StoreError) -> Bool {
    if isBackward { return try moveBefore(stretch.low, &cursor) }
    guard let end = stretch.high else { return false }
    return try Self.seek(end, &cursor)
  }

  private func isOutside(_ key: UnsafeRawBufferPointer, _ range: KeyRange) -> Bool {
    isBackward ? range.low.isAbove(key) : range.isBehind(key)
  }

  private func take(_ row: RowID, _ steps: Steps) throws {
    _ = try plan.withRow(row) { row in
      guard try plan.passes(row) else { return true }
      plan.tally.matches += 1
      open?.hasRows = true
      try steps.row(row)
      return true
    }
    try steps.afterRow()
  }

  /// Counts the rows of the open group without reading them, and goes to the first entry after it.
  private func jump(
    _ cursor: inout IndexCursor, _ range: KeyRange, count rows: (Int) -> Void
  ) throws -> (isThere: Bool, count: Int) {
    guard let prefix = open?.prefix else { return (false, 0) }
    var count = 0
    func note(_ more: Int) {
      count += more
      plan.tally.matches += more
      rows(more)
    }
    open?.hasRows = true
    // First a few steps, because a step is cheaper than a search. If the group has more rows, a
    // search finds its end.
    for _ in 0..<Self.steps {
      note(1)
      guard try step(&cursor) else { return (false, count) }
      let key = try cursor.key()
      if isOutside(key, range) || !prefix.begins(key) { return (true, count) }
      try plan.noteEntry()
    }
    let stretch = KeyRange(prefix: prefix)
    guard let whole = stretch.clipped(range.low, range.high) else { return (false, count) }
    note(try whole.count(in: use.index) - count)
    return (try leave(stretch, &cursor), count)
  }

  private static var steps: Int { 8 }

  // MARK: Keys

  func values(_ row: RowID) throws -> [Value] {
    var values: [Value] = []
    _ = try plan.withRow(row) { row in
      values = try keys.values(row)
      return true
    }
    return values
  }

  /// Whether the index has only the beginning of a text.
  private func isCut(_ value: Value, _ field: Field) -> Bool {
    KeyField(field).isText
      && KeyBytes(value, field, cutBehind: use.index.index.textBytes) != KeyBytes(value, field, cutBehind: .max)
  }

  /// The bytes with which the entries of rows with these keys begin.
  func prefix(_ values: [Value], _ parts: ArraySlice<Part>) throws -> KeyBytes {
    var prefix = use.fixedPrefix
    for part in parts {
      guard let bytes = KeyBytes(values[part.key], part.field, cutBehind: use.index.index.textBytes) else {
        throw StoreError(.damaged, "a row of \(plan.entity.name) has no place in the index \(indexName)")
      }
      prefix = prefix + (part.isDescending ? bytes.complement : bytes)
    }
    return prefix
  }

  /// Makes the groups of the rows whose texts the index cuts at the same place.
  private func sorted(_ stretch: KeyRange, in range: KeyRange, steps: Steps) throws -> Bool {
    guard let whole = stretch.clipped(range.low, range.high) else { return true }
    var top = TopRows(wanted: nil)
    try whole.forEach(in: use.index) { (id, _, _) in
      try plan.noteEntry()
      return try plan.withRow(id) { row in
        try keys.make(row)
        keys.number(id)
        try top.insert(keys.key.bytes, id)
        return true
      }
    }
    var last: [UInt8]?
    for id in try top.finish() {
      var key: [UInt8] = []
      var values: [Value] = []
      _ = try plan.withRow(id) { row in
        try keys.make(row)
        key = [UInt8](keys.key.bytes)
        values = try keys.values(row)
        return true
      }
      if key != last {
        if try !close(steps) { return false }
        open = Open(prefix: KeyBytes(), values: values)
        last = key
      }
      try take(id, steps)
    }
    return try close(steps)
  }
}

extension GroupStream {
  /// Computes the measures of each group, and calls `body` with it until `body` returns false.
  ///
  /// - Parameter decimal: gets each decimal of a group before the group's `body`, with the number
  ///   of its measure. The caller adds them.
  package func forEach(
    _ measures: [Measure], decimal: @escaping (Int, DecimalNumber) throws -> Void,
    body: @escaping (TalliedGroup) throws -> Bool
  ) throws {
    let sums = try RowSums([], measures, ground: plan.ground, entity: plan.entity.id)
    defer { sums.rest() }
    let counts = measures.allSatisfy { $0.kind == .count && $0.value == nil }
    try run(
      Steps(
        row: { try sums.add($0) { try decimal($0, $2) } }, rows: counts ? { sums.add(rows: $0) } : nil,
        end: { keys in
          let tallies = sums.groups[0].tallies
          sums.restart()
          return try body(TalliedGroup(keys: keys, tallies: tallies))
        }))
  }

  /// Reads values of each row. Calls `rows` with the values of some rows of one group, again and
  /// again, then `end` with the keys of the group.
  package func forEach(
    _ values: [Expression], rows: @escaping ([Value]) throws -> Void, end: @escaping ([Value]) throws -> Bool
  ) throws {
    let reading = try RowValues(values, plan.ground, entity: plan.entity.id)
    defer { reading.rest() }
    var found: [Value] = []
    func give() throws {
      if found.isEmpty { return }
      let given = found
      found.removeAll(keepingCapacity: true)
      try rows(given)
    }
    try run(
      Steps(
        row: { try reading.append($0, to: &found) }, afterRow: { if found.count >= Self.mostValues { try give() } },
        end: { keys in
          try give()
          return try end(keys)
        }))
  }

  private static var mostValues: Int { 1024 }
}
