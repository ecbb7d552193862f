internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// The part of a fetch that the engine does, and the part that memory does.
struct FetchPart<Model: PersistentModel> {
  let graph: GraphContext
  let map: EntityMap
  /// The condition of the class, if rows of other classes are in the same entity.
  let kind: [RoostQuery.Expression]
  /// The condition for the engine, unless it is prepared.
  var condition: RoostQuery.Expression?
  var prepared: PreparedCondition?
  /// The tests in memory.
  var tests: [ModelTest<Model>]
  /// The engine's order; nil if the engine cannot sort so.
  var orders: [Order]?
  /// The rows with unsaved changes: the engine's answer is wrong for them.
  var excluded: Set<UInt64> = []
  /// The other entities whose rows the condition and the order read.
  var passes: [EntityMap] = []
  /// Whether related models have unsaved changes. Then only memory can answer.
  var isBlind = false
  /// The answer of a working set's store.
  var answered: Answered?
  /// Unsaved models that fulfil the predicate.
  var pending: [Model] = []

  var isChanged: Bool { !excluded.isEmpty || !pending.isEmpty }
  /// Whether the engine answers alone.
  var isEngines: Bool { tests.isEmpty && orders != nil && !isChanged }

  private var isExcluded: RoostQuery.Expression { isOne(of: excluded) }

  private func isOne(of rows: some Sequence<UInt64>) -> RoostQuery.Expression {
    let rows = rows.map { Value.reference(RowID($0)) }
    return .contains(.constant(.array(rows), .array(.plain(.reference(map.entity.id)))), .row)
  }

  /// Returns the fetch of some rows only.
  func among(_ rows: [UInt64]) -> FetchPart { asking(isOne(of: rows)) }

  /// Returns objects in the order of their ranks.
  func ranked(_ models: [Model]) -> [Model] {
    guard let ranks = answered?.ranks, !ranks.isEmpty else { return models }
    return models.map { (rank: ranks[$0._$state.row] ?? .max, model: $0) }.sorted { $0.rank < $1.rank }.map(\.model)
  }

  /// The fetch of rows with unsaved changes only.
  var onlyExcluded: FetchPart { asking(isExcluded) }

  /// The fetch without rows with unsaved changes.
  var withoutExcluded: FetchPart { asking(.not(isExcluded)) }

  /// Returns the fetch with another condition before it.
  func asking(_ first: RoostQuery.Expression) -> FetchPart {
    var part = self
    part.condition = condition.map { first && $0 } ?? first
    return part
  }

  /// Returns the question, if the fetch has nothing beside the prepared parts.
  func question(isSorted: Bool) throws -> (question: Question, values: [Value])? {
    guard let prepared, kind.isEmpty, let orders else { return nil }
    let question = prepared.template.question(
      map.entity.name, isSorted ? orders : [], ground: try graph.session.ground())
    return question.map { ($0, prepared.values) }
  }

  /// This fetch without its prepared parts.
  var plain: FetchPart {
    var part = self
    part.condition = condition ?? prepared?.condition
    part.prepared = nil
    return part
  }

  func query(isSorted: Bool, offset: Int = 0, limit: Int? = nil) -> Query {
    // The test of the class comes first, because other conditions have no meaning for rows of other
    // classes.
    let all = kind + ((condition ?? prepared?.condition).map { [$0] } ?? [])
    return Query(
      map.entity.name, where: all.count > 1 ? .and(all) : all.first, by: isSorted ? orders ?? [] : [], offset: offset,
      limit: limit)
  }
}

/// The answer of a working set's store. It is a class, so that a fetch without one copies only nil.
final class Answered {
  /// The position of each row in the store's order.
  var ranks: [UInt64: Int] = [:]
  /// The number of rows in the answer.
  let count: Int
  /// Describes what the store did, in lines.
  let report: () -> [String]

  init(_ count: Int, report: @escaping () -> [String]) { (self.count, self.report) = (count, report) }
}
