internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// The fast path of a fetch: its predicate is known, it has no order, and no unsaved change
/// matters.
///
/// ``FetchRun`` is generic code, and each look-up of a type made of the model's type takes as long
/// as a look-up in an index. So this code names as few such types as possible. Counting names none.
enum PreparedFetch {
  private struct Way {
    let graph: GraphContext
    let map: EntityMap
    let question: Question
    let values: [Value]

    func objects(_ offset: Int?, _ limit: Int?) throws -> [AnyObject]? {
      // As in SwiftData, 0 means no limit.
      let limit = limit ?? 0
      return try graph.fetch(question, values, offset: max(0, offset ?? 0), limit: limit > 0 ? limit : nil, map: map)
    }
  }

  /// A predicate whose model is not looked up yet.
  struct Asked {
    let model: any _ModelObject.Type
    let expression: any PredicateExpression<Bool>
    let variable: PredicateExpressions.VariableID
    let includesPending: Bool
  }

  /// Returns the plan of a predicate with a known template; nil if the fetch needs the general
  /// path.
  private static func way(_ asked: Asked, _ state: ContextState) throws -> Way? {
    guard let (graph, map) = try plain(asked.model, asked.includesPending, state: state) else { return nil }
    let ground = try graph.session.ground()
    guard let edition = ground.edition,
      let prepared = state.stores.templates.known(
        asked.expression, asked.variable, map: map, graph: graph, edition: edition),
      let question = prepared.template.question(map.entity.name, [], ground: ground)
    else { return nil }
    return Way(graph: graph, map: map, question: question, values: prepared.values)
  }

  /// Returns the store of a model's rows; nil if the fetch needs more than the rows of one class.
  private static func plain(
    _ model: any _ModelObject.Type, _ includesPending: Bool, state: ContextState
  ) throws -> (GraphContext, EntityMap)? {
    let place = try state.stores.known(model)
    if place.map.family != nil { return nil }
    let graph = state.graph(place.store)
    if graph.store.backing != nil { return nil }
    if includesPending {
      graph.processPendingChanges()
      if graph.changes.hasChanges { return nil }
    }
    return (graph, place.map)
  }

  /// Returns the model with a value of a unique property, in an array, or an empty array. Nil if
  /// the fetch needs the general path.
  static func objects<Value>(
    _ model: any _ModelObject.Type, where property: Int, is value: Value, state: ContextState
  ) throws -> [AnyObject]? {
    guard let (graph, map) = try plain(model, true, state: state), let value = stored(value, property, map: map) else {
      return nil
    }
    return try graph.fetch(unique: property, value, map: map)
  }

  /// Returns the stored form of a value; nil unless equal values have equal stored forms.
  private static func stored<Value>(_ value: Value, _ property: Int, map: EntityMap) -> RoostRecords.Value? {
    if let plain = PlainType.of(Value.self) {
      return withUnsafePointer(to: value) { plain.value(UnsafeRawPointer($0)) }
    }
    guard case .value(let known) = map.type.properties[property].storage,
      (try? known.coder())?.isComparedAsStored == true
    else { return nil }
    return map.type.stored(property, value)
  }

  static func objects(_ asked: Asked, _ offset: Int?, limit: Int?, state: ContextState) throws -> [AnyObject]? {
    try way(asked, state)?.objects(offset, limit)
  }

  static func count(_ asked: Asked, _ state: ContextState) throws -> Int? {
    guard let way = try way(asked, state) else { return nil }
    return try way.graph.planner().count(way.question, way.values)
  }

  private static func way<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ state: ContextState
  ) throws -> Way? {
    guard let predicate = descriptor.predicate, descriptor.sortBy.count == 0,
      let (graph, map) = try plain(Model.self, descriptor.includePendingChanges, state: state),
      let prepared = try state.stores.templates.prepared(predicate, map, graph: graph),
      let question = prepared.template.question(map.entity.name, [], ground: try graph.session.ground())
    else { return nil }
    return Way(graph: graph, map: map, question: question, values: prepared.values)
  }

  /// Returns the models; nil if the fetch needs the general path.
  static func objects<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ state: ContextState
  ) throws -> [Model]? {
    if descriptor.relationshipKeyPathsForPrefetching.count != 0 { return nil }
    guard let way = try way(descriptor, state) else { return nil }
    let found = try way.objects(descriptor.fetchOffset, descriptor.fetchLimit)
    // Arrays of objects have one memory layout for all classes.
    return found.map { unsafeBitCast($0, to: [Model].self) }
  }

  /// Counts the models; nil if the fetch needs the general path.
  static func count<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ state: ContextState
  ) throws -> Int? {
    if descriptor.fetchLimit != nil || descriptor.fetchOffset != nil { return nil }
    guard let way = try way(descriptor, state) else { return nil }
    return try way.graph.planner().count(way.question, way.values)
  }
}
