internal import RoostGraph
internal import RoostRecords

/// Snapshots of the models of a context.
extension ModelContext {
  /// Fetches snapshots of the models of a descriptor, with unsaved changes. No models are made.
  /// Lists are included, with one look-up for each list of each model, unless `includingLists` is
  /// false.
  ///
  /// - Throws: what ``fetch(_:fileID:line:)`` throws.
  public func fetchSnapshots<T>(
    _ descriptor: FetchDescriptor<T>, includingLists: Bool = true, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [ModelSnapshot<T>] where T: PersistentModel {
    guard state.stores.isTraced else { return try contents(descriptor, includingLists) }
    return try state.traced(.snapshots, descriptor, place: (fileID, line), note: { $1.found = $0.count }) {
      try contents(descriptor, includingLists)
    }
  }

  private func contents<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ lists: Bool
  ) throws -> [ModelSnapshot<T>] {
    try state.call(.fetching) {
      let identifiers = try FetchRun(descriptor, state).identifiers()
      return try state.snapshots(identifiers, lists).compactMap { $0.map(ModelSnapshot<T>.init) }
    }
  }

  /// Returns the snapshot of a model with its unsaved changes; nil if it is deleted or does not
  /// exist.
  ///
  /// - Throws: ``RoostError`` with the code `foreign` if the identifier belongs to another store,
  ///   and `store` if the row cannot be read.
  public func snapshot<T>(
    for persistentModelID: PersistentIdentifier, as type: T.Type = T.self
  ) throws -> ModelSnapshot<T>? where T: PersistentModel {
    if persistentModelID.store == nil {
      let model: T? = try existingModel(for: persistentModelID)
      return model.map { ModelSnapshot($0) }
    }
    if state.stores.hasWorkingSets { try Doorway.pass { try state.bring(persistentModelID) } }
    let (place, _) = try state.stores.knownRow(of: persistentModelID)
    return try state.call(.fetching) {
      try state.graph(place.store).catchUp()
      guard let content = try state.snapshots([persistentModelID], true)[0], content.type.isKind(of: T._$type) else {
        return nil
      }
      return ModelSnapshot<T>(content)
    }
  }
}

/// Snapshots of saved models, for any actor or thread.
extension ModelContainer {
  /// Fetches snapshots of the saved models of a descriptor.
  ///
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws.
  public nonisolated func fetchSnapshots<T>(
    _ descriptor: FetchDescriptor<T>, includingLists: Bool = true, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [ModelSnapshot<T>] where T: PersistentModel {
    try ModelContext(self).fetchSnapshots(descriptor, includingLists: includingLists, fileID: fileID, line: line)
  }

  /// Returns the snapshot of a saved model; nil if there is none.
  ///
  /// - Throws: ``RoostError`` with the code `foreign` if the identifier belongs to another store,
  ///   and `store` if the row cannot be read.
  public nonisolated func snapshot<T>(
    for persistentModelID: PersistentIdentifier, as type: T.Type = T.self
  ) throws -> ModelSnapshot<T>? where T: PersistentModel {
    try ModelContext(self).snapshot(for: persistentModelID)
  }
}

extension ContextState {
  /// Returns the contents of snapshots of identifiers, within a call.
  fileprivate func snapshots(_ identifiers: [PersistentIdentifier], _ lists: Bool) throws -> [SnapshotContent?] {
    // Nearly always all are of one store.
    var found: [SnapshotContent?] = Array(repeating: nil, count: identifiers.count)
    for (number, store) in stores.stores.enumerated() {
      var rows: [(map: EntityMap, row: UInt64)] = []
      var places: [Int] = []
      for (at, identifier) in identifiers.enumerated() {
        guard let (place, row) = stores.row(of: identifier), place.store == number else { continue }
        rows.append((place.map, row))
        places.append(at)
      }
      if rows.isEmpty { continue }
      let graph = graph(number)
      for (at, image) in zip(places, try graph.links.images(rows, lists: lists)) {
        guard let image else { continue }
        let known = identifiers[at]
        let isItself = known.key == .row(image.row) && known.entityName == image.values.form.type.name
        let identifier = isItself ? known : store.identifier(image.values.form.type.name, image.row)
        found[at] = SnapshotContent(image, identifier, in: store)
      }
    }
    return found
  }
}

extension GraphContext {
  /// Returns the contents of snapshots of rows, with their lists, within a call.
  func snapshots(_ map: EntityMap, _ rows: [UInt64]) throws -> [SnapshotContent?] {
    try links.images(rows.map { (map, $0) }, lists: true).map { image in
      image.map { SnapshotContent($0, store.identifier($0.values.form.type.name, $0.row), in: store) }
    }
  }
}
