#if Postgres
  internal import RoostGraph

  /// A query for rows of a table: the conditions, the order and the limit.
  struct RowQuestion {
    let table: Int
    /// The class of the objects. Objects of its subclasses are included.
    let type: _ModelType
    /// Conditions in SQL for the alias `t`. All of them must be true.
    var conditions: [String] = []
    /// The only zones whose rows can fulfil the conditions; nil if the conditions do not restrict
    /// the zone.
    var zones: [String]?
    /// Keys to sort by, in SQL. Nil if the order of the rows does not matter.
    var order: [String]? = []
    var limit: Int?
    var parameters: [Statement.Parameter] = []

    init(_ table: Int, _ type: _ModelType) { (self.table, self.type) = (table, type) }

    mutating func add(_ parameter: Statement.Parameter) -> String {
      parameters.append(parameter)
      return "$\(parameters.count)"
    }

    /// The conditions of the rows, with those of their zones, and the parameters of all.
    private func chosen(
      _ store: PostgresStore
    ) -> (conditions: [String], zones: [String], parameters: [Statement.Parameter]) {
      var all = self
      let table = store.tables.tables[table]
      if type.superType != nil {
        let kinds = table.classes.map(\.type).filter { $0.isKind(of: type) }.map(\.name)
        all.conditions.append("t.\(Table.className) = ANY(\(all.add(.texts(kinds))))")
      }
      let zones = all.zoneTests(store)
      return (all.conditions + zones, zones, all.parameters)
    }

    private mutating func zoneTests(_ store: PostgresStore) -> [String] {
      let zone = Table.zone.of("t")
      if store.zones.isOne { return ["\(zone) = ''"] }
      guard let zones else { return [] }
      return ["\(zone) = " + (zones.count == 1 ? add(.text(zones[0])) : "ANY(\(add(.texts(zones))))")]
    }

    /// With a limit, a subquery selects the first rows, and lists are joined to those. Citus allows
    /// no lateral join to a subquery with a limit, so there the subquery selects only the keys.
    func statement(_ store: PostgresStore, lists: Selection.Lists) -> Statement {
      let (conditions, zones, parameters) = chosen(store)
      var statement = Statement("", parameters)
      let wanted =
        switch lists {
        case .all: "true"
        case .none: "false"
        case .of(let keys): "\(Table.key.of("t")) = ANY(\(statement.add(.uuids(keys))))"
        }
      var (rows, tests, end) = (store.full(table), conditions, sorted)
      if let limit, !store.selections[table].isJoined(lists: wanted) {
        end += " LIMIT \(limit)"
      } else if limit != nil, store.isDistributed {
        let keys = [Table.zone, Table.key].map { $0.of("t") }.joined(separator: ", ")
        tests = ["(\(keys)) IN (\(part(store, keys, where: conditions)))"] + zones
      } else if limit != nil {
        (rows, tests) = ("(\(part(store, "t.*", where: conditions)))", [])
      }
      statement.text = store.selections[table].text(from: rows, where: tests, order: end, lists: wanted)
      return statement
    }

    /// Some columns of the chosen rows.
    private func part(_ store: PostgresStore, _ columns: String, where conditions: [String]) -> String {
      let test = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
      return "SELECT \(columns) FROM \(store.full(table)) AS t\(test)" + (limit.map { "\(sorted) LIMIT \($0)" } ?? "")
    }

    /// Counts the rows, and those of them for which a doubt is true.
    func count(_ store: PostgresStore, doubts: [String] = []) -> Statement {
      let (conditions, _, parameters) = chosen(store)
      let test = doubts.isEmpty ? "false" : doubts.joined(separator: " OR ")
      // Citus refuses to look up rows for a subquery with a limit, so the doubts are computed inside it.
      let rows = part(store, "(\(test)) AS doubt", where: conditions)
      return Statement("SELECT count(*), count(*) FILTER (WHERE doubt) FROM (\(rows)) AS t", parameters)
    }

    private var sorted: String {
      order.map { " ORDER BY " + ($0 + [Table.key.of("t")]).joined(separator: ", ") } ?? ""
    }
  }
#endif
