internal import Foundation
internal import RoostGraph

/// Saves to a store of the program's own.
extension WorkingSet {
  func save(_ changes: BackingChanges, of context: any BackedContext) throws -> BackingOutcome {
    try call(context) { try save(store, changes, of: context, as: $0) }
  }

  /// Calls the store to delete models without fetching them, and removes them from the working set.
  func deleteAll<Model: PersistentModel>(
    _ model: Model.Type, _ predicate: Predicate<Model>?, includesSubclasses: Bool, for context: ModelContext
  ) throws -> [PersistentIdentifier] {
    guard let batching = store as? any DataStoreBatching else { throw DataStoreError.unsupportedFeature }
    let graph = context.state.graph(try context.state.stores.known(model).store)
    if let map = graph.store.map(of: model), graph.hasPending(map) {
      throw RoostError(.pendingChanges, "models of \(map.type.name) have unsaved changes: save or roll back first")
    }
    func delete<Store: DataStoreBatching>(_ store: Store, _ state: EditingState) throws {
      try store.delete(
        DataStoreBatchDeleteRequest(
          predicate: predicate, includeSubclasses: includesSubclasses, editingState: state))
    }
    // It is not known whether an unloaded row fulfils the predicate.
    if let map = graph.store.map(of: model) { _ = try loadAll(map, for: graph, lists: true) }
    try call(graph) { try delete(batching, $0) }
    let gone = try removeAll(model, predicate, includesSubclasses: includesSubclasses)
    try graph.showNewest()
    return gone
  }

  private func save<Store: DataStore>(
    _ store: Store, _ changes: BackingChanges, of context: any BackedContext, as state: EditingState
  ) throws -> BackingOutcome {
    func snapshots(_ objects: [any _ModelObject]) -> [Store.Snapshot] {
      objects.compactMap { $0 as? any PersistentModel }.map { Store.Snapshot(of: $0) }
    }
    let request = DataStoreSaveChangesRequest(
      inserted: snapshots(changes.inserted), updated: snapshots(changes.updated),
      deleted: snapshots(changes.deleted), editingState: state)
    // A getter that failed would return a default for the value.
    if let failure = context.failure { throw failure }
    if let asked = store as? any AskedStore, asked.asksForChanges {
      let updated = changes.updated.compactMap { $0 as? any PersistentModel }
      asked.willSave(updated.map { ($0.persistentModelID, $0._$state.changed) })
    }
    let result: DataStoreSaveChangesResult<Store.Snapshot>
    do { result = try store.save(request) } catch let error as RoostError where error.code == .conflict {
      // A store in one of Roost's packages can report the current rows.
      if store is any AskedStore { throw BackingConflict(error) }
      throw error
    } catch let error as RoostError where error.code == .denied && store is any AskedStore {
      // Another program may have deleted a referenced model. If not, the second attempt is denied
      // too.
      defer { deniedOnce.toggle() }
      if !deniedOnce { throw BackingConflict(error) }
      throw error
    }
    deniedOnce = false
    let time = keys.now()
    var outcome = BackingOutcome()
    var merged: [(map: EntityMap, row: UInt64)] = []
    for object in changes.inserted {
      guard let map = object.entityMap else { continue }
      let row = object._$state.row
      let before = context.store.identifier(map.type.name, row, isSaved: false)
      if let after = result.remappedIdentifiers[before] {
        if let other = keys.row(map, after.key), other != row, !keys.isDeleted(map, other, before: time) {
          outcome.merged.append((object, other))
          merged.append((map, other))
          continue
        }
        keys.rename(map, row, to: after.key)
      }
      keys.noteLoaded([(map, row)], in: 0, askedAt: time)
    }
    keys.noteLoaded(
      changes.updated.compactMap { object in object.entityMap.map { ($0, object._$state.row) } }, in: 0, askedAt: time)
    for object in changes.deleted {
      if let map = object.entityMap { keys.noteDeleted(map, object._$state.row, at: time) }
    }
    let again = try result.snapshotsToReregister.values.map(SnapshotContent.init(foreign:))
    if !again.isEmpty || !merged.isEmpty {
      outcome.afterCommit = { [self, merged] commit in
        keys.noteLoaded(merged, in: commit, askedAt: time)
        // The save has succeeded. A model that cannot be written here comes with the next fetch.
        _ = try? feed(again, askedAt: keys.now())
      }
    }
    return outcome
  }
}

extension DataStoreSnapshot {
  fileprivate init(of model: some PersistentModel) {
    var related: [PersistentIdentifier: any BackingData] = [:]
    self.init(from: _ObjectBacking(model), relatedBackingDatas: &related)
  }
}
