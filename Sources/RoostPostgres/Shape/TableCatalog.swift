#if Postgres
  /// The tables and columns in a namespace of the database, of all programs.
  struct TableCatalog {
    struct Known {
      var type: String
      var isOptional: Bool
      /// Whether a row can be inserted without a value for the column.
      var hasDefault: Bool
    }

    private(set) var tables: [String: [String: Known]] = [:]
    /// All names that a new table or index cannot have.
    var names: Set<String> = []

    init() {}

    /// Asks for all tables and columns of a namespace.
    static func statement(_ namespace: SQLName) -> Statement {
      Statement(
        """
        SELECT c.relname::text, c.relkind IN ('r', 'p', 'v', 'm', 'f'), a.attname::text, \
        format_type(a.atttypid, a.atttypmod), a.attnotnull, a.atthasdef OR a.attidentity <> '' OR a.attgenerated <> ''
        FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE n.nspname = $1
        """, [.text(namespace.text)])
    }

    init(_ answer: Answer) {
      for row in 0..<answer.count {
        guard let table = answer.text(row, 0) else { continue }
        names.insert(table)
        guard answer.isTrue(row, 1) else { continue }
        var columns = tables[table] ?? [:]
        if let column = answer.text(row, 2) {
          columns[column] = Known(
            type: answer.text(row, 3) ?? "", isOptional: !answer.isTrue(row, 4), hasDefault: answer.isTrue(row, 5))
        }
        tables[table] = columns
      }
    }

    func column(_ table: String, _ column: String) -> Known? { tables[table]?[column] }

    mutating func set(_ table: String, _ column: String, known: Known?) {
      tables[table, default: [:]][column] = known
    }

    mutating func remove(table: String) {
      tables[table] = nil
      names.remove(table)
    }

    mutating func add(table: String) {
      tables[table] = tables[table] ?? [:]
      names.insert(table)
    }

    mutating func rename(_ table: String, _ column: String, to name: String) {
      set(table, name, known: tables[table]?[column])
      set(table, column, known: nil)
    }

    /// Makes a free name for an index or a constraint: `<table>_<columns>_<kind>`. If that is too
    /// long or taken, a hash of all of it replaces the end.
    mutating func name(_ table: String, _ columns: [String], kind: String) -> SQLName {
      let whole = ([table] + columns).joined(separator: "_")
      var name = "\(whole)_\(kind)"
      var number = 0
      while name.utf8.count > SQLName.longest || names.contains(name) {
        let hash = Fingerprint.text([table] + columns + [kind, "\(number)"]).prefix(8)
        var start = whole
        while start.utf8.count + hash.utf8.count + kind.utf8.count + 2 > SQLName.longest { start.removeLast() }
        name = "\(start)_\(hash)_\(kind)"
        number += 1
      }
      names.insert(name)
      return SQLName(exactly: name)
    }
  }
#endif
