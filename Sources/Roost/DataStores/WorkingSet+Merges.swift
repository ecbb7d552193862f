internal import RoostGraph
internal import RoostRecords

extension ModelContext {
  /// Shows the models into which the saves of the parent context merged models of this context.
  func followParent() throws {
    for graph in state.open {
      guard let set = graph.store.backing as? WorkingSet, set.store is ParentStore else { continue }
      try state.call(.fetching) {
        try set.followMerges(graph)
        try graph.showNewest()
      }
    }
  }
}

/// Merges by the saves of a parent context.
extension WorkingSet {
  /// A model that a save merged into another one.
  private struct Merge {
    let old: PersistentIdentifier
    let map: EntityMap
    let row: UInt64
    /// The row of the other model.
    let other: UInt64
  }

  /// Gives the rows of models that a save of the parent context merged into others to those others.
  /// Returns the others' identifiers, by their own.
  @discardableResult
  func followMerges(_ context: any BackedContext) throws -> [PersistentIdentifier: PersistentIdentifier] {
    guard let container, let parent = store as? ParentStore else { return [:] }
    let merged = try exclusively { try parent.takeMerged() }
    if merged.isEmpty { return merged }
    mergeCount += 1
    var gone: [EntityKey: Merge] = [:]
    for (old, new) in merged {
      guard let (place, row) = container.stores.row(of: old) else { continue }
      if let other = keys.row(place.map, new.key) {
        if other != row {
          gone[EntityKey(place.map, .row(row))] = Merge(old: old, map: place.map, row: row, other: other)
        }
      } else {
        keys.rename(place.map, row, to: new.key)
      }
    }
    let time = keys.now()
    try feed(exclusively { parent.load(Array(Set(merged.values))) }, askedAt: time)
    if gone.isEmpty { return merged }
    if let graph = context as? GraphContext {
      try lead(graph, gone)
      for merge in gone.values { graph.dropChanges(merge.map, row: merge.row) }
    }
    try remove(gone.values.map(\.old), askedAt: time, isAgain: true)
    for merge in gone.values { context.store.noteMerged(merge.map, merge.row, into: merge.other) }
    return merged
  }

  /// Sets the unsaved references of a context that refer to merged models to the other models.
  private func lead(_ graph: GraphContext, _ gone: [EntityKey: Merge]) throws {
    try graph.showNewest()
    let (inserted, changed) = (graph.changes.insertedObjects, graph.changes.changedObjects)
    func target(_ identifier: PersistentIdentifier) throws -> (model: any PersistentModel, isOther: Bool)? {
      guard let (place, row) = container?.stores.row(of: identifier) else { return nil }
      let other = gone[EntityKey(place.map, .row(row))]?.other
      let model = try graph.existing(place.map, RowID(other ?? row)) as? any PersistentModel
      return model.map { ($0, other != nil) }
    }
    for (number, object) in (inserted + changed).enumerated() {
      guard let model = object as? any PersistentModel, let map = object.entityMap else { continue }
      let content = SnapshotContent(model)
      for property in content.form.links {
        switch content.link(property) {
        case .one(let one?)?:
          // A save has given the parent the other references.
          let isUnsaved = number < inserted.count || object._$state.changed & _ModelState.bit(property) != 0
          if isUnsaved, let target = try target(one), target.isOther { model.assign(property, target.model) }
        case .many(let many)? where graph.store.isByLinks(map, property):
          let targets = try many.compactMap(target)
          if targets.contains(where: \.isOther) { model.assign(property, targets.map(\.model)) }
        default: continue
        }
      }
    }
  }
}
