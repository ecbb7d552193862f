#if Postgres
  internal import Roost
  internal import RoostQuery
  internal import RoostRecords

  /// A query as SQL, and which parts of its condition the server tests.
  struct AskPlan {
    /// The statement. If it has a limit, its rows are the answer unless one of them is in doubt.
    private(set) var rows: RowQuestion
    /// Whether the statement returns exactly the rows for which the condition is true.
    let isExact: Bool
    /// Whether the statement does so if no row is in doubt.
    let isCountable: Bool
    let doubts: [String]
    private let hasZones: Bool
    /// Each part of the condition, with the side that tests it.
    let parts: [(part: RoostQuery.Expression, tester: ConditionWriter.Tester)]

    init(_ store: PostgresStore, _ question: StoreQuestion) throws {
      let (table, place) = try store.tables.place(question.map.type)
      let type = store.tables.tables[table].classes[place].type
      let writer = ConditionWriter(store, question, rows: RowQuestion(table, type))
      if let condition = question.condition { writer.write(condition) }
      (isExact, isCountable) = (writer.isExact && question.isWhole, writer.isExactWithoutDoubts && question.isWhole)
      (doubts, parts, hasZones) = (writer.doubts, writer.parts, !store.zones.isOne)
      rows = writer.rows
      guard isCountable, let limit = question.limit, let keys = question.orders.flatMap({ writer.keys($0) }) else {
        return
      }
      rows = writer.rows
      (rows.order, rows.limit) = (keys, limit)
    }

    /// The lines about this plan in the explanation of a fetch.
    func report(_ question: StoreQuestion) -> [String] {
      let describer = Describer(question.catalog, question.map.entity.id)
      var lines = parts.map { "\($0.tester.rawValue) \(describer.text($0.part))" }
      if hasZones {
        lines.append(
          "the server looks in \(rows.zones.map { $0.count == 1 ? "one zone" : "\($0.count) zones" } ?? "all zones")")
      }
      if let limit = rows.limit { lines.append("the server sorts, and returns the first \(limit) rows") }
      return lines
    }

    var withoutLimit: RowQuestion {
      var all = rows
      (all.order, all.limit) = ([], nil)
      return all
    }
  }

  extension AskTally {
    mutating func note(_ plan: AskPlan, hasCondition: Bool) {
      if plan.rows.limit != nil { limited += 1 }
      if plan.rows.zones != nil { zoned += 1 }
      if !hasCondition { return }
      if plan.isExact {
        whole += 1
      } else if plan.isCountable {
        doubted += 1
      } else if plan.rows.conditions.isEmpty {
        all += 1
      } else {
        narrowed += 1
      }
    }
  }
#endif
