#if Postgres
  internal import Roost
  internal import RoostRecords

  /// Brings the tables of a database to the form that the models need.
  struct DatabaseShape {
    private let tables: TableMap
    private let namespace: SQLName

    /// TableMap that this program made are listed here, with what the database is called in identifiers.
    private static let meta = SQLName(exactly: "roost_store")

    init(_ tables: TableMap, _ namespace: SQLName) { (self.tables, self.namespace) = (tables, namespace) }

    /// Creates what is missing, in one transaction that no other program can be in at the same time. Returns the store's identifier.
    ///
    /// - Parameter others: statements that belong to the same transaction, and may be repeated.
    func bring(_ connection: Connection, _ others: [Statement]) throws -> String {
      do {
        try connection.run("BEGIN")
        let name = try bringInTransaction(connection)
        for statement in others { try connection.run(statement) }
        try connection.run("COMMIT")
        return name
      } catch {
        connection.rollback()
        throw error
      }
    }

    private func bringInTransaction(_ connection: Connection) throws -> String {
      try connection.run(
        Statement("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [.text("roost \(namespace.text)")]))
      try connection.run("CREATE SCHEMA IF NOT EXISTS \(namespace)")
      try connection.run(
        "CREATE TABLE IF NOT EXISTS \(namespace).\(Self.meta) (name text PRIMARY KEY, tables text[] NOT NULL)")
      let found = try connection.run("SELECT name, tables FROM \(namespace).\(Self.meta)")
      let ours = Set(found.count > 0 ? found.texts(0, 1) ?? [] : [])
      let there = try columns(connection)
      var statements: [String] = []
      for number in tables.tables.indices {
        let name = tables.tables[number].name
        if let known = there[name] {
          try check(name, ours)
          statements += try changes(number, known)
        } else {
          statements.append(create(number))
        }
      }
      for link in tables.links {
        if there[link.name] != nil { try check(link.name, ours) } else { statements.append(create(link)) }
      }
      // When all tables are there.
      for number in tables.tables.indices {
        statements += rules(number, known: there[tables.tables[number].name] ?? [:])
      }
      for link in tables.links where there[link.name] == nil { statements += rules(link) }
      let names = (tables.tables.map(\.name.text) + tables.links.map(\.name.text))
      if statements.isEmpty, found.count > 0, ours.isSuperset(of: names) { return found.text(0, 0) ?? "" }
      for statement in statements { try connection.run(statement) }
      let all = ours.union(names).sorted()
      if found.count > 0 {
        try connection.run(Statement("UPDATE \(namespace).\(Self.meta) SET tables = $1", [.texts(all)]))
        return found.text(0, 0) ?? ""
      }
      var maker = KeyMaker()
      let name = maker.next().text
      try connection.run(
        Statement("INSERT INTO \(namespace).\(Self.meta) VALUES ($1, $2)", [.text(name), .texts(all)]))
      return name
    }

    private func check(_ name: SQLName, _ ours: Set<String>) throws {
      if ours.contains(name.text) { return }
      throw PostgresError(
        .foreignTables,
        "the schema \(namespace) has a table \(name) that another program made: give the configuration another namespace, "
          + "or rename the table")
    }

    private struct Known {
      var type: String
      var isOptional: Bool
    }

    /// The columns of all tables of the namespace.
    private func columns(_ connection: Connection) throws -> [SQLName: [SQLName: Known]] {
      let answer = try connection.run(
        Statement(
          """
          SELECT c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull
          FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
          LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
          WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
          """, [.text(namespace.text)]))
      var all: [SQLName: [SQLName: Known]] = [:]
      for row in 0..<answer.count {
        guard let table = answer.text(row, 0) else { continue }
        all[SQLName(exactly: table), default: [:]][SQLName(exactly: answer.text(row, 1) ?? "")] = Known(
          type: answer.text(row, 2) ?? "", isOptional: !answer.isTrue(row, 3))
      }
      return all
    }

    // MARK: Statements

    private func definition(_ column: Column) -> String {
      "\(column.name) \(column.type.rawValue)" + (column.isOptional ? "" : " NOT NULL")
    }

    private func create(_ number: Int) -> String {
      let table = tables.tables[number]
      var parts = [
        "\(Table.zone) text NOT NULL DEFAULT ''", "\(Table.key) uuid NOT NULL",
        "\(Table.version) bigint NOT NULL DEFAULT 1",
      ]
      if table.hasClassColumn { parts.append(classDefinition(table)) }
      parts += table.columns.map(definition)
      parts.append("PRIMARY KEY (\(Table.zone), \(Table.key))")
      return "CREATE TABLE \(namespace).\(table.name) (\(parts.joined(separator: ", ")))"
    }

    private func classDefinition(_ table: Table) -> String {
      "\(Table.className) text NOT NULL DEFAULT '\(table.root.name.replacing("'", with: "''"))'"
    }

    private func create(_ link: LinkTable) -> String {
      "CREATE TABLE \(namespace).\(link.name) (\(Table.zone) text NOT NULL DEFAULT '', \(LinkTable.firstKey) uuid NOT NULL, "
        + "\(LinkTable.secondKey) uuid NOT NULL, \(LinkTable.firstPlace) bigint, \(LinkTable.secondPlace) bigint, "
        + "PRIMARY KEY (\(Table.zone), \(LinkTable.firstKey), \(LinkTable.secondKey)))"
    }

    /// What a table that is there lacks.
    private func changes(_ number: Int, _ known: [SQLName: Known]) throws -> [String] {
      let table = tables.tables[number]
      let alter = "ALTER TABLE \(namespace).\(table.name)"
      var statements: [String] = []
      if table.hasClassColumn, known[Table.className] == nil {
        statements.append("\(alter) ADD COLUMN \(classDefinition(table))")
      }
      for column in table.columns {
        guard let there = known[column.name] else {
          statements.append("\(alter) ADD COLUMN \(definition(column))")
          continue
        }
        if there.type != column.type.rawValue {
          throw PostgresError(
            .needsMigration,
            "the column \(column.name) of \(table.name) is \(there.type), and the models need \(column.type.rawValue)")
        }
        if there.isOptional != column.isOptional {
          statements.append("\(alter) ALTER COLUMN \(column.name) \(column.isOptional ? "DROP" : "SET") NOT NULL")
        }
      }
      return statements
    }

    /// Foreign keys of the columns that are new, with an index each, and the rules of uniqueness.
    private func rules(_ number: Int, known: [SQLName: Known]) -> [String] {
      let table = tables.tables[number]
      var statements: [String] = []
      for column in table.columns where known[column.name] == nil {
        guard case .reference(let target, let rule) = column.kind else { continue }
        let action =
          switch rule {
          case .delete: " ON DELETE CASCADE"
          case .setNull: " ON DELETE SET NULL (\(column.name))"
          case .refuse: ""
          }
        statements.append(foreignKey(table.name, column.name, to: target, action: action))
        statements.append("CREATE INDEX ON \(namespace).\(table.name) (\(Table.zone), \(column.name))")
      }
      for parts in table.uniques where known.isEmpty {
        let keys = parts.map { uniqueKey($0, of: table) }
        statements.append(
          "CREATE UNIQUE INDEX ON \(namespace).\(table.name) (\(Table.zone), \(keys.joined(separator: ", ")))")
      }
      return statements
    }

    private func rules(_ link: LinkTable) -> [String] {
      [
        foreignKey(link.name, LinkTable.firstKey, to: link.first, action: " ON DELETE CASCADE"),
        foreignKey(link.name, LinkTable.secondKey, to: link.second, action: " ON DELETE CASCADE"),
        "CREATE INDEX ON \(namespace).\(link.name) (\(Table.zone), \(LinkTable.secondKey))",
      ]
    }

    /// Checked at the commit, so that rows may be written in any order.
    private func foreignKey(_ table: SQLName, _ column: SQLName, to target: Int, action: String) -> String {
      "ALTER TABLE \(namespace).\(table) ADD FOREIGN KEY (\(Table.zone), \(column)) REFERENCES "
        + "\(namespace).\(tables.tables[target].name) (\(Table.zone), \(Table.key))\(action) DEFERRABLE INITIALLY DEFERRED"
    }

    private func uniqueKey(_ part: UniquePart, of table: Table) -> String {
      "(\(part.sql(of: table, alias: "")))"
    }
  }

  extension UniquePart {
    /// What is compared, so that texts are equal as Swift's are.
    func sql(of table: Table, alias: String) -> String {
      let column = table.columns[column]
      let name = alias + "\(column.name)"
      if path.isEmpty { return column.type == .text ? "normalize(\(name), NFC) COLLATE \"C\"" : name }
      return Self.path(path, of: name)
    }
  }
#endif
