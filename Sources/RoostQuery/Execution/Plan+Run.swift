internal import RoostFile
package import RoostRecords

extension Plan {
  /// Calls `body` with each row, in place, in the query's order, until it returns false.
  package func forEach(_ body: (Row) throws -> Bool) throws {
    begin()
    defer { end() }
    let limit = query.limit ?? .max
    guard query.offset >= 0, limit > 0 else { return }
    if let after = query.after { return try forEach(behind: after, body) }
    if direction == nil { return try forEachSorted(body) }
    // If no row needs a test, the skipped rows need not be read.
    let skipped = residual == nil ? query.offset : 0
    var left = query.offset - skipped
    var given = 0
    _ = try forEachMatch(skipped) { row in
      if left > 0 {
        left -= 1
        return true
      }
      given += 1
      tally.results += 1
      return try body(row) && given < limit
    }
  }

  /// Calls `body` with each row, for a query without an order or a limit.
  func forEachOfNoOrder(_ body: (Row) throws -> Void) throws {
    begin()
    defer { end() }
    _ = try forEachMatch(0) { row in
      try body(row)
      return true
    }
    tally.results = tally.matches
  }

  /// The numbers of the rows, in the query's order.
  package func rows() throws -> [RowID] {
    var rows: [RowID] = []
    try forEach {
      rows.append($0.id)
      return true
    }
    return rows
  }

  /// The number of rows. No row is read if an index knows the number.
  package func count() throws -> Int {
    begin()
    defer { end() }
    let all: Int
    if residual == nil, isCountExact {
      all = Int(expected)
    } else if residual == nil {
      var count = 0
      _ = try forEachNumber(0) { _ in
        count += 1
        return true
      }
      all = count
    } else {
      var count = 0
      let enough = query.limit.map { $0.addingReportingOverflow(query.offset) }.map {
        $0.overflow ? .max : $0.partialValue
      }
      _ = try forEachMatch(0) { _ in
        count += 1
        return enough.map { count < $0 } ?? true
      }
      all = count
    }
    let found = max(0, min(all - max(0, query.offset), query.limit ?? .max))
    tally.results = found
    return found
  }

  // MARK: One row after the other

  /// Calls `body` with each row that fulfils the condition.
  private func forEachMatch(_ skipped: Int, _ body: (Row) throws -> Bool) throws -> Bool {
    if case .all = access { return try scan(skipped, body) }
    return try forEachNumber(skipped) { id in
      try withRow(id) { row in
        if try !passes(row) { return true }
        tally.matches += 1
        return try body(row)
      }
    }
  }

  @inline(__always)
  func passes(_ row: Row) throws -> Bool {
    guard let program else { return true }
    return try passes(row, program)
  }

  @inline(__always)
  private func passes(_ row: Row, _ program: Program) throws -> Bool {
    if isLenient {
      do { return try program.test(row) } catch is ConditionFault { return true }
    }
    return try program.test(row)
  }

  func withRow(_ id: RowID, _ body: (Row) throws -> Bool) throws -> Bool {
    try table.lend(id) { row in
      guard let row else {
        throw StoreError(.damaged, "row \(id.number) of \(entity.name) is in an index, but does not exist")
      }
      try noteRow()
      return try body(row)
    }
  }

  private func scan(_ skipped: Int, _ body: (Row) throws -> Bool) throws -> Bool {
    let count = table.count
    if skipped >= count { return true }
    var cursor = try table.cursor()
    let isThere: Bool
    if let after = query.after, direction != nil {
      isThere = try direction == .backward ? cursor.seek(atMost: after.row) : cursor.seek(after.row)
    } else {
      isThere = try cursor.move(to: direction == .backward ? count - 1 - skipped : skipped)
    }
    // The plan keeps its program alive, so this avoids reference counting for each row.
    let (isBackward, program) = (direction == .backward, program.map(Unmanaged.passUnretained))
    var next = isThere ? try cursor.row() : nil
    while let row = next {
      try noteRow()
      if try program?._withUnsafeGuaranteedRef({ try passes(row, $0) }) != false {
        tally.matches += 1
        if try !body(row) { return false }
      }
      next = try cursor.nextRow(isBackward: isBackward)
    }
    return true
  }

  // MARK: Sorting

  /// Calls `body` with the rows after a position in the order.
  private func forEach(behind point: SeekPoint, _ body: (Row) throws -> Bool) throws {
    let keys = try SortKeys(order, ground, entity: entity.id)
    guard let start = keys.bytes(point) else {
      throw ConditionFault(.wrongType, "the cursor does not fit this sort order", in: entity.name)
    }
    let limit = query.limit ?? .max
    behind = start
    defer { behind = nil }
    var top = TopRows(wanted: query.limit)
    var given = 0
    _ = try forEachMatch(0) { row in
      try keys.make(row)
      let isBehind = start.withUnsafeBytes { TextBytes.bytesAreLess($0, keys.key.bytes) }
      if !isBehind { return true }
      if direction == nil {
        try top.insert(keys.key.bytes, row.id)
        return true
      }
      given += 1
      tally.results += 1
      return try body(row) && given < limit
    }
    if direction != nil { return }
    for id in try top.finish() {
      tally.results += 1
      if try !withRow(id, body) { return }
    }
  }

  private func forEachSorted(_ body: (Row) throws -> Bool) throws {
    let wanted = query.limit.map { $0.addingReportingOverflow(query.offset) }.map {
      $0.overflow ? .max : $0.partialValue
    }
    let keys = try SortKeys(order, ground, entity: entity.id)
    var top = TopRows(wanted: wanted)
    _ = try forEachMatch(0) { row in
      try keys.make(row)
      try top.insert(keys.key.bytes, row.id)
      return true
    }
    for id in try top.finish().dropFirst(query.offset) {
      tally.results += 1
      if try !withRow(id, body) { return }
    }
  }

  /// Sorts some rows by the query's keys, because an index does not know their order.
  func sorted(_ rows: [RowID]) throws -> [RowID] {
    let keys = try SortKeys(order, ground, entity: entity.id)
    var top = TopRows(wanted: nil)
    for id in rows {
      _ = try withRow(id) { row in
        try keys.make(row)
        try top.insert(keys.key.bytes, row.id)
        return true
      }
    }
    return try top.finish()
  }
}

extension Plan {
  /// Counts a row that was read. Every 256 rows it checks for cancellation.
  @inline(__always)
  func noteRow() throws {
    // The count itself tells when to check: a separate counter would cost instructions for each
    // row.
    tally.rows &+= 1
    if tally.rows & 255 == 0 { try CallInterrupt.look() }
  }

  /// Counts an index entry that was read, and checks for cancellation as ``noteRow()`` does.
  @inline(__always)
  func noteEntry() throws {
    tally.entries &+= 1
    if tally.entries & 255 == 0 { try CallInterrupt.look() }
  }
}
