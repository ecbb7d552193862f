#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// Finds and merges duplicate objects of a class, for a stage of a migration.
  ///
  /// SQL statements change the rows, without objects. References to the duplicate are changed to
  /// reference the kept object before the duplicate's row is deleted, so no delete rule applies.
  struct KeyDuplicates: DuplicateStore {
    let store: PostgresStore
    private let container: ModelContainer
    let type: _ModelType
    let number: Int
    private let keys: [String]

    /// The most pairs in one round trip.
    private static let mostPairs = 200

    /// Each path names a property, or a part of a struct. It must be a value or a reference.
    init(_ store: PostgresStore, _ container: ModelContainer, of type: _ModelType, paths: [String]) throws {
      (self.store, self.container, self.type) = (store, container, type)
      let place = try store.tables.place(type)
      number = place.table
      let table = store.tables.tables[number]
      keys = try paths.map { path in
        let property = type.number(ofPath: path)
        switch property.flatMap({ table.classes[place.place].members[$0] }) {
        case .value(let column), .reference(let column):
          let steps = path.split(separator: ".").dropFirst().map(String.init)
          return UniquePart(column: column, path: steps).sql(of: table, alias: "t.")
        default:
          throw MigrationFault(
            type.name, path,
            detail:
              "duplicates cannot be found by it, because it is not a stored value: name a property, or a part of a struct that is one"
          )
        }
      }
    }

    /// Throws if rows of a table without a model in this version reference the objects: a foreign
    /// key would delete or change those rows.
    private func check() throws {
      let text = """
        SELECT c.relname::text FROM pg_catalog.pg_constraint AS k JOIN pg_catalog.pg_class AS c ON c.oid = k.conrelid
        JOIN pg_catalog.pg_class AS t ON t.oid = k.confrelid JOIN pg_catalog.pg_namespace AS n ON n.oid = t.relnamespace
        WHERE k.contype = 'f' AND n.nspname = $1 AND t.relname = $2
        """
      let answer = try store.run([Statement(text, [.text(store.namespace.text), .text(table.name.text)])])[0]
      let known = Set(store.tables.tables.map(\.name) + store.tables.links.map(\.name) + store.leftLinks)
      let others = (0..<answer.count).compactMap { answer.text($0, 0) }.filter { !known.contains(SQLName(exactly: $0)) }
      guard let other = others.min() else { return }
      throw MigrationFault(
        type.name, nil,
        detail:
          "duplicates cannot be removed, because rows of the table \(other) reference its objects, and this version has no model for "
          + "that table: add the model to the version")
    }

    var table: Table { store.tables.tables[number] }
    /// The entry of the class in its table.
    var kind: TableClass { table.classes.first { $0.type === type } ?? table.classes[0] }

    func groups() throws -> [[RowKey]] {
      try check()
      var statement = Statement("")
      var tests = keys.map { "(\($0)) IS NOT NULL" }
      if table.hasClassColumn {
        let names = table.classes.map(\.type).filter { $0.isKind(of: type) }.map(\.name)
        tests.append("t.\(Table.className) = ANY(\(statement.add(.texts(names))))")
      }
      // Keys ascend in the order in which they were made.
      let all = "array_agg(t.\(Table.key) ORDER BY t.\(Table.key))"
      statement.text =
        "SELECT t.\(Table.zone), \(all) FROM \(store.full(number)) AS t WHERE \(tests.joined(separator: " AND ")) "
        + "GROUP BY t.\(Table.zone), \(keys.joined(separator: ", ")) HAVING count(*) > 1 ORDER BY t.\(Table.zone), (\(all))[1]"
      let answer = try store.run([statement])[0]
      return (0..<answer.count).map { row in
        let zone = answer.text(row, 0) ?? ""
        return (answer.uuids(row, 1) ?? []).map { RowKey(zone, $0) }
      }
    }

    func models(_ rows: [RowKey], _ context: ModelContext) throws -> [RowKey: any _ModelObject] {
      let identifiers = rows.map { store.identifier(type, $0) }
      let models = try container.models(identifiers, in: context)
      var found: [RowKey: any _ModelObject] = [:]
      for (row, identifier) in zip(rows, identifiers) { found[row] = models[identifier] }
      return found
    }

    func text(_ row: RowKey) -> String { row.text }

    func merge(_ pairs: [DuplicatePair<RowKey>]) throws {
      for start in stride(from: 0, to: pairs.count, by: Self.mostPairs) {
        var merge = KeyMerge(self)
        for pair in pairs[start..<min(pairs.count, start + Self.mostPairs)] { merge.add(pair) }
        try merge.run()
      }
    }
  }
#endif
