#if Postgres
  /// Joins conditions in SQL.
  enum SQLText {
    static func any(_ conditions: [String]) -> String {
      conditions.count == 1 ? conditions[0] : "(\(conditions.joined(separator: " OR ")))"
    }

    static func all(_ conditions: [String]) -> String {
      conditions.isEmpty ? "true" : conditions.count == 1 ? conditions[0] : "(\(conditions.joined(separator: " AND ")))"
    }

    /// Wraps a test of a row so that the planner cannot evaluate it: the test is compared with a
    /// condition that is always true.
    ///
    /// If the planner finds a test to be false for all rows, it drops the joins on the zone. Citus
    /// refuses a statement without these joins.
    static func opaque(_ test: String, of alias: String) -> String {
      "((\(test)) IS TRUE) = (\(Table.key.of(alias)) IS NOT NULL)"
    }
  }

  extension SQLName {
    /// The name with a table's alias: `alias.name`.
    func of(_ alias: String) -> String { "\(alias).\(self)" }
  }
#endif
