/// A store of a program's own: a file format, a database, or a server.
///
/// Two functions are needed, ``fetch(_:)`` and ``save(_:)``. A container keeps what they return in a working set in memory, so contexts, faults,
/// relationships, undo and observation work as with a store of Roost's own.
///
/// ```swift
/// let container = try ModelContainer(
///   for: Trip.self, Stop.self, configurations: JSONConfiguration(file: file))
/// ```
///
/// One call at a time is made, on whichever thread uses a context.
public protocol DataStore: AnyObject {
  /// The type that describes a store, such as its address. A container makes the store of it.
  associatedtype Configuration: DataStoreConfiguration where Self == Configuration.Store
  /// The type in which models are read and written. ``DefaultSnapshot`` fits any model.
  associatedtype Snapshot: DataStoreSnapshot

  /// The store's name in identifiers. It must be the same each time the store is opened.
  var identifier: String { get }
  /// The models that the store keeps.
  var schema: Schema { get }
  /// The configuration that the store was made with.
  var configuration: Configuration { get }

  /// Opens the store. It runs while the container is made, and what it throws the container throws.
  ///
  /// - Parameters:
  ///   - configuration: the address and the models. Its schema is set: the container fills it in.
  ///   - migrationPlan: the container's plan. A store that can migrate carries it out here.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Removes all models.
  func erase() throws

  /// The models that a descriptor asks for.
  ///
  /// A store that cannot test the predicate throws ``DataStoreError/preferInMemoryFilter``; then it is asked again for all models of the class,
  /// and the context tests them. One that cannot sort throws ``DataStoreError/preferInMemorySort``.
  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  where T: PersistentModel
  /// The number of models that a descriptor finds. A store without this function fetches the models and counts them.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel
  /// The identifiers of the models that a descriptor finds, in its order. A store without this function fetches the
  /// models.
  func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel

  /// Writes the changes of one save; all of them, or none if it throws.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>

  /// A context begins to use the store.
  func initializeState(for editingState: EditingState)
  /// A context has ended.
  func invalidateState(for editingState: EditingState)

  /// Snapshots that the store has at hand, without asking a server or a disk. The context fetches the missing ones by a predicate over their
  /// identifiers.
  func cachedSnapshots(for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState) throws
    -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Throws ``DataStoreError/unsupportedFeature``: a store that can remove everything implements it.
  public func erase() throws { throw DataStoreError.unsupportedFeature }

  /// Fetches the models, and counts them.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
    try fetch(request).fetchedSnapshots.count
  }

  /// Fetches the models, and returns their identifiers.
  public func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel { try fetch(request).fetchedSnapshots.map(\.persistentIdentifier) }

  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}
  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}

  /// Returns nothing: the store has no snapshots at hand.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A store that can delete models without fetching them.
public protocol DataStoreBatching: DataStore {
  /// Deletes the models of a class that pass a predicate, without a save of a context.
  /// `context.deleteAll(model:where:)` calls it. Either all are deleted, or it throws and none is.
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}

/// How a store of some kind is described.
public protocol DataStoreConfiguration: Hashable {
  /// The store that a container makes of the configuration.
  associatedtype Store: DataStore where Self == Store.Configuration

  /// The name by which errors and traces mention the store.
  var name: String { get }
  /// The models of this store; nil for those that no other configuration of the container names.
  var schema: Schema? { get set }
  /// Throws if no store can be opened with these settings. A container calls it first.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts every configuration.
  public func validate() throws {}
}
