/// A store of a program's own: a file format, a database, or a server.
///
/// Two functions are needed, ``fetch(_:)`` and ``save(_:)``. A container keeps what they return in a working set in memory, so contexts, faults,
/// relationships, undo and observation work as with a store of Roost's own.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self, configurations: JSONConfiguration(name: "trips", url: file))
/// ```
///
/// One call at a time is made, on whichever thread uses a context.
public protocol DataStore: AnyObject {
  associatedtype Configuration: DataStoreConfiguration where Self == Configuration.Store
  associatedtype Snapshot: DataStoreSnapshot

  /// The store's name in identifiers. It must be the same each time the store is opened.
  var identifier: String { get }
  var schema: Schema { get }
  var configuration: Configuration { get }

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Removes all models.
  func erase() throws

  /// The models that a descriptor asks for.
  ///
  /// A store that cannot test the predicate throws ``DataStoreError/preferInMemoryFilter``; then it is asked again for all models of the class,
  /// and the context tests them. One that cannot sort throws ``DataStoreError/preferInMemorySort``.
  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  where T: PersistentModel
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel
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
  public func erase() throws { throw DataStoreError.unsupportedFeature }

  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
    try fetch(request).fetchedSnapshots.count
  }

  public func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel { try fetch(request).fetchedSnapshots.map(\.persistentIdentifier) }

  public func initializeState(for editingState: EditingState) {}
  public func invalidateState(for editingState: EditingState) {}

  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A store that can delete models without fetching them.
public protocol DataStoreBatching: DataStore {
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}

/// How a store of some kind is described.
public protocol DataStoreConfiguration: Hashable {
  associatedtype Store: DataStore where Self == Store.Configuration

  var name: String { get }
  var schema: Schema? { get set }
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts every configuration.
  public func validate() throws {}
}
