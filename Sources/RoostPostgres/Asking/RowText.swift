#if Postgres
  /// A row in SQL, which may be missing. It is in the zone of the tested row.
  struct RowText {
    /// The number of its table.
    let table: Int
    /// The row's alias in the statement, if it has one.
    var alias: String?
    /// A test: if it is false, there is no row. Nil means that it is always true.
    var test: String?
    /// The row's key; NULL if there is no row.
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

  /// The rows of a to-many relationship, in SQL.
  struct RowsText {
    let table: Int
    /// The name of each row in the statement.
    let alias: String
    /// The text after `FROM`, without conditions.
    let source: String
    /// The conditions that make rows part of the relationship.
    let conditions: [String]
    /// More tests that each row must pass.
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
    ///   - keys: conditions that select one row.
    ///   - tests: more tests that the row must pass.
    func exists(keys: [String] = [], tests: [String] = []) -> String {
      "EXISTS (SELECT 1 \(from(keys: keys, tests: tests)))"
    }
    /// An aggregate of the rows.
    func selecting(_ aggregate: String) -> String { "(SELECT \(aggregate) \(from()))" }
    var count: String { selecting("count(*)") }
    /// The key of the only row; NULL without one.
    var key: String { "(SELECT \(Table.key.of(alias)) \(from()) LIMIT 1)" }
  }
#endif
