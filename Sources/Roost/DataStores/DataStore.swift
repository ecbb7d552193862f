/// A store of your program's own: a file format, a database, or a server.
///
/// Only two functions are required, ``fetch(_:)`` and ``save(_:)``. A container keeps the returned
/// models in a working set in memory, so contexts, lazy loading, relationships, undo and
/// observation work as with Roost's own stores.
///
/// ```swift
/// let container = try ModelContainer(
///   for: Hike.self, Stop.self, configurations: JSONConfiguration(file: file))
/// ```
///
/// The container makes one call at a time, on the thread that uses a context.
public protocol DataStore: AnyObject {
  /// The type of the store's settings, such as its address. A container makes the store from it.
  associatedtype Configuration: DataStoreConfiguration where Self == Configuration.Store
  /// The type in which models are read and written. ``DefaultSnapshot`` fits any model.
  associatedtype Snapshot: DataStoreSnapshot

  /// The store's name in identifiers. It must be the same each time the store is opened.
  var identifier: String { get }
  /// The models that the store keeps.
  var schema: Schema { get }
  /// The configuration that the store was made with.
  var configuration: Configuration { get }

  /// Opens the store while a container is made.
  ///
  /// - Parameters:
  ///   - configuration: the address and the models. The container has set its schema.
  ///   - migrationPlan: the container's plan. A store that can migrate runs it here.
  /// - Throws: any error if the store cannot be opened. The container's initializer throws it.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Removes all models.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` if the store does not implement it, or any
  ///   error of the store.
  func erase() throws

  /// Fetches the models of a descriptor.
  ///
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` if the store cannot test the predicate: the
  ///   context asks again for all models of the class and tests them.
  ///   ``DataStoreError/preferInMemorySort`` if it cannot sort: the context asks again without the
  ///   order. The context's call throws any other error.
  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  where T: PersistentModel
  /// Counts the models of a descriptor. A store without this function fetches the models and counts
  /// them.
  ///
  /// - Throws: what ``fetch(_:)`` throws.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel
  /// Fetches the identifiers of the models of a descriptor, in its order. A store without this
  /// function fetches the models.
  ///
  /// - Throws: what ``fetch(_:)`` throws.
  func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel

  /// Writes the changes of one save: all of them, or none if it throws.
  ///
  /// - Throws: any error if the changes are refused. The context's save throws it, and the changes
  ///   stay unsaved.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>

  /// Called when a context begins to use the store.
  func initializeState(for editingState: EditingState)
  /// Called when a context has ended.
  func invalidateState(for editingState: EditingState)

  /// Returns snapshots that the store has without asking a server or a disk. The context fetches
  /// the missing ones by a predicate on their identifiers.
  ///
  /// - Throws: any error of the store. The call that needs the models throws it.
  func cachedSnapshots(for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState) throws
    -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Throws ``DataStoreError/unsupportedFeature``. Implement it in a store that can remove all
  /// models.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature``, always.
  public func erase() throws { throw DataStoreError.unsupportedFeature }

  /// Fetches the models, and counts them.
  ///
  /// - Throws: what ``fetch(_:)`` throws.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
    try fetch(request).fetchedSnapshots.count
  }

  /// Fetches the models, and returns their identifiers.
  ///
  /// - Throws: what ``fetch(_:)`` throws.
  public func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel { try fetch(request).fetchedSnapshots.map(\.persistentIdentifier) }

  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}
  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}

  /// Returns no snapshots.
  ///
  /// - Throws: nothing in this default implementation.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A store that can delete models without fetching them.
public protocol DataStoreBatching: DataStore {
  /// Deletes the models of a class that fulfil a predicate, without a save of a context.
  /// `context.deleteAll(model:where:)` calls it. It deletes all of them, or throws and deletes
  /// none.
  ///
  /// - Throws: any error if the models cannot be deleted. The context's call throws it.
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}

/// The settings of a store of some kind.
public protocol DataStoreConfiguration: Hashable {
  /// The type of the store that a container makes from the configuration.
  associatedtype Store: DataStore where Self == Store.Configuration

  /// The name of the store in errors and traces.
  var name: String { get }
  /// The models of this store; nil for all models that no other configuration of the container
  /// names.
  var schema: Schema? { get set }
  /// Checks the settings. A container calls it first.
  ///
  /// - Throws: any error if no store can be opened with these settings. The container's initializer
  ///   throws it.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts every configuration.
  ///
  /// - Throws: nothing in this default implementation.
  public func validate() throws {}
}
