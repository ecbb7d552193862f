#if Postgres
  internal import RoostGraph
  internal import RoostRecords

  /// Uniqueness rules. Each is a unique index.
  extension DatabaseShape {
    mutating func bringUniques(_ number: Int) throws {
      let table = tables.tables[number]
      guard !isOlder(number), let known = stored.table(of: table.root.name) else { return }
      let wanted = table.uniques.map { (rule: $0, form: tables.stored($0, table, index: "")) }
      let named = fields(number)
      // A rule over a property that the models do not have stays.
      for unique in stored.tables[known].uniques where !wanted.contains(where: { $0.form.isSameRule(as: unique) }) {
        guard (unique.paths + (unique.tested ?? [])).allSatisfy({ named.contains(String($0.prefix { $0 != "." })) })
        else { continue }
        add("DROP INDEX IF EXISTS \(full(unique.index))")
        stored.tables[known].uniques.removeAll { $0 == unique }
        there.names.remove(unique.index)
      }
      let missing = wanted.filter { one in
        !stored.tables[known].uniques.contains { $0.isSameRule(as: one.form) }
      }
      // The code of a stage may have to change values, or to remove duplicates, first.
      if stage == .open, !created.contains(number) {
        tables.tables[number].uniques = wanted.filter { one in
          !missing.contains { $0.form == one.form }
        }.map(\.rule)
        return
      }
      for (rule, _) in missing {
        let keys = rule.parts.map { $0.sql(of: table, alias: "") }
        if !created.contains(number) { try checkDuplicates(number, keys, rule: rule) }
        let columns = rule.parts.map { ([table.columns[$0.column].name.text] + $0.path).joined(separator: "_") }
        let index = there.name(table.name.text, columns, kind: "key")
        add(
          "CREATE UNIQUE INDEX \(index) ON \(full(table.name.text)) (\(Table.zone), "
            + "\(keys.map { "(\($0))" }.joined(separator: ", ")))\(rule.condition(" WHERE ", of: table))")
        stored.tables[known].uniques.append(tables.stored(rule, table, index: index.text))
      }
    }

    /// Throws if rows break a rule.
    private mutating func checkDuplicates(_ number: Int, _ keys: [String], rule: UniqueRule) throws {
      let list = keys.joined(separator: ", ")
      let table = tables.tables[number]
      let tests =
        keys.map { "(\($0)) IS NOT NULL" }.joined(separator: " AND ") + rule.condition(" AND ", of: table)
      let texts = keys.map { "(\($0))::text" }.joined(separator: ", ")
      let answer = try ask(
        """
        SELECT count(*) OVER (), concat_ws(', ', \(texts)), count(*) FROM \(full(table.name.text)) \
        WHERE \(tests) GROUP BY \(Table.zone), \(list) HAVING count(*) > 1 ORDER BY count(*) DESC, 2 LIMIT 1
        """)
      guard answer.count > 0, let groups = answer.integer(0, 0), let size = answer.integer(0, 2) else { return }
      let value = (answer.text(0, 1) ?? "").prefix(60)
      throw needsMigration(
        number, tables.uniquePaths(rule, table).joined(separator: ", "),
        detail:
          "the model wants it unique\(rule.condition.map { " where \($0)" } ?? ""), and \(groups == 1 ? "1 value is" : "\(groups) values are") in several rows, such as "
          + "\"\(value)\" in \(rows(Int(size))): change or delete all but one of each first")
    }
  }

  extension UniquePart {
    /// The SQL that the index compares, so that texts are equal as in Swift.
    func sql(of table: Table, alias: String) -> String {
      let column = table.columns[column]
      let name = alias + "\(column.name)"
      if path.isEmpty { return column.type == .text ? "normalize(\(name), NFC) COLLATE \"C\"" : name }
      return Self.path(path, of: name)
    }
  }
#endif
