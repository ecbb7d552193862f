#if Postgres
  package import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// Fetching.
  extension PostgresStore {
    package func answer(_ question: StoreQuestion) throws -> StoreAnswer {
      let (rows, isTested) = try rowQuestion(question)
      return StoreAnswer(try contents(run([rows.statement(self)])[0], table: rows.table), isTested: isTested)
    }

    package func count(_ question: StoreQuestion) throws -> Int? {
      let (rows, isTested) = try rowQuestion(question)
      guard isTested else { return nil }
      return try run([rows.count(self)])[0].integer(0, 0).map { Int($0) }
    }

    /// A question in SQL, and whether it says the whole condition.
    private func rowQuestion(_ question: StoreQuestion) throws -> (RowQuestion, isTested: Bool) {
      let (table, place) = try tables.place(question.map.type)
      asked.insert(table)
      let rows = RowQuestion(table, tables.tables[table].classes[place].type)
      return (rows, question.condition == nil)
    }

    package func load(_ identifiers: [PersistentIdentifier]) throws -> [SnapshotContent] {
      var wanted: [Int: [String: [UUIDNumber]]] = [:]
      for identifier in identifiers {
        guard let (table, key) = place(identifier) else { continue }
        wanted[table, default: [:]][key.zone, default: []].append(key.key)
      }
      var statements: [(table: Int, statement: Statement)] = []
      for (table, zones) in wanted.sorted(by: { $0.key < $1.key }) {
        for (zone, keys) in zones.sorted(by: { $0.key < $1.key }) {
          var rows = RowQuestion(table, tables.tables[table].root)
          rows.conditions = [
            "t.\(Table.zone) = \(rows.add(.text(zone)))", "t.\(Table.key) = ANY(\(rows.add(.uuids(keys))))",
          ]
          statements.append((table, rows.statement(self)))
        }
      }
      let answers = try run(statements.map(\.statement))
      return try zip(statements, answers).flatMap { try contents($1, table: $0.table) }
    }
  }
#endif
