#if Postgres
  internal import RoostGraph

  /// Which rows of a table are selected, and in which order.
  struct RowQuestion {
    let table: Int
    /// The class of the objects, or of subclasses of theirs.
    let type: _ModelType
    /// Conditions in SQL for the alias `t`, all of which must be true.
    var conditions: [String] = []
    /// Keys to sort by, in SQL.
    var order: [String] = []
    var limit: Int?
    var parameters: [Statement.Parameter] = []

    init(_ table: Int, _ type: _ModelType) { (self.table, self.type) = (table, type) }

    mutating func add(_ parameter: Statement.Parameter) -> String {
      parameters.append(parameter)
      return "$\(parameters.count)"
    }

    /// What chooses the rows, behind `FROM`.
    private func chosen(_ store: PostgresStore) -> (text: String, parameters: [Statement.Parameter]) {
      var all = self
      let table = store.tables.tables[table]
      if type.superType != nil {
        let kinds = table.classes.map(\.type).filter { $0.isKind(of: type) }.map(\.name)
        all.conditions.append("t.\(Table.className) = ANY(\(all.add(.texts(kinds))))")
      }
      if store.configuration.zone == .single { all.conditions.append("t.\(Table.zone) = ''") }
      let test = all.conditions.isEmpty ? "" : " WHERE " + all.conditions.joined(separator: " AND ")
      return ("\(store.full(self.table)) AS t\(test)", all.parameters)
    }

    func statement(_ store: PostgresStore) -> Statement {
      let (from, parameters) = chosen(store)
      let part = limit.map { "\(sorted) LIMIT \($0)" } ?? ""
      return Statement(
        store.selections[table].text(from: "(SELECT t.* FROM \(from)\(part))", order: sorted), parameters)
    }

    /// Counts the rows, and those of them for which a doubt is true.
    func count(_ store: PostgresStore, doubts: [String] = []) -> Statement {
      let (from, parameters) = chosen(store)
      let test = doubts.isEmpty ? "false" : doubts.joined(separator: " OR ")
      let part = limit.map { "(SELECT t.* FROM \(from)\(sorted) LIMIT \($0)) AS t" } ?? from
      return Statement("SELECT count(*), count(*) FILTER (WHERE \(test)) FROM \(part)", parameters)
    }

    private var sorted: String { " ORDER BY " + (order + [Table.key.of("t")]).joined(separator: ", ") }
  }
#endif
