#if Postgres
  internal import RoostGraph
  internal import RoostRecords

  /// Tables that another program changed or made.
  extension DatabaseShape {
    /// Forgets columns that the models no longer use and that another program has changed or
    /// dropped since.
    mutating func forgetLeft() {
      for table in stored.tables.indices {
        let name = stored.tables[table].name
        guard there.tables[name] != nil else { continue }
        let gone = stored.tables[table].columns.filter { $0.isLeft && there.column(name, $0.name)?.type != $0.type }
          .map(\.name)
        stored.tables[table].columns.removeAll { gone.contains($0.name) || $0.placeOf.map(gone.contains) ?? false }
      }
    }

    /// Refuses tables with Roost's names that another program made, and Roost's tables that another
    /// program changed.
    func checkThere() throws {
      for table in tables.tables {
        guard let known = stored.table(of: table.root.name) else {
          if there.names.contains(table.name.text) { throw foreign(table.name.text) }
          continue
        }
        try check(stored.tables[known], table)
      }
      let ours = Set(tables.tables.map(\.name.text))
      for link in stored.links where ours.contains(link.owner.table) && ours.contains(link.member.table) {
        if there.tables[link.name] == nil, !link.isLeft { throw changed(link.name, "the table does not exist") }
      }
    }

    private func check(_ table: StoredTable, _ wanted: Table) throws {
      guard let columns = there.tables[table.name] else { throw changed(table.name, "the table does not exist") }
      let fixed = [Table.zone, Table.key, Table.version] + (table.classes.count > 1 ? [Table.className] : [])
      for name in fixed where columns[name.text] == nil {
        throw changed(table.name, "the column \(name) does not exist")
      }
      for column in table.columns {
        guard let found = columns[column.name] else {
          throw changed(table.name, "the column \(quoted(column.name)) does not exist")
        }
        if found.type != column.type {
          throw changed(
            table.name, "the column \(quoted(column.name)) was \(column.type), and is \(found.type)")
        }
      }
      let ours = Set(table.columns.map(\.name) + Table.reserved.map(\.text))
      for (name, column) in columns where !ours.contains(name) {
        if !column.isOptional, !column.hasDefault {
          throw changed(
            table.name,
            "it has a column \(quoted(name)) that must have a value, and no model has it: give it a default, or make it nullable"
          )
        }
        if wanted.columns.contains(where: { $0.name.text == name }) {
          throw PostgresError(
            .foreignTables,
            "the table \(quoted(table.name)) has a column \(quoted(name)) that another program made, and the models have a "
              + "property of that name: rename the column, or the property")
        }
      }
    }

    private func changed(_ table: String, _ detail: String) -> PostgresError {
      PostgresError(
        .changedTables,
        "another program changed the table \(quoted(table)) of the schema \(namespace): \(detail). Undo that change, or restore a "
          + "backup. To start over, drop all tables of the store, and \(OwnTable.shape) too")
    }
  }
#endif
