#if Postgres
  /// A row, or none, in SQL. It is in the zone of the row that the question is about.
  struct RowText {
    /// The number of its table.
    let table: Int
    /// The row's name in the statement, where it has one.
    var alias: String?
    /// When the named row is meant; nil for always. Otherwise there is none.
    var test: String?
    /// The row's key; NULL where there is none.
    var key: String
    var isOptional: Bool
    var doubts: [Doubt] = []

    init(_ table: Int, alias: String) {
      (self.table, self.alias, key, isOptional) = (table, alias, Table.key.of(alias), false)
    }

    init(_ table: Int, key: String, isOptional: Bool, doubts: [Doubt] = []) {
      (self.table, self.key, self.isOptional, self.doubts) = (table, key, isOptional, doubts)
    }
  }

  /// The rows of a relationship to many, in SQL.
  struct RowsText {
    let table: Int
    /// The name of each row in the statement.
    let alias: String
    /// What follows `FROM`, without conditions.
    let source: String
    /// What makes them rows of the relationship.
    let conditions: [String]
    /// What is asked of each row.
    var tests: [String] = []
    var doubts: [Doubt]
    /// Whether Citus divides the tables.
    let isDistributed: Bool

    private func from(keys: [String] = [], tests more: [String] = []) -> String {
      let tests = (tests + more).map { isDistributed ? SQLText.opaque($0, of: alias) : $0 }
      return "FROM \(source) WHERE \(SQLText.all(conditions + keys + tests))"
    }

    /// Whether there is a row.
    ///
    /// - Parameters:
    ///   - keys: conditions that say which row.
    ///   - tests: what is asked of the row besides.
    func exists(keys: [String] = [], tests: [String] = []) -> String {
      "EXISTS (SELECT 1 \(from(keys: keys, tests: tests)))"
    }
    var count: String { "(SELECT count(*) \(from()))" }
    /// The key of the only row; NULL without one.
    var key: String { "(SELECT \(Table.key.of(alias)) \(from()) LIMIT 1)" }
  }
#endif
