#if Postgres
  internal import RoostGraph
  internal import RoostRecords

  /// TableMap that are not as Roost programs left them.
  extension DatabaseShape {
    /// Refuses tables with our names that another program made, and tables of ours that another program changed.
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
        if there.tables[link.name] == nil, !link.isLeft { throw changed(link.name, "the table is not there") }
      }
    }

    private func check(_ table: StoredTable, _ wanted: Table) throws {
      guard let columns = there.tables[table.name] else { throw changed(table.name, "the table is not there") }
      for name in [Table.zone, Table.key, Table.version] where columns[name.text] == nil {
        throw changed(table.name, "the column \(name) is not there")
      }
      for column in table.columns {
        guard let found = columns[column.name] else {
          if column.isLeft { continue }
          throw changed(table.name, "the column \(quoted(column.name)) is not there")
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
            "it has a column \(quoted(name)) that must have a value, and no model names it: give it a default, or make it nullable"
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
          + "backup. To begin anew, drop all tables of the store, and \(Self.meta) too")
    }
  }
#endif
