internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// What the engine does of a fetch, and what memory does.
struct FetchPart<Model: PersistentModel> {
  let graph: GraphContext
  let map: EntityMap
  /// What is true of the class's rows, as far as others stand among them.
  let kind: [RoostQuery.Expression]
  /// What the engine tests, unless it is prepared.
  var condition: RoostQuery.Expression?
  var prepared: PreparedCondition?
  /// What is tested in memory.
  var tests: [ModelTest<Model>]
  /// The engine's order; nil where it does not know it.
  var orders: [Order]?
  /// Rows that the engine's answer does not count for.
  var excluded: Set<UInt64> = []
  /// Entities whose rows the condition and the order look at besides.
  var passes: [EntityMap] = []
  /// Whether something waits that is asked for besides: memory alone knows it.
  var isBlind = false
  /// What the store behind a working set answered.
  var answered: Answered?
  /// Models that wait and fulfil the predicate.
  var pending: [Model] = []

  var isChanged: Bool { !excluded.isEmpty || !pending.isEmpty }
  /// Whether the engine answers alone.
  var isEngines: Bool { tests.isEmpty && orders != nil && !isChanged }

  private var isExcluded: RoostQuery.Expression { isOne(of: excluded) }

  private func isOne(of rows: some Sequence<UInt64>) -> RoostQuery.Expression {
    let rows = rows.map { Value.reference(RowID($0)) }
    return .contains(.constant(.array(rows), .array(.plain(.reference(map.entity.id)))), .row)
  }

  /// Asking of some rows alone.
  func among(_ rows: [UInt64]) -> FetchPart { asking(isOne(of: rows)) }

  /// Objects in the order of their ranks.
  func ranked(_ models: [Model]) -> [Model] {
    guard let ranks = answered?.ranks, !ranks.isEmpty else { return models }
    return models.map { (rank: ranks[$0._$state.row] ?? .max, model: $0) }.sorted { $0.rank < $1.rank }.map(\.model)
  }

  /// Asking of the rows that wait alone.
  var onlyExcluded: FetchPart { asking(isExcluded) }

  /// Asking of no row that waits.
  var withoutExcluded: FetchPart { asking(.not(isExcluded)) }

  /// Another condition is asked first.
  func asking(_ first: RoostQuery.Expression) -> FetchPart {
    var part = self
    part.condition = condition.map { first && $0 } ?? first
    return part
  }

  /// The question to ask, where nothing is asked beside what was prepared.
  func question(isSorted: Bool) throws -> (question: Question, values: [Value])? {
    guard let prepared, kind.isEmpty, let orders else { return nil }
    let question = prepared.template.question(
      map.entity.name, isSorted ? orders : [], ground: try graph.session.ground())
    return question.map { ($0, prepared.values) }
  }

  /// The same without anything that was prepared.
  var plain: FetchPart {
    var part = self
    part.condition = condition ?? prepared?.condition
    part.prepared = nil
    return part
  }

  func query(isSorted: Bool, offset: Int = 0, limit: Int? = nil) -> Query {
    // First of which class a row is: what else is asked means nothing to others.
    let all = kind + ((condition ?? prepared?.condition).map { [$0] } ?? [])
    return Query(
      map.entity.name, where: all.count > 1 ? .and(all) : all.first, by: isSorted ? orders ?? [] : [], offset: offset,
      limit: limit)
  }
}

/// What a store behind a working set answered. In a class, so that a fetch without one copies no more than nil.
final class Answered {
  /// By row, its place in the order of the store.
  var ranks: [UInt64: Int] = [:]
  /// What the store did, a line each.
  let report: () -> [String]

  init(report: @escaping () -> [String]) { self.report = report }
}
