internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// One fetch.
///
/// If no unsaved change matters, the engine answers alone. Otherwise the rows of models with
/// unsaved changes are left out, those models are tested in memory, and they are merged into the
/// result in order.
struct FetchRun<Model: PersistentModel> {
  let descriptor: FetchDescriptor<Model>
  let state: ContextState
  private let includesSubclasses: Bool
  let rules: SortRules<Model>

  init(_ descriptor: FetchDescriptor<Model>, _ state: ContextState, includesSubclasses: Bool = true) {
    self.descriptor = descriptor
    self.state = state
    self.includesSubclasses = includesSubclasses
    rules = SortRules(descriptor.sortBy)
  }

  var offset: Int { max(0, descriptor.fetchOffset ?? 0) }
  /// The limit. As in SwiftData, 0 means no limit.
  var limit: Int? { descriptor.fetchLimit.flatMap { $0 > 0 ? $0 : nil } }

  // MARK: Results

  func objects() throws -> [Model] {
    let part = try part()
    let found = try objects(part)
    if !descriptor.relationshipKeyPathsForPrefetching.isEmpty { prefetch(found, part) }
    return found
  }

  /// Loads the relationships that the descriptor names, along whole paths. Other key paths are
  /// ignored.
  private func prefetch(_ models: [Model], _ part: FetchPart<Model>) {
    let paths = descriptor.relationshipKeyPathsForPrefetching.compactMap { PathShelf.shared.path($0) }
    // Longer paths first, because the rows that were read last stay in memory longest.
    for path in paths where !path.references.isEmpty {
      part.graph.links.prefetch(part.map, models, along: path.references + (path.property.map { [$0] } ?? []))
    }
    let properties = paths.filter(\.references.isEmpty).compactMap(\.property)
    if !properties.isEmpty { part.graph.links.prefetch(part.map, models, properties: properties) }
  }

  func objects(_ part: FetchPart<Model>) throws -> [Model] {
    if part.isEngines {
      if let (question, values) = try part.question(isSorted: true),
        let found = try part.graph.fetch(question, values, offset: offset, limit: limit, map: part.map)
      {
        return unsafeBitCast(found, to: [Model].self)
      }
      return try part.graph.fetch(
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

  /// Returns the models, for values that are not read from rows.
  func models(_ part: FetchPart<Model>) throws -> [Model] {
    if !descriptor.includePendingChanges, part.graph.changes.hasChanges {
      throw RoostError(
        .pendingChanges,
        "\(Model._$type.name): values that are computed, or read from other models, cannot be the stored ones while the context has unsaved changes: save first, or keep includePendingChanges true"
      )
    }
    return try objects(part)
  }

  /// Returns how many rows suffice, even if all models with unsaved changes are among them; nil for
  /// all rows.
  func enough(_ part: FetchPart<Model>) -> Int? {
    guard let limit, part.tests.isEmpty, part.orders != nil else { return nil }
    let (sum, isTooLarge) = limit.addingReportingOverflow(offset)
    let (all, isStillTooLarge) = sum.addingReportingOverflow(part.excluded.count)
    return isTooLarge || isStillTooLarge ? nil : all
  }

  /// Returns the stored models, without rows with unsaved changes.
  func stored(_ part: FetchPart<Model>) throws -> [Model] {
    let enough = enough(part)
    let found: [Model]
    do {
      found = try part.graph.fetch(part.query(isSorted: true, limit: enough), part.map, as: Model.self)
    } catch is ConditionFault where !part.excluded.isEmpty {
      // A row that is left out might cause an error in the condition.
      let query = part.withoutExcluded.query(isSorted: true, limit: enough)
      found = try part.graph.fetch(query, part.map, as: Model.self)
    }
    if part.excluded.isEmpty, part.tests.isEmpty { return part.ranked(found) }
    return part.ranked(
      try found.filter { model in
        if part.excluded.contains(model._$state.row) { return false }
        return try part.tests.allSatisfy { try $0.passes(model) }
      })
  }

  func count() throws -> Int {
    if let count = try countedElsewhere() { return count }
    let part = try part()
    guard part.tests.isEmpty else { return try objects().count }
    let all = try stored(countOf: part) + part.pending.count
    return min(max(0, all - offset), limit ?? .max)
  }

  /// Returns the count of a working set's store, if the context has no unsaved changes.
  private func countedElsewhere() throws -> Int? {
    let graph = state.graph(try state.stores.known(Model.self).store)
    guard let source = graph.source else { return nil }
    if descriptor.includePendingChanges {
      graph.processPendingChanges()
      if graph.changes.hasChanges { return nil }
    }
    var all = descriptor
    (all.fetchLimit, all.fetchOffset, all.sortBy) = (nil, nil, [])
    return try source.count(all, for: graph).map { min(max(0, $0 - offset), limit ?? .max) }
  }

  /// Counts the stored rows, without rows with unsaved changes.
  private func stored(countOf part: FetchPart<Model>) throws -> Int {
    let planner = try part.graph.planner()
    if part.excluded.isEmpty {
      if let (question, values) = try part.question(isSorted: false), let count = try planner.count(question, values) {
        return count
      }
      return try planner.count(part.query(isSorted: false))
    }
    do {
      // An index can answer both counts.
      return try planner.count(part.query(isSorted: false)) - planner.count(part.onlyExcluded.query(isSorted: false))
    } catch is ConditionFault { return try planner.count(part.withoutExcluded.query(isSorted: false)) }
  }

  func identifiers() throws -> [PersistentIdentifier] {
    let places = try places()
    return places.rows.indices.map { places.identifier($0) }
  }

  // MARK: Planning

  /// Returns the other entities whose rows a fetch reads.
  func entitiesPassed(_ map: EntityMap, _ graph: GraphContext) throws -> [EntityMap] {
    let translation = try descriptor.predicate.map { try Translation($0, map, graph: graph) }
    return (translation?.passesThrough ?? []) + (rules.orders(map, graph.store)?.passes ?? [])
  }

  /// The first rows of the order that reach the end of the result.
  private var reach: FetchReach {
    FetchReach(
      limit: limit.flatMap { limit in
        let (sum, isTooLarge) = limit.addingReportingOverflow(offset)
        return isTooLarge ? nil : sum
      })
  }

  /// Returns the descriptor for a working set's store. Its limit leaves enough models after those
  /// with unsaved changes are removed.
  private func asked(_ reach: FetchReach, _ graph: GraphContext) -> FetchDescriptor<Model> {
    var asked = descriptor
    asked.fetchOffset = nil
    let waiting = graph.changes.changedObjects.count + graph.changes.deletedObjects.count + graph.deletedRows.count
    asked.fetchLimit = reach.limit.flatMap { limit in
      let (sum, isTooLarge) = limit.addingReportingOverflow(waiting)
      return isTooLarge ? nil : sum
    }
    return asked
  }

  /// Loads the rows of other entities that the condition and the order read.
  ///
  /// A loaded row may reference unknown rows. They are loaded in the next round, and there are at
  /// most as many rounds as the expressions have steps.
  ///
  /// - Parameter others: entities whose rows are read for another reason.
  private func load(_ part: FetchPart<Model>, besides others: [EntityMap]) throws {
    guard let source = part.graph.source else { return }
    let condition = part.condition ?? part.prepared?.condition
    let expressions = [condition].compactMap { $0 } + (part.orders ?? []).map(\.key)
    let lists = expressions.contains { $0.hasLists }
    let maps = (lists ? [part.map] : []) + part.passes + others
    for _ in 0..<expressions.reduce(1 + others.count, { $0 + $1.stepCount }) {
      var isDone = true
      for map in maps where try source.loadAll(map, for: part.graph, lists: lists) { isDone = false }
      if isDone { return }
    }
  }

  /// - Parameters:
  ///   - besides: entities whose rows are read for something else than the predicate and the order.
  ///   - reaching: the rows that a working set's store has to return; by default those of the result.
  func part(besides others: [EntityMap] = [], reaching wanted: FetchReach? = nil) throws -> FetchPart<Model> {
    try rules.check()
    let place = try state.stores.known(Model.self)
    let (map, graph) = (place.map, state.graph(place.store))
    if descriptor.includePendingChanges { graph.processPendingChanges() }
    let wanted = wanted ?? reach
    let answer = try graph.source?.rows(asked(wanted, graph), from: wanted.start, for: graph)
    // The store of a working set has tested it already.
    let predicate = answer?.isFiltered == true ? nil : descriptor.predicate
    let prepared = try predicate.flatMap { try state.stores.templates.prepared($0, map, graph: graph) }
    let translation = prepared == nil ? try predicate.map { try Translation($0, map, graph: graph) } : nil
    let kind = map.condition(includesSubclasses: includesSubclasses).map { [$0] + rules.demands(map) }
    let order = rules.orders(map, graph.store)
    var part = FetchPart<Model>(
      graph: graph, map: map, kind: kind ?? [], condition: translation?.condition, prepared: prepared,
      tests: translation?.tests ?? [], orders: order?.orders)
    let passesThrough = prepared?.template.passesThrough ?? translation?.passesThrough ?? []
    part.passes = passesThrough + (order?.passes ?? [])
    if let answer {
      try load(part, besides: others)
      part = part.plain.among(answer.rows)
      part.answered = Answered(answer.rows.count, report: answer.report)
      // Without an order the result has the store's order.
      if rules.isEmpty {
        part.orders = nil
        part.answered?.ranks = Dictionary(zip(answer.rows, 0...)) { first, _ in first }
      }
    }
    guard descriptor.includePendingChanges, graph.changes.hasChanges else { return part }
    part = part.plain
    let all = descriptor.predicate.map { Translation.tests($0) }
    if let all, passesThrough.contains(where: { graph.hasPending($0) }) {
      // Related rows have unsaved changes, so the engine cannot test the condition.
      part.condition = nil
      part.tests = all
    }
    part.isBlind = others.contains { graph.hasPending($0) }
    // Rows with sort values have unsaved changes, so the engine cannot sort.
    if order?.passes.contains(where: { graph.hasPending($0) }) == true { part.orders = nil }
    for model in graph.changes.insertedObjects + graph.changes.changedObjects {
      guard includesSubclasses || model.entityMap === map, let model = model as? Model else { continue }
      if model.isStored { part.excluded.insert(model._$state.row) }
      if try all?.allSatisfy({ try $0.passes(model) }) != false { part.pending.append(model) }
    }
    for model in graph.changes.deletedObjects where model.entityMap?.entity.id == map.entity.id {
      part.excluded.insert(model._$state.row)
    }
    for row in graph.deletedRows where row.map.entity.id == map.entity.id { part.excluded.insert(row.row.number) }
    return part
  }
}
