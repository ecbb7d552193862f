internal import RoostRecords

extension RowSet {
  /// The rows in some ranges of an index.
  init(of use: IndexAccess, _ plan: Plan) throws {
    self.init()
    _ = try IndexScan(use, plan).run(0) { row in
      insert(row)
      return true
    }
    settle()
  }
}

extension RowFilter {
  /// The rows that pass the filter.
  func rows(_ plan: Plan) throws -> RowSet {
    switch self {
    case .index(let use): try RowSet(of: use, plan)
    case .search(let answer): try answer.set()
    }
  }
}
