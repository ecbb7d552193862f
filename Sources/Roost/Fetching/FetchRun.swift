internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// One fetch.
///
/// Where nothing waits that could matter, the engine answers alone. Else the rows of models that wait are left out, those models
/// are tested in memory, and they come in where the order wants them.
struct FetchRun<Model: PersistentModel> {
  private let descriptor: FetchDescriptor<Model>
  private let state: ContextState
  private let includesSubclasses: Bool
  private let rules: SortRules<Model>

  init(_ descriptor: FetchDescriptor<Model>, _ state: ContextState, includesSubclasses: Bool = true) {
    self.descriptor = descriptor
    self.state = state
    self.includesSubclasses = includesSubclasses
    rules = SortRules(descriptor.sortBy)
  }

  /// What the engine and memory do.
  private struct Part {
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
    /// Models that wait and fulfil the predicate.
    var pending: [Model] = []

    var isChanged: Bool { !excluded.isEmpty || !pending.isEmpty }
    /// Whether the engine answers alone.
    var isEngines: Bool { tests.isEmpty && orders != nil && !isChanged }

    private var isExcluded: RoostQuery.Expression {
      let rows = excluded.map { Value.reference(RowID($0)) }
      return .contains(.constant(.array(rows), .array(.plain(.reference(map.entity.id)))), .row)
    }

    /// Asking of the rows that wait alone.
    var onlyExcluded: Part { asking(isExcluded) }

    /// Asking of no row that waits.
    var withoutExcluded: Part { asking(.not(isExcluded)) }

    /// Another condition is asked first.
    private func asking(_ first: RoostQuery.Expression) -> Part {
      var part = self
      part.condition = condition.map { first && $0 } ?? first
      return part
    }

    /// The question to ask, where nothing is asked beside what was prepared.
    func question(isSorted: Bool) throws -> (question: Question, values: [Value])? {
      guard let prepared, kind.isEmpty, let orders else { return nil }
      let question = prepared.template.question(map.entity.name, isSorted ? orders : [], try graph.ground())
      return question.map { ($0, prepared.values) }
    }

    /// The same without anything that was prepared.
    var plain: Part {
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

  private var offset: Int { max(0, descriptor.fetchOffset ?? 0) }
  /// SwiftData's limit of 0 is none.
  private var limit: Int? { descriptor.fetchLimit.flatMap { $0 > 0 ? $0 : nil } }

  // MARK: Results

  func objects() throws -> [Model] {
    let part = try part()
    let found = try objects(part)
    if !descriptor.relationshipKeyPathsForPrefetching.isEmpty { prefetch(found, part) }
    return found
  }

  /// Reads the relationships that the descriptor names. What is no relationship of the model is not looked at.
  private func prefetch(_ models: [Model], _ part: Part) {
    let properties = descriptor.relationshipKeyPathsForPrefetching.compactMap { part.map.type.number(of: $0) }
    if !properties.isEmpty { part.graph.prefetch(part.map, models, properties) }
  }

  private func objects(_ part: Part) throws -> [Model] {
    if part.isEngines {
      if let (question, values) = try part.question(isSorted: true),
        let found = try part.graph.objects(question, values, offset: offset, limit: limit, part.map)
      {
        return unsafeBitCast(found, to: [Model].self)
      }
      return try part.graph.objects(
        part.query(isSorted: true, offset: offset, limit: limit), part.map, as: Model.self)
    }
    var all = try stored(part)
    if !rules.isEmpty, part.orders != nil {
      all = rules.merged(all, part.pending.sorted(by: rules.precedes))
    } else {
      all += part.pending
      if !rules.isEmpty { all.sort(by: rules.precedes) }
    }
    return Array(all.dropFirst(offset).prefix(limit ?? .max))
  }

  /// What the store has, without the rows that wait.
  private func stored(_ part: Part) throws -> [Model] {
    var enough: Int?
    if let limit, part.tests.isEmpty, part.orders != nil {
      let (sum, isTooLarge) = limit.addingReportingOverflow(offset)
      let (all, isStillTooLarge) = sum.addingReportingOverflow(part.excluded.count)
      enough = isTooLarge || isStillTooLarge ? nil : all
    }
    let found: [Model]
    do {
      found = try part.graph.objects(part.query(isSorted: true, limit: enough), part.map, as: Model.self)
    } catch is ConditionFault where !part.excluded.isEmpty {
      // A row that is left out may be the one at fault.
      let query = part.withoutExcluded.query(isSorted: true, limit: enough)
      found = try part.graph.objects(query, part.map, as: Model.self)
    }
    if part.excluded.isEmpty, part.tests.isEmpty { return found }
    return try found.filter { model in
      if part.excluded.contains(model._$state.row) { return false }
      return try part.tests.allSatisfy { try $0.passes(model) }
    }
  }

  func count() throws -> Int {
    let part = try part()
    guard part.tests.isEmpty else { return try objects().count }
    let all = try stored(countOf: part) + part.pending.count
    return min(max(0, all - offset), limit ?? .max)
  }

  /// How many rows the store has, without those that wait.
  private func stored(countOf part: Part) throws -> Int {
    let planner = try part.graph.planner()
    if part.excluded.isEmpty {
      if let (question, values) = try part.question(isSorted: false), let count = try planner.count(question, values) {
        return count
      }
      return try planner.count(part.query(isSorted: false))
    }
    do {
      // Both can be had from an index.
      return try planner.count(part.query(isSorted: false)) - planner.count(part.onlyExcluded.query(isSorted: false))
    } catch is ConditionFault { return try planner.count(part.withoutExcluded.query(isSorted: false)) }
  }

  func identifiers() throws -> [PersistentIdentifier] {
    let part = try part()
    guard part.isEngines else { return try objects().map(\.persistentModelID) }
    let store = part.graph.store.identifier
    return try part.graph.rows(part.query(isSorted: true, offset: offset, limit: limit), part.map).map {
      PersistentIdentifier(store: store, entity: $0.map.type.name, .row($0.row.number))
    }
  }

  /// How it is carried out, in words.
  func explanation() throws -> String {
    let part = try part()
    let isAlone = part.isEngines
    let query = part.query(isSorted: true, offset: isAlone ? offset : 0, limit: isAlone ? limit : nil)
    var lines = [try part.graph.planner().plan(query).explanation]
    for test in part.tests { lines.append("  test in memory \(test)") }
    if part.orders == nil { lines.append("  sorted in memory") }
    if part.isChanged { lines.append("  \(part.excluded.count) rows left out, \(part.pending.count) models put in") }
    return lines.joined(separator: "\n")
  }

  // MARK: Planning

  private func part() throws -> Part {
    try rules.check()
    let place = try state.stores.known(Model.self)
    let (map, graph) = (place.map, state.graph(place.store))
    if descriptor.includePendingChanges { graph.processPendingChanges() }
    let prepared = try descriptor.predicate.flatMap { try state.stores.templates.prepared($0, map, graph) }
    let translation = prepared == nil ? try descriptor.predicate.map { try Translation($0, map, graph) } : nil
    let kind = map.condition(includesSubclasses: includesSubclasses).map { [$0] + rules.demands(map) }
    let order = rules.orders(map, graph.store)
    var part = Part(
      graph: graph, map: map, kind: kind ?? [], condition: translation?.condition, prepared: prepared,
      tests: translation?.tests ?? [], orders: order?.orders)
    guard descriptor.includePendingChanges, graph.hasChanges else { return part }
    part = part.plain
    let all = descriptor.predicate.map { Translation.tests($0) }
    let passesThrough = prepared?.template.passesThrough ?? translation?.passesThrough ?? []
    if let all, passesThrough.contains(where: { graph.hasPending($0) }) {
      // What rows lead to waits to be changed, so the engine cannot know.
      part.condition = nil
      part.tests = all
    }
    // The same of what rows are sorted by.
    if order?.passes.contains(where: { graph.hasPending($0) }) == true { part.orders = nil }
    for model in graph.insertedObjects + graph.changedObjects {
      guard includesSubclasses || model.entityMap === map, let model = model as? Model else { continue }
      if model.isStored { part.excluded.insert(model._$state.row) }
      if try all?.allSatisfy({ try $0.passes(model) }) != false { part.pending.append(model) }
    }
    for model in graph.deletedObjects where model.entityMap?.entity.id == map.entity.id {
      part.excluded.insert(model._$state.row)
    }
    for row in graph.deletedRows where row.map.entity.id == map.entity.id { part.excluded.insert(row.row.number) }
    return part
  }
}
