internal import RoostGraph

/// Roost's own store as a ``DataStore``, for stores of your program that pass most calls on to it.
///
/// A container with a ``ModelConfiguration`` does not need it.
final public class DefaultStore: DataStore, DataStoreBatching, HistoryProviding {
  public typealias Configuration = ModelConfiguration
  public typealias Snapshot = DefaultSnapshot

  /// The configuration that the store was opened with.
  public let configuration: ModelConfiguration
  /// The models that the store keeps: those of the configuration.
  public let schema: Schema
  /// The identifier in the store's file: the `storeIdentifier` of its models.
  public let identifier: String
  private let container: ModelContainer

  /// The name of the configuration.
  public var name: String { configuration.name }

  /// Opens the store of a configuration. The configuration must have a schema.
  ///
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` if the configuration has no schema, and
  ///   what the initializers of ``ModelContainer`` throw.
  public init(_ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError.loadIssueModelContainer.about(
        "the configuration \(configuration.name) has no schema: give it that of its models")
    }
    self.configuration = configuration
    self.schema = schema
    container = try ModelContainer(for: schema, migrationPlan: migrationPlan, configurations: [configuration])
    identifier = container.stores.stores[0].identifier
  }

  private func context(_ state: EditingState) -> ModelContext {
    let context = ModelContext(container)
    context.author = state.author
    return context
  }

  /// Removes all models.
  ///
  /// - Throws: what ``ModelContainer/erase()`` throws.
  public func erase() throws { try container.erase() }

  /// Fetches models as snapshots, as a context of Roost's own store would.
  ///
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws.
  public func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot>
  where T: PersistentModel {
    try context(request.editingState).answer(request)
  }

  /// Counts models without making snapshots.
  ///
  /// - Throws: what ``ModelContext/fetchCount(_:fileID:line:)`` throws.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
    try context(request.editingState).fetchCount(request.descriptor)
  }

  /// Fetches identifiers without making snapshots, in the order of the descriptor.
  ///
  /// - Throws: what ``ModelContext/fetchIdentifiers(_:fileID:line:)`` throws.
  public func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel { try context(request.editingState).fetchIdentifiers(request.descriptor) }

  /// Saves the changes of a request in one transaction, with the author of its state.
  ///
  /// - Throws: what ``ModelContext/save(fileID:line:)`` throws.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let context = context(request.editingState)
    let models = try context.take(request)
    try context.save()
    // The save may have merged a new model into another one.
    return request.result(identifier, models.map { context.existing($0.persistentModelID) ?? $0 })
  }

  /// Deletes the models that fulfil a predicate, with their delete rules, in one transaction.
  ///
  /// - Throws: what ``ModelContext/delete(model:where:includeSubclasses:)`` and
  ///   ``ModelContext/save(fileID:line:)`` throw.
  public func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel {
    let context = context(request.editingState)
    try context.delete(model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
    try context.save()
  }

  /// Returns snapshots of the identifiers that have a model in the store.
  ///
  /// - Throws: nothing; identifiers without a model are left out.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    context(editingState).cachedSnapshots(persistentIdentifiers)
  }

  /// Fetches the transactions of a descriptor, as ``ModelContext/fetchHistory(_:)`` does.
  ///
  /// - Throws: what ``ModelContext/fetchHistory(_:)`` throws.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] { try ModelContext(container).fetchHistory(descriptor) }

  /// Removes the history up to the bounds of a descriptor, as ``ModelContext/deleteHistory(_:)``
  /// does.
  ///
  /// - Throws: what ``ModelContext/deleteHistory(_:)`` throws.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    _ = try ModelContext(container).deleteHistory(descriptor)
  }
}

/// Calls from a store to a context of Roost's.
extension ModelContext {
  func answer<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let found = try fetchSnapshots(request.descriptor)
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: found.map { DefaultSnapshot($0.content) })
  }

  func cachedSnapshots(_ identifiers: [PersistentIdentifier]) -> [PersistentIdentifier: DefaultSnapshot] {
    let models = identifiers.compactMap { existing($0) }
    return Dictionary(models.map { ($0.persistentModelID, DefaultSnapshot($0)) }) { first, _ in first }
  }

  /// Makes the changes of a save without saving them. Returns the models of the inserted and the
  /// updated snapshots.
  func take(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws -> [any PersistentModel] {
    let models = try take((request.inserted + request.updated).map(\.content))
    for snapshot in request.deleted {
      if let model = existing(snapshot.persistentIdentifier) { delete(model) }
    }
    return models
  }
}

extension DataStoreSaveChangesRequest where SnapshotType == DefaultSnapshot {
  /// - Parameter models: the models of the snapshots, the inserted ones first.
  func result(
    _ store: String, _ models: [any PersistentModel]
  ) -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let new = zip(inserted, models).map { ($0.persistentIdentifier, $1.persistentModelID) }
    return DataStoreSaveChangesResult(for: store, remappedIdentifiers: Dictionary(new) { first, _ in first })
  }
}

extension ModelConfiguration: DataStoreConfiguration {
  public typealias Store = DefaultStore
}
