internal import RoostFile
internal import RoostGraph
internal import RoostRecords

/// Finding models by their identifiers.
extension ModelContext {
  /// Returns the model of an identifier. If the model no longer exists, the result is a deleted
  /// model; ``existingModel(for:)`` says why.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    if let known = registered(persistentModelID) ?? existing(persistentModelID) { return known }
    if let (place, row) = state.stores.row(of: persistentModelID) {
      let graph = state.graph(place.store)
      if let dead = graph.objects.deadObject(place.map, RowID(row)) as? any PersistentModel { return dead }
    }
    if let place = state.stores.place(named: persistentModelID.entityName),
      let dead = state.graph(place.store).objects.deadObject(place.map, nil) as? any PersistentModel
    {
      return dead
    }
    StandardError.stop(
      "the container has no model named \(persistentModelID.entityName): ask existingModel(for:), which throws")
  }

  /// Returns the model of an identifier; nil if it is deleted.
  func existing(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
    if identifier.store == nil { return registered(identifier) }
    if state.stores.hasWorkingSets { state.attempt { try state.bring(identifier) } }
    guard let (place, row) = state.stores.row(of: identifier) else { return nil }
    return state.graph(place.store).existingQuietly(place.map, RowID(row)) as? any PersistentModel
  }

  /// Returns the model of an identifier if the context has loaded it.
  public func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T? where T: PersistentModel {
    registered(persistentModelID) as? T
  }

  private func registered(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
    if identifier.store == nil {
      return insertedModelsArray.first { $0._$state.extras?.temporaryNumber == temporaryNumber(identifier) }
    }
    guard let (place, row) = state.stores.row(of: identifier) else { return nil }
    state.catchUp()
    return state.graph(place.store).objects.registered(place.map, RowID(row)) as? any PersistentModel
  }

  private func temporaryNumber(_ identifier: PersistentIdentifier) -> UInt64? {
    if case .temporary(let number) = identifier.key { number } else { nil }
  }

  /// Returns the model of an identifier; nil if it is deleted or was never saved.
  ///
  /// - Throws: ``RoostError`` with the code `foreign` if the identifier belongs to another store, and `store` if the
  ///   row cannot be read.
  public func existingModel<T>(for persistentModelID: PersistentIdentifier) throws -> T? where T: PersistentModel {
    if persistentModelID.store == nil { return registered(persistentModelID) as? T }
    if state.stores.hasWorkingSets { try Doorway.pass { try state.bring(persistentModelID) } }
    let (place, row) = try state.stores.knownRow(of: persistentModelID)
    guard let found = try Doorway.pass({ try state.graph(place.store).existing(place.map, RowID(row)) }) else {
      return nil
    }
    // Most models are of exactly this class; then no superclass needs to be searched.
    if ObjectIdentifier(type(of: found)) == ObjectIdentifier(T.self) { return unsafeDowncast(found, to: T.self) }
    return found as? T
  }

  /// Reads the values of a model now. Its getters would read them later, and cannot throw.
  ///
  /// - Throws: ``RoostError`` with the code `foreign` if the model does not belong to this context,
  ///   `deleted` if its row was deleted, `unreadable` if a property's type does not accept the
  ///   stored value, and `store` if the file cannot be read.
  public func load<T>(_ model: T) throws where T: PersistentModel {
    try Doorway.pass {
      let graph = try state.graph(of: model)
      guard model.graphContext === graph else {
        throw RoostError(.foreign, "the model belongs to another context: fetch it here by its identifier")
      }
      try graph.load(model)
    }
  }
}
