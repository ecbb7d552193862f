internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// The stored rows of a class that fulfil a predicate, for a write without models.
struct BulkChoice<Model: PersistentModel> {
  let graph: GraphContext
  let rows: RowChoice

  init(_ predicate: Predicate<Model>?, _ state: ContextState, includesSubclasses: Bool) throws {
    let place = try state.stores.known(Model.self)
    let (map, graph) = (place.map, state.graph(place.store))
    let translation = try state.call(.fetching) { try predicate.map { try Translation($0, map, graph: graph) } }
    // The test of the class comes first, because the predicate has no meaning for rows of other
    // classes.
    let parts = [map.condition(includesSubclasses: includesSubclasses), translation?.condition].compactMap { $0 }
    let query = Query(map.entity.name, where: parts.count > 1 ? .and(parts) : parts.first)
    var test: ((any _ModelObject) throws -> Bool)?
    if let tests = translation?.tests, !tests.isEmpty {
      test = { object in
        guard let model = object as? Model else { return false }
        return try tests.allSatisfy { try $0.passes(model) }
      }
    }
    self.graph = graph
    rows = RowChoice(map, query, test: test)
    try checkWaiting(predicate, translation, includesSubclasses: includesSubclasses)
  }

  /// Throws if unsaved changes of the context would change which rows fulfil the predicate. Other
  /// unsaved changes stay unsaved.
  private func checkWaiting(
    _ predicate: Predicate<Model>?, _ translation: Translation<Model>?, includesSubclasses: Bool
  ) throws {
    graph.processPendingChanges()
    if !graph.changes.hasChanges { return }
    if rows.test != nil || translation?.passesThrough.contains(where: { graph.hasPending($0) }) == true {
      throw RoostError(
        .pendingChanges,
        "the predicate reads models with unsaved changes, and a bulk write reads the store: save first, or call "
          + "rollback()")
    }
    let tests = predicate.map { Translation.tests($0) } ?? []
    for model in graph.changes.insertedObjects + graph.changes.changedObjects {
      guard includesSubclasses || model.entityMap === rows.map, let model = model as? Model,
        try tests.allSatisfy({ try $0.passes(model) })
      else { continue }
      let name = model.persistentModelID
      throw RoostError(
        .pendingChanges,
        "the predicate matches an object of \(name.entityName) with unsaved changes, and a bulk write changes the store: save "
          + "first, or call rollback()", underlyingError: nil,
        faults: [
          SaveFault(GraphFault(.pendingChanges, "it has unsaved changes: save first"), model: name)
        ])
    }
  }
}
