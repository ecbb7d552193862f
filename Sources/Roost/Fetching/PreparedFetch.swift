internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// A fetch for which everything is prepared: its predicate is known, it wants no order, and nothing waits that could matter.
///
/// What ``FetchRun`` does for any fetch is generic code, and to look up one type that is made of the model's takes as long as a
/// look-up in an index. So here as few as can be are mentioned, and lists are counted, which needs no type.
enum PreparedFetch {
  private struct Way {
    let graph: GraphContext
    let map: EntityMap
    let question: Question
    let values: [Value]
  }

  private static func way<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ state: ContextState
  ) throws -> Way? {
    guard let predicate = descriptor.predicate, descriptor.sortBy.count == 0 else { return nil }
    let place = try state.stores.known(Model.self)
    if place.map.family != nil { return nil }
    let graph = state.graph(place.store)
    if descriptor.includePendingChanges {
      graph.processPendingChanges()
      if graph.hasChanges { return nil }
    }
    guard let prepared = try state.stores.templates.prepared(predicate, place.map, graph),
      let question = prepared.template.question(place.map.entity.name, [], try graph.ground())
    else { return nil }
    return Way(graph: graph, map: place.map, question: question, values: prepared.values)
  }

  /// The models; nil where it takes more than this.
  static func objects<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ state: ContextState
  ) throws -> [Model]? {
    if descriptor.relationshipKeyPathsForPrefetching.count != 0 { return nil }
    guard let way = try way(descriptor, state) else { return nil }
    // SwiftData's limit of 0 is none.
    let limit = descriptor.fetchLimit ?? 0
    let found = try way.graph.objects(
      way.question, way.values, offset: max(0, descriptor.fetchOffset ?? 0), limit: limit > 0 ? limit : nil, way.map)
    // An array of objects is the same in memory whatever their class.
    return found.map { unsafeBitCast($0, to: [Model].self) }
  }

  /// How many there are; nil where it takes more than this.
  static func count<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ state: ContextState
  ) throws -> Int? {
    if descriptor.fetchLimit != nil || descriptor.fetchOffset != nil { return nil }
    guard let way = try way(descriptor, state) else { return nil }
    return try way.graph.planner().count(way.question, way.values)
  }
}
