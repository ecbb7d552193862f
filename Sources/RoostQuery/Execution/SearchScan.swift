internal import RoostRecords

/// Reads the rows of a full text search.
extension Plan {
  /// Calls `body` with each row of a search until it returns false; returns whether it reached the
  /// end.
  func forEach(_ answer: SearchAnswer, _ skipped: Int, body: (RowID) throws -> Bool) throws -> Bool {
    var left = skipped
    // Without an order, rows are given in the order in which they are found.
    if order.isEmpty {
      return try answer.forEach { row in
        try noteEntry()
        if left > 0 {
          left -= 1
          return true
        }
        return try body(row)
      }
    }
    let rows = try numbers(of: answer)
    let ordered = direction == .backward ? rows.reversed() : rows
    for row in ordered.dropFirst(skipped) where try !body(row) { return false }
    return true
  }

  /// The rows of a search in the order of their numbers.
  func numbers(of answer: SearchAnswer) throws -> [RowID] {
    var rows: [RowID] = []
    _ = try answer.forEach { row in
      try noteEntry()
      rows.append(row)
      return true
    }
    rows.sort()
    return rows
  }

  /// Calls `body` with each row of a search, the best one first.
  ///
  /// It searches for as many rows as the query needs. If there are other conditions, it searches
  /// for 16 times as many, because a larger search costs little more, and a second search as much
  /// as the first. If too few rows pass, it searches again for four times as many.
  func forEachBest(_ answer: SearchAnswer, _ skipped: Int, body: (RowID) throws -> Bool) throws -> Bool {
    var given = 0
    var most = Self.firstBest
    if let limit = query.limit {
      let wanted = limit.addingReportingOverflow(max(0, query.offset))
      most = wanted.overflow ? .max : max(wanted.partialValue, 1)
      if residual != nil, most < Self.firstBest { most *= 16 }
    }
    while true {
      let rows = try answer.best(most)
      for row in rows.dropFirst(given) {
        try noteEntry()
        given += 1
        if given > skipped, try !body(row) { return false }
      }
      if rows.count < most { return true }
      let more = most.multipliedReportingOverflow(by: 4)
      most = more.overflow ? .max : more.partialValue
    }
  }

  /// The size of the first search of a query without a limit. If the limit is larger, other
  /// conditions do not make the first search larger.
  private static let firstBest = 1000
}
