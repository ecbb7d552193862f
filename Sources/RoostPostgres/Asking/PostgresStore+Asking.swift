#if Postgres
  package import Roost
  internal import RoostGraph
  internal import RoostFile
  internal import RoostRecords

  /// Fetching.
  extension PostgresStore {
    package func answer(_ question: StoreQuestion) throws -> StoreAnswer {
      try CallInterrupt.check()
      let plan = try AskPlan(self, question)
      asked.insert(plan.rows.table)
      tally.note(plan, hasCondition: question.condition != nil)
      tally.endLoads()
      if plan.rows.limit != nil, !plan.isExact, let first = try firstRows(plan) {
        return StoreAnswer(try contents(first, table: plan.rows.table), isTested: true) { plan.report(question) }
      }
      let rows = plan.isExact ? plan.rows : plan.withoutLimit
      return StoreAnswer(try contents([(rows.table, statement(rows))]), isTested: plan.isExact) {
        plan.report(question)
      }
    }

    /// The statement selects the lists that the working set has already. Other lists are loaded
    /// when the program reads one.
    private func statement(_ rows: RowQuestion) -> Statement {
      rows.statement(self, lists: lists(rows.table))
    }

    /// The first rows of an order; nil if one of them is in doubt. Both statements see the database at the same time.
    private func firstRows(_ plan: AskPlan) throws -> Answer? {
      let answers: [Answer]
      do {
        answers = try run([
          Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"), statement(plan.rows),
          plan.rows.count(self, doubts: plan.doubts), Statement("COMMIT"),
        ])
      } catch {
        connection?.rollback()
        throw error
      }
      return answers[2].integer(0, 1) == 0 ? answers[1] : nil
    }

    package func count(_ question: StoreQuestion) throws -> Int? {
      try CallInterrupt.check()
      let plan = try AskPlan(self, question)
      guard plan.isCountable else { return nil }
      let answer = try run([plan.withoutLimit.count(self, doubts: plan.doubts)])[0]
      // A row in doubt may be counted wrongly.
      return answer.integer(0, 1) == 0 ? answer.integer(0, 0).map { Int($0) } : nil
    }

    package func load(_ identifiers: [PersistentIdentifier], lists: Bool) throws -> [SnapshotContent] {
      tally.noteLoad()
      return try contents(loading(identifiers, lists: lists))
    }

    /// A zone of a table.
    private struct Zoned: Hashable {
      let table: Int
      let zone: ZoneName
    }

    /// The statements that load some models, with the numbers of their tables.
    func loading(_ identifiers: [PersistentIdentifier], lists: Bool) -> [(table: Int, statement: Statement)] {
      var wanted: [Zoned: [UUIDNumber]] = [:]
      // Neighbours usually have the same class and zone.
      var last: (entity: String, place: Zoned, keys: [UUIDNumber])?
      for identifier in identifiers {
        guard let key = RowKey(identifier) else { continue }
        if last?.entity == identifier.entityName, last?.place.zone == key.zoneName {
          last?.keys.append(key.key)
          continue
        }
        if let last { wanted[last.place, default: []] += last.keys }
        last = tables.places[identifier.entityName].map {
          (identifier.entityName, Zoned(table: $0.table, zone: key.zoneName), [key.key])
        }
      }
      if let last { wanted[last.place, default: []] += last.keys }
      var statements: [(table: Int, statement: Statement)] = []
      for (place, keys) in wanted.sorted(by: { ($0.key.table, $0.key.zone.text) < ($1.key.table, $1.key.zone.text) }) {
        let (table, zone) = (place.table, place.zone)
        // There all rows are in the zone without a name.
        if zones.isOne, !zone.isEmpty { continue }
        var rows = RowQuestion(table, tables.tables[table].root)
        rows.conditions = ["t.\(Table.key) = ANY(\(rows.add(.uuids(keys))))"]
        (rows.zones, rows.order) = ([zone.text], nil)
        let chosen: Selection.Lists =
          lists || !selections[table].hasLists ? .all : self.lists(table, among: keys.map { RowKey(zone, $0) })
        statements.append((table, rows.statement(self, lists: chosen)))
      }
      return statements
    }
  }
#endif
